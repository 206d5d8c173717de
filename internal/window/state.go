package window

// A State is what is kept of one key under one policy. The zero value is a
// key that was never seen, and so is, for every purpose, a state at or after
// [State.Expires].
type State struct {
	// generation tells this state from one that a reset forgot. Receipts carry it.
	generation uint64
	// offset is what the state's own time is ahead of the store's clock,
	// since the clock went back by more than a moment.
	offset int64
	// last is the unrounded time of the last take, settle or refund.
	last int64
	// empty is the time from which nothing that was recorded counts.
	empty int64

	log      log
	counters []counter // one a limit, for SlidingCounter and FixedWindow
	buckets  []bucket  // one a limit
}

// A moment is one reading of the clock, in a state's own time.
type moment struct {
	now  int64 // never before the last change: what is decided by
	real int64 // where the clock really is: what waits count from
	aged int   // how many entries of a log no longer count for anyone
}

// tell brings the state to a reading of the clock, which is all that a peek or
// a denial leaves in it: nothing is forgotten before time can no longer go back
// to when it counted.
//
// A clock that went back a little stands still for the state, until it has
// caught up; one that went back by more is followed from then on, with the last
// record as of now. So a clock that goes back never admits more, and blocks for
// at most one window. One that jumps forward forgets that much usage.
func (s *State) tell(r *Rule, reading int64) moment {
	clock := reading + s.offset
	switch {
	case s.generation == 0 || clock >= s.empty:
		s.forget()
		return moment{now: reading, real: reading}
	case clock >= s.last:
		return moment{now: clock, real: clock}
	case s.last-clock <= min(maxStep, r.Shortest):
		return moment{now: s.last, real: clock}
	default:
		s.offset += s.last - clock
		return moment{now: s.last, real: s.last}
	}
}

// forget makes the state as new, but for the space that it may use again.
func (s *State) forget() {
	*s = State{
		log:      log{entries: ring{words: s.log.entries.words}},
		counters: s.counters[:0],
		buckets:  s.buckets[:0],
	}
}

// Expires is when the store's clock will read that nothing here counts any
// longer: the state may be dropped then, and nobody can tell.
func (s *State) Expires() int64 {
	if s.generation == 0 {
		return beginning
	}
	return s.empty - s.offset
}

// Clone is a copy that shares nothing with s.
func (s *State) Clone() State {
	c := *s
	c.log.entries.words = append([]uint64(nil), s.log.entries.words...)
	c.counters = append([]counter(nil), s.counters...)
	c.buckets = append([]bucket(nil), s.buckets...)
	return c
}

// Decide says whether the rule's limits allow the query's cost, and records it
// if all of them do and the query wants that. It fills one Status a limit in
// statuses, which must be as long as r.Limits. Nothing of a denial stays in
// the state but what it learnt of the clock.
func (s *State) Decide(r *Rule, q *Query, v *Verdict, statuses []Status) {
	if !s.quick(r, q, v, statuses) {
		s.general(r, q, v, statuses)
	}
}

// general is Decide for every algorithm and every case.
func (s *State) general(r *Rule, q *Query, v *Verdict, statuses []Status) {
	t := s.tell(r, q.Now)
	s.look(r, &t)
	*v = Verdict{Allowed: true, DeniedBy: -1, At: t.now}
	for i := range r.Limits {
		used := s.used(r, i, q.Hash, t)
		statuses[i] = Status{Used: used}
		if target := r.Limits[i].capacity(r.Algorithm) - q.Cost; used > target {
			wait := s.until(r, i, q.Hash, t, target)
			statuses[i].Retry = wait
			if v.Allowed || wait > v.Retry {
				v.Allowed, v.DeniedBy, v.Retry = false, int8(i), wait
			}
		}
	}
	if v.Allowed && q.Record {
		if s.record(r, q, t, statuses, v); v.Full {
			return
		}
	}
	for i := range r.Limits {
		capacity, st := r.Limits[i].capacity(r.Algorithm), &statuses[i]
		st.Remaining = max(0, capacity-st.Used)
		if st.Used > 0 {
			st.Reset = s.until(r, i, q.Hash, t, 0)
		}
		if st.Used >= capacity {
			st.Next = s.until(r, i, q.Hash, t, capacity-1)
		}
	}
}

