package memory

import (
	"context"

	"github.com/weirlimit/weir"
	"github.com/weirlimit/weir/internal/window"
)

// Do carries out an operation. It never fails.
func (s *Store) Do(_ context.Context, op *weir.Operation) error {
	if len(op.Items) == 1 {
		it := &op.Items[0]
		hash := s.hash(it)
		sh := &s.shards[shardOf(hash)]
		sh.Lock()
		s.doOne(sh, op.Verb, it, hash)
		sh.Unlock()
		return nil
	}
	var hashes [weir.MaxCharges]uint64
	var locks shardSet
	for i := range op.Items {
		hashes[i] = s.hash(&op.Items[i])
		locks.add(shardOf(hashes[i]))
	}
	s.lock(&locks)
	s.doAll(op, hashes[:len(op.Items)])
	s.unlock(&locks)
	return nil
}

// doOne carries out a verb on one item, whose shard is locked.
func (s *Store) doOne(sh *shard, verb weir.Verb, it *weir.Item, hash uint64) {
	now := s.now()
	switch verb {
	case weir.VerbTake:
		s.take(sh, it, hash, now)
	case weir.VerbPeek:
		sh.peek(it, hash, now)
	case weir.VerbSettle:
		s.settle(sh, it, hash, now)
	case weir.VerbRefund:
		if r := sh.lookUp(it, hash, now); r != nil {
			r.state.Refund(it.Rule, sh.query(it, r.phase, now, true))
			s.account(r)
		}
	case weir.VerbReset:
		s.reset(sh, it, hash, now)
	}
}

// doAll carries out a verb on all items, whose shards are locked, at one
// reading of the clock. A take looks first and records afterwards.
func (s *Store) doAll(op *weir.Operation, hashes []uint64) {
	if op.Verb != weir.VerbTake && op.Verb != weir.VerbPeek {
		for i := range op.Items {
			s.doOne(&s.shards[shardOf(hashes[i])], op.Verb, &op.Items[i], hashes[i])
		}
		return
	}
	now := s.now()
	for i := range op.Items {
		s.shards[shardOf(hashes[i])].peek(&op.Items[i], hashes[i], now)
	}
	if op.Verb == weir.VerbPeek || !op.Allowed() {
		return
	}
	for i := range op.Items {
		it := &op.Items[i]
		if !it.Verdict.Allowed {
			continue
		}
		s.take(&s.shards[shardOf(hashes[i])], it, hashes[i], now)
		if !it.Verdict.Allowed && !it.Shadow {
			s.undo(op, hashes, i, now)
			return
		}
	}
}

// undo takes back what was recorded before item denied. That happens only if
// two keys share an overflow slot, which has room for either, but not for both.
func (s *Store) undo(op *weir.Operation, hashes []uint64, denied int, now int64) {
	for i := range op.Items {
		it, sh := &op.Items[i], &s.shards[shardOf(hashes[i])]
		if i < denied && it.Verdict.Receipt.Generation != 0 {
			back := *it
			back.Receipt, back.Cost = it.Verdict.Receipt, 0
			s.settle(sh, &back, hashes[i], now)
		}
		if i != denied {
			sh.peek(it, hashes[i], now)
		}
	}
}

// query is the item's question to a state of that phase.
func (sh *shard) query(it *weir.Item, phase uint64, now int64, record bool) window.Query {
	q := window.Query{Now: now, Cost: it.Cost, Hash: phase, Generation: sh.generation, Record: record}
	sh.generation++
	return q
}

// peek decides without recording.
func (sh *shard) peek(it *weir.Item, hash uint64, now int64) {
	var none window.State
	state, phase := &none, it.Hash
	if r := sh.lookUp(it, hash, now); r != nil {
		state, phase = &r.state, r.phase
	}
	it.Verdict = state.Decide(it.Rule, sh.query(it, phase, now, false), it.Statuses)
}

// take decides and records.
func (s *Store) take(sh *shard, it *weir.Item, hash uint64, now int64) {
	r := sh.find(it, hash)
	if r == nil {
		// A key that would be denied needs no place.
		if sh.peek(it, hash, now); !it.Verdict.Allowed {
			sh.countOverflow(it, hash, now)
			return
		}
		r = s.place(sh, it, hash, now)
	}
	for {
		it.Verdict = r.state.Decide(it.Rule, sh.query(it, r.phase, now, true), it.Statuses)
		if !it.Verdict.Full {
			break
		}
		s.makeRoom(sh, r, it.Rule, it.Cost)
	}
	s.account(r)
}

// settle replaces the cost of a take.
func (s *Store) settle(sh *shard, it *weir.Item, hash uint64, now int64) {
	r := sh.lookUp(it, hash, now)
	if r == nil {
		return
	}
	for {
		switch r.state.Settle(it.Rule, sh.query(it, r.phase, now, true), it.Receipt, it.Statuses) {
		case window.NoRoom:
			s.makeRoom(sh, r, it.Rule, it.Cost)
			continue
		case window.Dropped:
			sh.counts.SettlesDropped++
		case window.Gone, window.Done:
		}
		s.account(r)
		return
	}
}

// reset forgets a key. If it could be found in its overflow slot again, an
// empty state of its own stays until the slot has forgotten it too: more than
// MaxKeys, perhaps, but one for each reset.
func (s *Store) reset(sh *shard, it *weir.Item, hash uint64, now int64) {
	own, slot := sh.find(it, hash), sh.slots[slotOf(it, hash)]
	if own != nil {
		s.remove(sh, own)
	}
	if slot != nil && slot.state.Expires() > now {
		s.keys.Add(1)
		own = s.newRecord(sh, it, hash)
		own.hold = slot.state.Expires()
	}
}
