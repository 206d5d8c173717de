package memory

import (
	"context"
	"slices"

	"github.com/weirlimit/weir"
	"github.com/weirlimit/weir/internal/window"
)

// A visit is an item at its shard, which is locked, at one reading of the clock.
type visit struct {
	shard *shard
	item  *weir.Item
	hash  uint64
	now   int64
}

// Do carries out a verb on one item. It never fails.
func (s *Store) Do(_ context.Context, verb weir.Verb, it weir.Item) (a weir.Answer, err error) {
	hash := s.hash(&it)
	sh := &s.shards[shardOf(hash)]
	sh.Lock()
	defer sh.Unlock()
	if v := (visit{sh, &it, hash, s.now()}); verb == weir.VerbTake {
		s.take(v, &a)
	} else {
		s.do(verb, v, &a)
	}
	return a, nil
}

// Settle replaces the cost of a take. It never fails.
func (s *Store) Settle(_ context.Context, it weir.Item, take *weir.Answer) error {
	hash := s.hash(&it)
	sh := &s.shards[shardOf(hash)]
	sh.Lock()
	defer sh.Unlock()
	s.settle(visit{sh, &it, hash, s.now()}, take)
	return nil
}

// DoAll carries out a verb on several items. It never fails.
func (s *Store) DoAll(_ context.Context, verb weir.Verb, items []weir.Item) ([]weir.Answer, error) {
	answers, visits := make([]weir.Answer, len(items)), make([]visit, len(items))
	var set shardSet
	for i := range items {
		hash := s.hash(&items[i])
		visits[i] = visit{&s.shards[shardOf(hash)], &items[i], hash, 0}
		set.add(shardOf(hash))
	}
	s.lock(&set)
	defer s.unlock(&set)
	now := s.now()
	for i := range visits {
		visits[i].now = now
	}
	if verb == weir.VerbTake {
		s.takeAll(visits, answers)
		return answers, nil
	}
	for i := range visits {
		s.do(verb, visits[i], &answers[i])
	}
	return answers, nil
}

// do carries out the verbs that are no take.
func (s *Store) do(verb weir.Verb, v visit, a *weir.Answer) {
	switch verb {
	case weir.VerbPeek:
		v.peek(a)
	case weir.VerbRefund:
		s.refund(v)
	case weir.VerbReset:
		s.reset(v)
	case weir.VerbTake, weir.VerbSettle: // are functions of their own
	}
}

// ask makes the item's question to a state of that phase.
func (v visit) ask(q *window.Query, phase uint64, record bool) {
	v.shard.generation++
	q.Now, q.Cost, q.Hash, q.Generation, q.Record = v.now, v.item.Cost, phase, v.shard.generation, record
}

// phase places the windows of the item's counters, if it has any.
func (v visit) phase() uint64 {
	if v.item.Terms.Policy.Algorithm != weir.SlidingCounter {
		return 0
	}
	return window.Hash(v.item.Key)
}

// peek decides without recording.
func (v visit) peek(a *weir.Answer) {
	none := record{}
	r := v.lookUp()
	if r == nil {
		none.phase = v.phase()
		r = &none
	}
	var q window.Query
	v.ask(&q, r.phase, false)
	rule := &v.item.Terms.Rule
	r.state.Decide(rule, &q, &a.Verdict, a.Make(len(rule.Limits)))
}

// take decides and records.
func (s *Store) take(v visit, a *weir.Answer) {
	r := v.find()
	if r == nil {
		// A key that would be denied needs no place.
		if v.peek(a); !a.Verdict.Allowed {
			v.countOverflow()
			return
		}
		r = s.place(v)
	}
	s.record(v, r, a)
}

// record is take, in the record that the item is to be in.
func (s *Store) record(v visit, r *record, a *weir.Answer) {
	var q window.Query
	v.ask(&q, r.phase, true)
	rule := &v.item.Terms.Rule
	statuses := a.Make(len(rule.Limits))
	r.state.Decide(rule, &q, &a.Verdict, statuses)
	if a.Verdict.Full {
		s.makeRoom(v.shard, r, rule, q.Cost)
		if r.state.Decide(rule, &q, &a.Verdict, statuses); a.Verdict.Full {
			panic("memory: a log has no room after room was made")
		}
	}
	s.account(r)
}

// takeAll looks first, and records when all may.
func (s *Store) takeAll(visits []visit, answers []weir.Answer) {
	allowed := true
	for i, v := range visits {
		v.peek(&answers[i])
		allowed = allowed && (answers[i].Verdict.Allowed || v.item.Terms.Policy.Shadow)
	}
	if !allowed {
		return
	}
	records := make([]*record, len(visits))
	tight := false
	for i, v := range visits {
		if answers[i].Verdict.Allowed {
			records[i] = s.apart(v, records[:i])
			// The same record twice is a mistake of whoever wraps the store.
			tight = tight || s.mayBeSqueezed(records[i], v.item) || slices.Contains(records[:i], records[i])
		}
	}
	var before []window.State
	for i, v := range visits {
		r := records[i]
		if tight {
			before = append(before, window.State{})
		}
		if r == nil {
			continue
		}
		if tight {
			before[i] = r.state.Clone()
		}
		if s.record(v, r, &answers[i]); !answers[i].Verdict.Allowed && !v.item.Terms.Policy.Shadow {
			s.restore(visits, answers, records[:i], before)
			return
		}
	}
}

// restore puts the states of what was recorded before a denial back to what
// they were. An item that was allowed is denied after all only if its takes had
// to be merged, for want of memory, into what counts for longer.
func (s *Store) restore(visits []visit, answers []weir.Answer, records []*record, before []window.State) {
	for i, r := range records {
		if r != nil {
			r.state = before[i]
			s.account(r)
		}
	}
	denied := len(records)
	for i, v := range visits {
		if i != denied {
			v.peek(&answers[i])
		}
	}
}

// settle replaces the cost of a take, which was answered so, by the item's.
func (s *Store) settle(v visit, take *weir.Answer) {
	r := v.lookUp()
	if r == nil {
		return
	}
	var q window.Query
	v.ask(&q, r.phase, true)
	of, rule := take.Verdict.Receipt, &v.item.Terms.Rule
	statuses := take.Statuses()
	settled := r.state.Settle(rule, &q, of, statuses)
	if settled == window.NoRoom {
		s.makeRoom(v.shard, r, rule, q.Cost)
		if settled = r.state.Settle(rule, &q, of, statuses); settled == window.NoRoom {
			panic("memory: a log has no room after room was made")
		}
	}
	if settled == window.Dropped {
		v.shard.counts.SettlesDropped++
	}
	s.account(r)
}

// refund credits units of the item's own. A key in an overflow slot has none
// that could be told from others', and stays as it is.
func (s *Store) refund(v visit) {
	if r := v.find(); r != nil {
		var q window.Query
		v.ask(&q, r.phase, true)
		r.state.Refund(&v.item.Terms.Rule, &q)
		s.account(r)
	}
}

// reset forgets a key. If it could be found in its overflow slot again, an
// empty state of its own stays until the slot has forgotten it too: more than
// MaxKeys, perhaps, but one for each reset.
func (s *Store) reset(v visit) {
	if own := v.find(); own != nil {
		s.remove(v.shard, own)
	}
	if slot := v.slot(); slot != nil {
		s.keys.Add(1)
		s.newRecord(v).hold = slot.state.Expires()
	}
}
