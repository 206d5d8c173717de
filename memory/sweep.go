package memory

import (
	"time"
	"weak"
)

const (
	// sweepForKey is how many buckets of its shard a new key sweeps: more than
	// one, so that what has expired makes room for what comes. At the ceiling it
	// looks harder.
	sweepForKey   = 2
	sweepForPlace = 16
	// sweepEvery is how often the timer sweeps: all of a small store, an
	// eighth of one with more than smallStore keys.
	sweepEvery = time.Second
	smallStore = 65_536
	// sweepChunk is how many buckets it sweeps before it lets others in.
	sweepChunk = 512
)

// sweep drops what has expired from the next buckets of a locked shard, and
// gives back memory that the others have stopped to need.
func (s *Store) sweep(sh *shard, buckets int, now int64) {
	for range min(buckets, len(sh.table)) {
		link := &sh.table[sh.sweepAt&(len(sh.table)-1)]
		for r := *link; r != nil; r = *link {
			if r.state.Expires() > now || r.hold > now {
				r.state.Shrink()
				s.account(r)
				link = &r.next
				continue
			}
			*link = r.next
			sh.n--
			s.forget(r)
		}
		sh.sweepAt++
	}
	if 8*sh.n < len(sh.table) {
		sh.shrink()
	}
}

// shrink makes a sparse table smaller.
func (sh *shard) shrink() {
	if sh.n == 0 {
		sh.table, sh.sweepAt = nil, 0
		return
	}
	if length := len(sh.table) / 4; length >= minTable {
		sh.resize(length)
	}
}

// remove drops a record from its shard.
func (s *Store) remove(sh *shard, r *record) {
	link := &sh.table[r.hash&uint64(len(sh.table)-1)]
	for *link != r {
		link = &(*link).next
	}
	*link = r.next
	sh.n--
	s.forget(r)
}

// forget uncounts a record of a key's own.
func (s *Store) forget(r *record) {
	s.keys.Add(-1)
	s.bytes.Add(-int64(r.bytes))
}

// armSweep sees that the timer runs while the store holds anything. The timer
// does not keep a store alive that nobody else has.
func (s *Store) armSweep() {
	if s.sweeping.Load() || !s.sweeping.CompareAndSwap(false, true) {
		return
	}
	this := weak.Make(s)
	time.AfterFunc(sweepEvery, func() {
		if s := this.Value(); s != nil {
			s.sweepNext()
		}
	})
}

// sweepNext is what the timer does: it sweeps the shards whose turn it is, and
// comes again if there is more.
func (s *Store) sweepNext() {
	n := shards
	if s.keys.Load() > smallStore {
		n /= 8
	}
	for range n {
		s.sweepShard(&s.shards[s.sweepAt])
		s.sweepAt = (s.sweepAt + 1) % shards
	}
	// Disarmed first: whoever adds a record from here on arms it again.
	s.sweeping.Store(false)
	for i := range s.shards {
		if s.shards[i].holds() {
			s.armSweep()
			return
		}
	}
}

// holds says whether the shard holds anything.
func (sh *shard) holds() bool {
	sh.Lock()
	defer sh.Unlock()
	return sh.n > 0 || len(sh.slots) > 0
}

// sweepShard sweeps a whole shard, in chunks.
func (s *Store) sweepShard(sh *shard) {
	sh.Lock()
	defer sh.Unlock()
	now := s.now()
	for id, slot := range sh.slots {
		if slot.state.Expires() <= now {
			s.forgetSlot(sh, id)
		}
	}
	if len(sh.slots) == 0 {
		sh.slots = nil // a map keeps the room that it once needed
	}
	for todo := len(sh.table); todo > 0; todo -= sweepChunk {
		s.sweep(sh, min(todo, sweepChunk), now)
		sh.Unlock()
		sh.Lock()
	}
}
