package memory

import (
	"strings"

	"github.com/weirlimit/weir"
	"github.com/weirlimit/weir/internal/window"
)

// slotBytes is the most that the entries of an overflow slot may use.
const slotBytes = 256 * 8

// lookUp is the record that speaks for an item: its own, or its overflow slot,
// or nil.
func (sh *shard) lookUp(it *weir.Item, hash uint64, now int64) *record {
	if r := sh.find(it, hash); r != nil {
		return r
	}
	if len(sh.slots) == 0 {
		return nil
	}
	slot := sh.slots[slotOf(it, hash)]
	if slot == nil || slot.state.Expires() <= now {
		return nil
	}
	return slot
}

// place is where a key without a record is to be recorded: in a new one, with
// what its slot knows, or at the ceiling in the slot.
func (s *Store) place(sh *shard, it *weir.Item, hash uint64, now int64) *record {
	s.sweep(sh, sweepForPlace, now)
	slot := sh.lookUp(it, hash, now)
	need := int64(window.MinBytes)
	if slot != nil {
		need = int64(slot.bytes)
	}
	if s.bytes.Load()+need <= s.maxBytes && s.reserveKey() {
		r := s.newRecord(sh, it, hash)
		if slot != nil {
			r.state, r.phase = slot.state.Clone(), slot.phase
			s.account(r)
		}
		return r
	}
	sh.counts.Overflowed++
	if slot == nil {
		slot = s.newSlot(sh, it, hash)
	}
	return slot
}

// countOverflow counts a denial that an overflow slot is behind.
func (sh *shard) countOverflow(it *weir.Item, hash uint64, now int64) {
	if sh.lookUp(it, hash, now) != nil {
		sh.counts.Overflowed++
		sh.counts.OverflowDenied++
	}
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
func (s *Store) newRecord(sh *shard, it *weir.Item, hash uint64) *record {
	r := &record{hash: hash, phase: it.Hash, policy: it.Policy, key: strings.Clone(it.Key), group: strings.Clone(it.Group)}
	sh.insert(r)
	s.armSweep()
	return r
}

// newSlot makes an item's slot, instead of one that has expired. The windows
// of its counters start where those of that item do.
func (s *Store) newSlot(sh *shard, it *weir.Item, hash uint64) *record {
	if sh.slots == nil {
		sh.slots = make(map[slotID]*record)
	}
	id := slotOf(it, hash)
	s.forgetSlot(sh, id)
	r := &record{phase: it.Hash, policy: it.Policy, slot: true}
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
