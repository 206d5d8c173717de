package window

import "slices"

// A counter counts one limit in two neighbouring windows: cur in the one that
// is, prev in the one before, of which the part that a sliding window would
// still reach counts, rounded up. A fixed window is one that counts no prev.
type counter struct {
	window int64
	start  int64 // of the window that cur counts
	cur    int64
	prev   int64
}

const counterBytes = 4 * 8

// counterOf is the counter of limit i as it is now; the state keeps its own.
//
// A limit finds its counter by the length of its window. A window that is new
// takes over what the next longer one has counted, or else the longest: the
// most that is known of it. All of it was there at the last record, so it
// counts from then: the same whenever it is asked, and it fades.
func (s *State) counterOf(r *Rule, i int, hash uint64, now int64) counter {
	window := r.Limits[i].Window
	var from *counter
	if i < len(s.counters) && s.counters[i].window == window {
		from = &s.counters[i]
	} else {
		for j := range s.counters {
			if from == nil || nearer(s.counters[j].window, from.window, window) {
				from = &s.counters[j]
			}
		}
	}
	c := counter{window: window}
	switch {
	case from == nil:
		c.start = windowStart(r, window, hash, now)
	case from.window == window:
		c = *from
	default:
		c.cur = min(from.cur+from.prev, maxUsage)
		c.start = windowStart(r, window, hash, s.last)
	}
	c.roll(r, hash, now)
	return c
}

// nearer says whether window a is a better source than b for a window of want:
// the shortest that is no shorter, else the longest.
func nearer(a, b, want int64) bool {
	if (a >= want) != (b >= want) {
		return a >= want
	}
	return (a < b) == (a >= want)
}

// windowStart is when the window that now lies in starts. Fixed windows start
// at multiples of their length; those of a sliding counter at a phase that
// differs from key to key, so that not all keys roll over at once.
func windowStart(r *Rule, window int64, hash uint64, now int64) int64 {
	phase := int64(0)
	if r.Algorithm == SlidingCounter {
		phase = int64(hash % uint64(window))
	}
	return floorDiv(now+phase, window)*window - phase
}

// roll moves the counter on to the window that now lies in.
func (c *counter) roll(r *Rule, hash uint64, now int64) {
	start := windowStart(r, c.window, hash, now)
	if start > c.start {
		if start == c.start+c.window && r.Algorithm == SlidingCounter {
			c.prev = c.cur
		} else {
			c.prev = 0
		}
		c.start, c.cur = start, 0
	}
}

// used is cur and what of prev a sliding window still reaches.
func (c *counter) used(now int64) int64 {
	return c.cur + mulDivCeil(c.prev, c.start+c.window-now, 0, c.window)
}

// until is when no more than target is used: while prev fades, or else while
// cur does, in the next window.
func (c *counter) until(r *Rule, target int64) int64 {
	end := c.start + c.window
	if c.cur <= target {
		return end - fade(target-c.cur, c.window, c.prev)
	}
	if r.Algorithm == FixedWindow {
		return end
	}
	return end + c.window - fade(target, c.window, c.cur)
}

// fade is for how long before its end a window counts no more than part of
// all that the window before it counted.
func fade(part, window, all int64) int64 {
	left, _ := mulDiv(part, window, 0, all)
	return left
}

// ends is when nothing of the counter is left.
func (c *counter) ends(r *Rule) int64 {
	if r.Algorithm == FixedWindow {
		return c.start + c.window
	}
	return c.start + 2*c.window
}

// recordCounters adds the query's cost to every counter.
func (s *State) recordCounters(r *Rule, q *Query, now int64) {
	s.setCounters(r, q, now)
	for i := range s.counters {
		c := &s.counters[i]
		c.cur += q.Cost
		s.empty = max(s.empty, c.ends(r))
	}
}

// setCounters makes the state keep one counter a limit, as of now. When a
// window has changed, nobody can tell any longer which takes a counter holds:
// the state gets a new generation.
func (s *State) setCounters(r *Rule, q *Query, now int64) {
	for i := range r.Limits {
		if len(s.counters) != len(r.Limits) || s.counters[i].window != r.Limits[i].Window {
			var fresh []counter
			if len(s.counters) == 0 {
				fresh = s.counters // forgotten: its space may be used again
			}
			for j := range r.Limits {
				fresh = append(slices.Grow(fresh, len(r.Limits)-j), s.counterOf(r, j, q.Hash, now))
			}
			s.counters = fresh
			if s.generation != 0 {
				s.generation = q.Generation
			}
			return
		}
	}
	for i := range s.counters {
		s.counters[i].roll(r, q.Hash, now)
	}
}

// settleCounters settles a take in whichever window it was counted.
func (s *State) settleCounters(r *Rule, hash uint64, of Receipt, actual, now int64) Settled {
	settled := Gone
	for i := range s.counters {
		c := &s.counters[i]
		c.roll(r, hash, now)
		var count *int64
		switch start := windowStart(r, c.window, hash, of.At); {
		case start == c.start:
			count = &c.cur
		case start+c.window == c.start && r.Algorithm == SlidingCounter:
			count = &c.prev
		default:
			continue
		}
		settled = Done
		*count = settledCount(*count, of.Cost, actual)
	}
	return settled
}

// settledCount is a count in which a take's cost has become the actual one.
func settledCount(count, cost, actual int64) int64 {
	changed := max(count+actual-cost, 0)
	if actual > cost {
		changed = max(changed, actual)
	}
	return min(changed, maxUsage)
}

// creditCounters takes units away, from the older window first.
func (s *State) creditCounters(r *Rule, hash uint64, units, now int64) {
	for i := range s.counters {
		c := &s.counters[i]
		c.roll(r, hash, now)
		old := min(units, c.prev)
		c.prev -= old
		c.cur -= min(units-old, c.cur)
	}
}
