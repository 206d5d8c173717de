package memory

import (
	"slices"
	"strings"

	"github.com/weirlimit/weir"
	"github.com/weirlimit/weir/internal/window"
)

// slotBytes is the most that the entries of an overflow slot may use.
const slotBytes = 256 * 8

// lookUp is the record that speaks for an item: its own, or its overflow slot,
// or nil.
func (v visit) lookUp() *record {
	if r := v.find(); r != nil {
		return r
	}
	return v.slot()
}

// slot is the item's overflow slot, if anything is in it.
func (v visit) slot() *record {
	if len(v.shard.slots) == 0 {
		return nil
	}
	slot := v.shard.slots[v.slotID()]
	if slot == nil || slot.state.Expires() <= v.now {
		return nil
	}
	return slot
}

// place is where a key without a record is to be recorded: in a new one, with
// what its slot knows, or at the ceiling in the slot.
func (s *Store) place(v visit) *record {
	s.sweep(v.shard, sweepForKey, v.now)
	slot := v.slot()
	need := int64(window.MinBytes)
	if slot != nil {
		need = int64(slot.bytes)
	}
	if s.full(need) {
		s.sweep(v.shard, sweepForPlace, v.now)
	}
	if !s.full(need) && s.reserveKey() {
		r := s.newRecord(v)
		if slot != nil {
			r.state, r.phase = slot.state.Clone(), slot.phase
			s.account(r)
		}
		return r
	}
	v.shard.counts.Overflowed++
	return s.slotFor(v)
}

// apart is where an item of a TakeAll is to be recorded. Keys of one TakeAll are
// never recorded in the same slot, where both might not fit though either does,
// for ever: the later one gets a state of its own, beyond MaxKeys if need be.
func (s *Store) apart(v visit, others []*record) *record {
	r := v.find()
	if r == nil {
		r = s.place(v)
	}
	if r.slot && slices.Contains(others, r) {
		s.keys.Add(1)
		own := s.newRecord(v)
		own.state, own.phase = r.state.Clone(), r.phase
		s.account(own)
		r = own
	}
	r.hold = max(r.hold, v.now+1) // from the sweeps of this very TakeAll
	return r
}

// countOverflow counts a denial that an overflow slot is behind.
func (v visit) countOverflow() {
	if v.slot() != nil {
		v.shard.counts.Overflowed++
		v.shard.counts.OverflowDenied++
	}
}

// full says whether a key of so many bytes finds no room.
func (s *Store) full(bytes int64) bool {
	return s.keys.Load() >= s.maxKeys || s.bytes.Load()+bytes > s.maxBytes
}

// reserveKey takes one of the MaxKeys places, if one is free.
func (s *Store) reserveKey() bool {
	if s.keys.Add(1) > s.maxKeys {
		s.keys.Add(-1)
		return false
	}
	return true
}

// newRecord makes a key's own record, whose place is reserved. The key is
// copied: it may be part of something large.
func (s *Store) newRecord(v visit) *record {
	it := v.item
	r := &record{hash: v.hash, phase: v.phase(), policy: it.Terms.Policy, key: strings.Clone(it.Key), group: strings.Clone(it.Terms.Group)}
	v.shard.insert(r)
	s.armSweep()
	return r
}

// slotFor is the item's slot, made anew if nothing is in it: the windows of its
// counters then start where those of this item do.
func (s *Store) slotFor(v visit) *record {
	if slot := v.slot(); slot != nil {
		return slot
	}
	sh, id := v.shard, v.slotID()
	s.forgetSlot(sh, id)
	if sh.slots == nil {
		sh.slots = make(map[slotID]*record)
	}
	r := &record{phase: v.phase(), policy: id.policy, slot: true}
	sh.slots[id] = r
	s.armSweep()
	return r
}

// forgetSlot drops a slot, if it is there.
func (s *Store) forgetSlot(sh *shard, id slotID) {
	if slot := sh.slots[id]; slot != nil {
		s.bytes.Add(-int64(slot.bytes))
		delete(sh.slots, id)
	}
}

// mayBeSqueezed says whether a take might find no memory to grow into.
func (s *Store) mayBeSqueezed(r *record, it *weir.Item) bool {
	growth := r.state.Growth(&it.Terms.Rule, it.Cost)
	return r.slot || s.bytes.Load()+int64(growth) > s.maxBytes
}

// makeRoom lets a state record cost more: by growing, or else by merging.
func (s *Store) makeRoom(sh *shard, r *record, rule *window.Rule, cost int64) {
	growth := r.state.Growth(rule, cost)
	total := r.state.Bytes() + growth
	small := total <= window.MinBytes
	if small || s.bytes.Load()+int64(growth) <= s.maxBytes && (!r.slot || total <= slotBytes) {
		r.state.Grow(rule, cost)
	} else {
		r.state.Squeeze(rule, cost)
		sh.counts.Squeezed++
	}
	s.account(r)
}

// account counts what a state's entries have grown or shrunk by.
func (s *Store) account(r *record) {
	if bytes := r.state.Bytes(); bytes != r.bytes {
		s.bytes.Add(int64(bytes - r.bytes))
		r.bytes = bytes
	}
}
