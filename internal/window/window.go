// Package window is the arithmetic of every limiting algorithm: from a key's
// state, a reading of the store's clock, a policy's limits and a cost it makes
// a verdict, and the state after it.
//
// It is the only Go statement of each algorithm, and pure: integers only, no
// clock of its own, no locks, nothing imported but arithmetic. Times and
// durations are microseconds. A [State] belongs to one key of one policy; who
// owns it must see that one call runs at a time.
//
// The four algorithms differ only in how a limit counts what it has seen:
// they answer "how much is used now" and "when will no more than this be
// used", and everything else, from the verdict to the retry times, is said
// once, in [State.Decide].
package window

import "math"

// Never is the time of what will not happen.
const Never = math.MaxInt64

// The ranges that a [Rule] may have; whoever makes one checks them.
const (
	MaxQuota  = 1 << 52                        // units
	MinWindow = 1_000                          // a millisecond
	MaxWindow = 366 * 24 * 60 * 60 * 1_000_000 // 366 days
	MaxLimits = 16                             // in one rule
)

// maxUsage is where counts saturate: what Lua's numbers count exactly.
const maxUsage = 1<<53 - 1

// beginning is before all that a clock reads, also one before 1970.
const beginning = math.MinInt64 / 4

// maxStep is the most that time may stand still for a clock that went back,
// before the state follows the clock.
const maxStep = 1_000_000

// An Algorithm says how a limit counts.
type Algorithm uint8

// The algorithms.
const (
	SlidingLog Algorithm = iota
	SlidingCounter
	FixedWindow
	TokenBucket
)

// A Limit is at most Quota units in any Window, or for a [TokenBucket] at
// most Burst units at once, refilled at Quota units a Window.
type Limit struct {
	Quota  int64
	Window int64
	Burst  int64 // TokenBucket only
}

// capacity is the most that may be used at once.
func (l *Limit) capacity(a Algorithm) int64 {
	if a == TokenBucket {
		return l.Burst
	}
	return l.Quota
}

// A Rule is a policy's limits, ready for the arithmetic. Make it with [NewRule].
type Rule struct {
	Algorithm Algorithm
	Limits    []Limit
	Step      int64 // SlidingLog only: times are rounded up to a multiple of it
	Longest   int64 // window
	Shortest  int64 // window
	AtOnce    int64 // units that all limits together admit at most; 0 blocks
	mostQuota int64 // of the longest window: no more entries than that are live
}

// NewRule makes the rule of limits, of which there must be at least one. A
// precision of 0 is the finest step there is for the longest window. The rule
// keeps limits; the caller must not change them afterwards.
func NewRule(a Algorithm, limits []Limit, precision int64) Rule {
	r := Rule{Algorithm: a, Limits: limits, Step: precision, Shortest: math.MaxInt64, AtOnce: math.MaxInt64}
	for i := range limits {
		r.Shortest = min(r.Shortest, limits[i].Window)
		r.AtOnce = min(r.AtOnce, limits[i].capacity(a))
		if limits[i].Window > r.Longest {
			r.Longest, r.mostQuota = limits[i].Window, limits[i].Quota
		}
	}
	if precision == 0 {
		r.Step = FinestStep(r.Longest)
	}
	return r
}

// MaxSteps is how many steps of its clock a log's longest window may have, so
// that a time fits in 32 bits.
const MaxSteps = 1 << 31

// FinestStep is the least step of 1, 2 or 5 times a power of ten microseconds
// of which window has at most 2^31: whole milliseconds and seconds stay exact.
func FinestStep(window int64) int64 {
	for ten := int64(1); ; ten *= 10 {
		for _, digit := range [...]int64{1, 2, 5} {
			if step := ten * digit; window <= step*MaxSteps {
				return step
			}
		}
	}
}

// A Query is one question to a state.
type Query struct {
	Now        int64  // what the store's clock reads
	Cost       int64  // units, at least 1
	Hash       uint64 // of the key, the same in every process: where a counter's windows start
	Generation uint64 // what to call a state that starts with this query, or changes its rates; not 0
	Record     bool   // record the cost if it is allowed
}

// A Status is what one limit says after a decision. Times count from the
// reading that the query brought.
type Status struct {
	Used      int64 // units, the recorded cost included
	Remaining int64 // units, never negative
	Retry     int64 // until this limit would admit the same cost; 0 if it does, or Never
	Next      int64 // until one more unit fits; 0 if it does, or Never
	Reset     int64 // until nothing is used
	Mark      Mark
}

// A Verdict is the answer to a query.
type Verdict struct {
	Allowed bool
	// Full says that the verdict would be to record, and that the log has no
	// room: nothing was recorded. Make room (Grow, or Squeeze) and ask again.
	Full     bool
	DeniedBy int8  // index of the limit that denies longest, or -1
	Retry    int64 // until the same cost would be admitted; 0 or Never
	At       int64 // the time of the decision, in the state's own time
	Receipt  Receipt
}

// A Receipt finds a recorded take again. The zero value finds nothing.
type Receipt struct {
	Generation uint64
	At         int64 // as the state recorded it
	Cost       int64
}

// A Settled says what became of a settle.
type Settled uint8

// What becomes of a settle.
const (
	Gone    Settled = iota // the take is no longer there: nothing to do
	Done                   // the cost is the actual one now
	Dropped                // it has no entry of its own, or too many lie after it: what it would return stays used
	NoRoom                 // nothing was done: make room (Grow, or Squeeze) and settle again
)

// Hash is FNV-1a with a final mix: unseeded, so that every process and every
// language places a key's windows alike.
func Hash(s string) uint64 {
	h := uint64(14695981039346656037)
	for i := range len(s) {
		h = (h ^ uint64(s[i])) * 1099511628211
	}
	h ^= h >> 32
	h *= 0xd6e8feb86659fd93
	return h ^ h>>32
}
