package memory

import "math/bits"

// A shardSet is some shards, each once.
type shardSet [shards / 64]uint64

func (set *shardSet) add(i int) { set[i/64] |= 1 << (i % 64) }

// each calls f for the shards, lowest first.
func (set *shardSet) each(f func(i int)) {
	for w, word := range set {
		for ; word != 0; word &= word - 1 {
			f(w*64 + bits.TrailingZeros64(word))
		}
	}
}

// lock locks the shards of a set, in an order that all callers share.
func (s *Store) lock(set *shardSet) { set.each(func(i int) { s.shards[i].Lock() }) }

func (s *Store) unlock(set *shardSet) { set.each(func(i int) { s.shards[i].Unlock() }) }
