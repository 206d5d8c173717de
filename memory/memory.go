// Package memory is the embedded store: usage kept in the memory of one
// process, for a program or a service that runs once, and for tests.
//
// # Bounds
//
// A store holds at most Config.MaxKeys keys and about Config.MaxBytes of
// recorded takes, and lets go of a key soon after the last of its usage has
// left its windows: as other keys come, and within some ten seconds also when
// traffic has stopped.
//
// At the ceiling nothing is forgotten and nobody is locked out. Keys that find
// no room share overflow slots, 4096 for each policy, by a seeded hash: the
// keys of one slot count together, so no more than a quota passes for all of
// them, and some are denied that need not be. A refund without a decision does
// nothing there, since nobody can tell whose usage it would free. Two keys of
// one TakeAll never share: one of them gets a state of its own, as does a key
// in a slot that is reset, even if that is one more than MaxKeys. A key moves to a state of its
// own, with a copy of its slot's usage, as soon as there is room. A key whose
// takes find no room merges them in pairs, the later time winning: it may be
// denied longer than it must, and never admits more; settling a merged take
// down frees nothing, and is counted in Stats.
//
// # Time
//
// The store reads the monotonic clock once a decision, under the lock of what
// it decides, so that steps of the machine's clock do not reach it, and no two
// decisions of a key are recorded out of order.
package memory

import (
	"cmp"
	"fmt"
	"hash/maphash"
	"sync"
	"sync/atomic"
	"time"

	"github.com/weirlimit/weir"
)

// A Config is the bounds of a store. The zero value is ready to use.
type Config struct {
	// MaxKeys is how many keys have a state of their own. The zero value is
	// 1,000,000. A key under one limit costs some 300 bytes, its own and its
	// group's included if they are short, until the last take has left its
	// window.
	MaxKeys int
	// MaxBytes is how much memory recorded takes may use: about 8 bytes each
	// with the sliding log. The zero value is 256 MiB. Each key may always use
	// 32 bytes, and with the other algorithms what its limits need: 32 bytes
	// each, or 48 in a token bucket.
	MaxBytes int64
	// Clock is read instead of the monotonic clock, if it is set: for tests and
	// simulations. It is called while parts of the store are locked, also by a
	// sweep in the background: it must be safe for concurrent use, and must not
	// call the store.
	Clock func() time.Time
}

// The zero values of a Config.
const (
	defaultMaxKeys  = 1_000_000
	defaultMaxBytes = 256 << 20
)

// A Store is a weir.Store in memory. It is safe for concurrent use, and has
// nothing to close. Make it with [New].
type Store struct {
	maxKeys  int64
	maxBytes int64
	clock    func() time.Time
	start    time.Time
	epoch    int64 // start in microseconds
	seed     maphash.Seed

	keys  atomic.Int64 // states of their own
	bytes atomic.Int64 // of all states' entries

	sweeping atomic.Bool // the timer is armed
	sweepAt  int         // the shard where the timer goes on

	register sync.Mutex
	policies map[string]*weir.Policy

	shards [shards]shard
}

// New makes a store. It panics if a bound is negative.
func New(c Config) *Store {
	if c.MaxKeys < 0 || c.MaxBytes < 0 {
		panic(fmt.Sprintf("memory: MaxKeys %d and MaxBytes %d must not be negative", c.MaxKeys, c.MaxBytes))
	}
	now := time.Now()
	s := &Store{
		maxKeys:  int64(cmp.Or(c.MaxKeys, defaultMaxKeys)),
		maxBytes: cmp.Or(c.MaxBytes, defaultMaxBytes),
		clock:    c.Clock,
		start:    now,
		epoch:    now.UnixMicro(),
		seed:     maphash.MakeSeed(),
		policies: make(map[string]*weir.Policy),
	}
	for i := range s.shards {
		s.shards[i].generation = uint64(i)<<48 + 1
	}
	return s
}

// now is the one reading of the clock that a decision has, in microseconds.
func (s *Store) now() int64 {
	if s.clock != nil {
		return s.clock().UnixMicro()
	}
	return s.epoch + time.Since(s.start).Microseconds()
}

// Register makes a policy known. It is weir.ErrNameTaken if another has its
// name.
func (s *Store) Register(p *weir.Policy) error {
	s.register.Lock()
	defer s.register.Unlock()
	if s.policies[p.Name] != nil {
		return weir.ErrNameTaken
	}
	s.policies[p.Name] = p
	return nil
}

// Stats is what a store holds now, and what its ceilings have done so far.
type Stats struct {
	Keys           int    // keys with a state of their own
	Slots          int    // overflow slots in use
	EntryBytes     int64  // memory of recorded takes
	Overflowed     uint64 // takes decided in an overflow slot
	OverflowDenied uint64 // of these, how many were denied: some of them needlessly
	Squeezed       uint64 // times that takes were merged for want of memory
	SettlesDropped uint64 // settles that could not give back what was not used
}

// Stats counts the store. It locks one part after the other, never all.
func (s *Store) Stats() Stats {
	total := Stats{Keys: int(s.keys.Load()), EntryBytes: s.bytes.Load()}
	for i := range s.shards {
		sh := &s.shards[i]
		sh.Lock()
		total.Slots += len(sh.slots)
		total.Overflowed += sh.counts.Overflowed
		total.OverflowDenied += sh.counts.OverflowDenied
		total.Squeezed += sh.counts.Squeezed
		total.SettlesDropped += sh.counts.SettlesDropped
		sh.Unlock()
	}
	return total
}
