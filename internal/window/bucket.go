package window

import "slices"

// A bucket is one limit of a token bucket, kept as GCRA does: the time at
// which it will be full again (the theoretical arrival time, TAT). One unit
// puts it off by window/quota, which is no whole microsecond, so times here
// are ticks: microseconds, and a fraction of which quota make one.
type bucket struct {
	quota    int64
	window   int64
	tat      ticks
	returned ticks // by settles and refunds, in all
}

const bucketBytes = 6 * 8

// ticks is a time of whole microseconds and num/quota of one.
type ticks struct{ us, num int64 }

// A Mark is what a token bucket's receipt holds for one limit: its TAT after
// the take, and all that it had returned by then, as a sum.
type Mark struct{ sum ticks }

const (
	// maxAhead is the farthest a TAT may lie ahead: settling up can go beyond
	// the burst, and stops here.
	maxAhead = 2 * MaxWindow
	// maxReturned is where a bucket stops to return what settles give back, 142
	// years of refill, since it could no longer tell how much is whose.
	maxReturned = 1 << 52
)

func (b *bucket) less(x, y ticks) bool {
	return x.us < y.us || x.us == y.us && x.num < y.num
}

func (b *bucket) plus(x, y ticks) ticks {
	sum := ticks{x.us + y.us, x.num + y.num}
	if sum.num >= b.quota {
		sum.us, sum.num = sum.us+1, sum.num-b.quota
	}
	return sum
}

func (b *bucket) minus(x, y ticks) ticks {
	diff := ticks{x.us - y.us, x.num - y.num}
	if diff.num < 0 {
		diff.us, diff.num = diff.us-1, diff.num+b.quota
	}
	return diff
}

func (b *bucket) min(x, y ticks) ticks {
	if b.less(x, y) {
		return x
	}
	return y
}

// span is how long the bucket takes to refill units.
func (b *bucket) span(units int64) ticks {
	us, num := mulDiv(units, b.window, 0, b.quota)
	if us > maxAhead {
		return ticks{us: maxAhead}
	}
	return ticks{us, num}
}

// used is how many units are missing from a full bucket, rounded up.
func (b *bucket) used(now int64) int64 {
	if b.quota == 0 || !b.less(ticks{us: now}, b.tat) {
		return 0
	}
	return min(mulDivCeil(b.tat.us-now, b.quota, b.tat.num, b.window), maxUsage)
}

// until is when no more than target units will be missing.
func (b *bucket) until(target int64) int64 {
	when := b.minus(b.tat, b.span(target))
	if when.num > 0 {
		when.us++
	}
	return when.us
}

// take uses units at now.
func (b *bucket) take(units, now int64) {
	if b.quota == 0 {
		return
	}
	if b.less(b.tat, ticks{us: now}) {
		b.tat = ticks{us: now}
	}
	b.tat = b.min(b.plus(b.tat, b.span(units)), ticks{us: now + maxAhead})
}

// give returns at most span, and never more than most.
func (b *bucket) give(span, most ticks) {
	span = b.min(span, most)
	if b.less(ticks{}, span) && b.returned.us < maxReturned {
		b.tat = b.minus(b.tat, span)
		b.returned = b.plus(b.returned, span)
	}
}

// bucketOf is the bucket of limit i; the state keeps its own. A limit finds its
// bucket by its rate. One whose rate is new is told the units that were missing
// at the last record, not the time, and refills them from then on: the same
// whenever it is asked.
func (s *State) bucketOf(r *Rule, i int) bucket {
	l := &r.Limits[i]
	if i < len(s.buckets) && s.buckets[i].sameRate(l) {
		return s.buckets[i]
	}
	for j := range s.buckets {
		if s.buckets[j].sameRate(l) {
			return s.buckets[j]
		}
	}
	b := bucket{quota: l.Quota, window: l.Window, tat: ticks{us: beginning}}
	if len(s.buckets) > 0 {
		from := &s.buckets[min(i, len(s.buckets)-1)]
		b.take(from.used(s.last), s.last)
	}
	return b
}

func (b *bucket) sameRate(l *Limit) bool { return b.quota == l.Quota && b.window == l.Window }

// setBuckets makes the state keep one bucket a limit. When a rate has changed,
// marks of the old rate mean nothing: the state gets a new generation.
func (s *State) setBuckets(r *Rule, generation uint64) {
	same := len(s.buckets) == len(r.Limits)
	for i := 0; same && i < len(r.Limits); i++ {
		same = s.buckets[i].sameRate(&r.Limits[i])
	}
	if same {
		return
	}
	var fresh []bucket
	if len(s.buckets) == 0 {
		fresh = s.buckets // forgotten: its space may be used again
	}
	for i := range r.Limits {
		fresh = append(slices.Grow(fresh, len(r.Limits)-i), s.bucketOf(r, i))
	}
	s.buckets = fresh
	if s.generation != 0 {
		s.generation = generation
	}
}

// reach makes the state empty when the buckets are full.
func (s *State) reach() {
	s.empty = beginning
	for i := range s.buckets {
		s.empty = max(s.empty, s.buckets[i].until(0))
	}
}

// recordBuckets takes the query's cost from every bucket, and marks where.
func (s *State) recordBuckets(r *Rule, q *Query, now int64, statuses []Status) {
	s.setBuckets(r, q.Generation)
	for i := range s.buckets {
		b := &s.buckets[i]
		b.take(q.Cost, now)
		statuses[i].Mark = Mark{b.plus(b.tat, b.returned)}
	}
	s.reach()
}

// settleBuckets returns of each bucket at most what the take still holds: what
// was returned since its mark may have been its own.
func (s *State) settleBuckets(of Receipt, actual, now int64, statuses []Status) Settled {
	if len(s.buckets) != len(statuses) {
		return Gone
	}
	settled := Done
	for i := range s.buckets {
		b, mark := &s.buckets[i], statuses[i].Mark
		if actual > of.Cost {
			b.take(actual-of.Cost, now)
			continue
		}
		if b.returned.us >= maxReturned {
			settled = Dropped
		}
		held := b.minus(b.minus(mark.sum, b.returned), ticks{us: now})
		b.give(b.span(of.Cost-actual), held)
	}
	s.reach()
	return settled
}

// creditBuckets puts units back into every bucket.
func (s *State) creditBuckets(units, now int64) {
	for i := range s.buckets {
		b := &s.buckets[i]
		b.give(b.span(units), b.minus(b.tat, ticks{us: now}))
	}
	s.reach()
}