// used is what limit i counts now.
func (s *State) used(r *Rule, i int, hash uint64, t moment) int64 {
	switch r.Algorithm {
	case SlidingLog:
		return s.log.used(r.Limits[i].Window, t)
	case TokenBucket:
		b := s.bucketOf(r, i)
		return b.used(t.now)
	default:
		c := s.counterOf(r, i, hash, t.now)
		return c.used(t.now)
	}
}

// until is how long it takes, from the real time of t, until limit i counts no
// more than target, which is less than it counts now. A limit that is new to
// the state would count for longer than the state is kept; it ends with it.
func (s *State) until(r *Rule, i int, hash uint64, t moment, target int64) int64 {
	if target < 0 {
		return Never
	}
	var when int64
	switch r.Algorithm {
	case SlidingLog:
		when = s.log.until(r.Limits[i].Window, target)
	case TokenBucket:
		b := s.bucketOf(r, i)
		when = b.until(target)
	default:
		c := s.counterOf(r, i, hash, t.now)
		when = c.until(r, target)
	}
	return max(min(when, s.empty)-t.real, 0)
}

// record puts q.Cost on record as of t, and says so in the statuses and in v.
func (s *State) record(r *Rule, q *Query, t moment, statuses []Status, v *Verdict) {
	at := t.now
	if s.generation == 0 {
		s.empty = beginning
	}
	switch r.Algorithm {
	case SlidingLog:
		s.last = t.now // since what is trimmed now is forgotten, room or not
		s.log.trim(r, t)
		if at, v.Full = s.log.record(r, t.now, q.Cost); v.Full {
			return
		}
		s.empty = max(s.empty, at+s.log.horizon)
	case TokenBucket:
		s.recordBuckets(r, q, t.now, statuses)
	default:
		s.recordCounters(r, q, t.now)
	}
	if s.generation == 0 {
		s.generation = q.Generation
	}
	s.last = t.now
	for i := range statuses {
		statuses[i].Used += q.Cost
	}
	v.Receipt = Receipt{Generation: s.generation, At: at, Cost: q.Cost}
}

// look finds what of a log no longer counts.
func (s *State) look(r *Rule, t *moment) {
	if r.Algorithm != SlidingLog {
		return
	}
	if s.log.widen(r) && s.generation != 0 {
		s.empty = max(s.empty, s.log.newest()+s.log.horizon)
	}
	t.aged = s.log.entries.firstAfter(t.now - s.log.horizon)
}

// Settle replaces the cost of the take that the receipt is of by the actual
// one, once; statuses are those of that take's verdict. A take of another
// generation, or older than every window, is gone. Down never takes from
// another take; up puts back what was credited away meanwhile.
func (s *State) Settle(r *Rule, q *Query, of Receipt, statuses []Status) Settled {
	t := s.tell(r, q.Now)
	if of.Generation == 0 || of.Generation != s.generation {
		return Gone
	}
	actual := min(max(q.Cost, 0), MaxQuota)
	if actual == of.Cost {
		return Done
	}
	s.last = t.now
	switch r.Algorithm {
	case SlidingLog:
		s.look(r, &t)
		s.log.trim(r, t)
		settled := s.log.settle(r, of, actual, t.now)
		s.empty = max(s.empty, s.log.newest()+s.log.horizon)
		return settled
	case TokenBucket:
		return s.settleBuckets(of, actual, t.now, statuses)
	default:
		return s.settleCounters(r, q.Hash, of, actual, t.now)
	}
}

// Refund credits q.Cost units without a receipt: the oldest usage within the
// rule's longest window goes first, so that what it refunds, while still in
// the window, is never replaced by something that would have stayed longer.
func (s *State) Refund(r *Rule, q *Query) {
	t := s.tell(r, q.Now)
	if s.generation == 0 {
		return
	}
	s.last = t.now
	switch r.Algorithm {
	case SlidingLog:
		s.look(r, &t)
		s.log.trim(r, t)
		s.log.credit(q.Cost, t.now-r.Longest)
	case TokenBucket:
		s.creditBuckets(q.Cost, t.now)
	default:
		s.creditCounters(r, q.Hash, q.Cost, t.now)
	}
}
