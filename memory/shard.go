package memory

import (
	"hash/maphash"
	"sync"

	"github.com/weirlimit/weir"
	"github.com/weirlimit/weir/internal/window"
)

const (
	shards        = 256
	slotsPerShard = 16 // of each policy
	minTable      = 8
)

// A record is a key's state. Those of one bucket of a shard's table are linked.
type record struct {
	next   *record
	hash   uint64
	policy *weir.Policy
	key    string
	group  string
	state  window.State
	phase  uint64 // where a counter's windows start: a key's own, or its slot's
	bytes  int    // of the state's entries, as the store counts them
	hold   int64  // keep the record until then, even if it is empty
	slot   bool   // an overflow slot: it has no key
}

// A slotID names an overflow slot of a shard.
type slotID struct {
	policy *weir.Policy
	number uint64
}

// A shard is the part of a store that one lock guards: a hash table of
// records, and the overflow slots of the keys that hash to it.
type shard struct {
	sync.Mutex
	table      []*record // a power of two long, or nil
	n          int       // records in it
	sweepAt    int       // the bucket where the next sweep goes on
	slots      map[slotID]*record
	generation uint64 // of the next state
	counts     Stats  // the counts that are a shard's

	_ [32]byte // keeps neighbouring locks in cache lines of their own
}

// hash is of all that names an item's state.
func (s *Store) hash(it *weir.Item) uint64 {
	h := maphash.String(s.seed, it.Key) ^ it.Terms.Policy.Hash
	if group := it.Terms.Group; group != "" {
		h ^= maphash.String(s.seed, group) * 0x9e3779b97f4a7c15
	}
	return h
}

// shardOf is where the item of a hash is: the hash's top byte.
func shardOf(hash uint64) int { return int(hash >> 56) }

// find is the record of the item's own, or nil.
func (v visit) find() *record {
	sh, it := v.shard, v.item
	if sh.table == nil {
		return nil
	}
	for r := sh.table[v.hash&uint64(len(sh.table)-1)]; r != nil; r = r.next {
		if r.hash == v.hash && r.policy == it.Terms.Policy && r.key == it.Key && r.group == it.Terms.Group {
			return r
		}
	}
	return nil
}

// slotID is the overflow slot that the item would share.
func (v visit) slotID() slotID {
	return slotID{v.item.Terms.Policy, v.hash >> 52 % slotsPerShard}
}

// insert adds a record that is not there.
func (sh *shard) insert(r *record) {
	if sh.n >= len(sh.table) {
		sh.resize(max(minTable, 2*len(sh.table)))
	}
	bucket := &sh.table[r.hash&uint64(len(sh.table)-1)]
	r.next, *bucket = *bucket, r
	sh.n++
}

// resize moves the records to a table of another length.
func (sh *shard) resize(length int) {
	old := sh.table
	sh.table, sh.sweepAt = make([]*record, length), 0
	for _, r := range old {
		for r != nil {
			next := r.next
			bucket := &sh.table[r.hash&uint64(length-1)]
			r.next, *bucket = *bucket, r
			r = next
		}
	}
}
