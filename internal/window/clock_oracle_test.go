package window

// An oracleClock is the clock of a state as the design tells it: time stands
// still for a clock that went back by up to a second or the shortest window;
// beyond that an offset makes the last change as of now.
type oracleClock struct {
	live   bool // something was recorded, and not all of it is old
	offset int64
	last   int64 // the last change
	empty  int64 // when all that was recorded is old
	now    int64 // what is decided by
	real   int64 // what waits count from
}

// tell says whether the state was empty by age: then it is a fresh one.
func (c *oracleClock) tell(r *Rule, reading int64) (fresh bool) {
	at := reading + c.offset
	if !c.live || at >= c.empty {
		*c = oracleClock{now: reading, real: reading}
		return true
	}
	shortest := int64(Never)
	for _, l := range r.Limits {
		shortest = min(shortest, l.Window)
	}
	back := c.last - at
	if back > 1_000_000 || back > shortest {
		c.offset = c.last - reading
		at = c.last
	}
	c.now, c.real = max(at, c.last), at
	return false
}

func (c *oracleClock) changed() { c.live, c.last = true, c.now }

// A span is what a value lies in; one of an exact oracle is a point.
type span struct{ lo, hi int64 }

func point(x int64) span { return span{x, x} }

func (s span) has(x int64) bool { return s.lo <= x && x <= s.hi }

// An outlook is what an oracle says of one limit: what is used, and the waits
// for the cost, for one more unit, and until nothing is used.
type outlook struct{ used, retry, next, reset span }

// A model is a naive oracle: it remembers events and scans them.
type model interface {
	// tell brings the model to a reading.
	tell(r *Rule, reading int64)
	clock() *oracleClock
	// look says how the limits stand for a cost.
	look(r *Rule, cost int64) []outlook
	// record records a take of cost, which was given a receipt.
	record(r *Rule, cost int64, of Receipt)
	// gone says that the take-th of all recorded takes is of a state that was
	// forgotten.
	gone(take int) bool
	// settle settles that take, and returns whether it is still counted.
	settle(r *Rule, take int, actual int64) (there bool)
	// refund credits units.
	refund(r *Rule, units int64)
	// settleable says whether a model can tell what a settle of the take does.
	settleable(take int) bool
	// squeezed tells the model that entries were merged for want of memory.
	squeezed(r *Rule)
	forget()
}

// wait is the time from real until when.
func (c *oracleClock) wait(when int64) int64 {
	if when == Never {
		return Never
	}
	return max(min(when, c.empty)-c.real, 0)
}

// looks fills an outlook in, from what is used and from when no more than a
// target is.
func (c *oracleClock) looks(a Algorithm, l Limit, cost int64, used span, until func(target int64) span) outlook {
	capacity := l.capacity(a)
	waits := func(target int64) span {
		if target < 0 {
			return point(Never)
		}
		s := span{}
		if used.lo > target {
			s.lo = c.wait(until(target).lo)
		}
		if used.hi > target {
			s.hi = c.wait(until(target).hi)
		}
		return s
	}
	return outlook{used: used, retry: waits(capacity - cost), next: waits(capacity - 1), reset: waits(0)}
}
