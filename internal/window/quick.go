package window

import "math"

// quickDrops is how many aged entries quick passes over before it leaves them
// to a binary search.
const quickDrops = 8

// quick is Decide for what nearly every take is: one that the only limit of a
// narrow log allows, on a clock that went on. It comes to the same as general
// in one pass and without a call, or changes nothing and says that the take is
// of another kind.
func (s *State) quick(r *Rule, q *Query, v *Verdict, statuses []Status) bool { //nolint:gocognit // One pass without a call is what it is for.
	l := &s.log
	g := &l.entries
	now := q.Now + s.offset
	if r.Algorithm != SlidingLog || len(r.Limits) != 1 || !q.Record ||
		s.generation == 0 || now < s.last || now >= s.empty ||
		g.wide || g.unit != r.Step || l.horizon != r.Longest {
		return false
	}

	// The entries that still count start at head; base is what was before.
	head, n, base := int(g.head), int(g.n), g.base
	var oldest int64
	for drops := 0; ; drops++ {
		if n == 0 || drops > quickDrops {
			return false
		}
		units, total := g.narrow(g.words[head])
		if oldest = units * g.unit; oldest > now-l.horizon {
			break
		}
		base = total
		n--
		if head++; head == len(g.words) {
			head = 0
		}
	}
	used, quota := g.sum-base, r.Limits[0].Quota
	if q.Cost > quota-used || q.Cost > math.MaxUint32-g.sum {
		return false
	}
	used += q.Cost

	// The take joins the newest entry, or makes one after it.
	tail := head + n - 1
	if tail >= len(g.words) {
		tail -= len(g.words)
	}
	slot := now
	if g.unit != 1 {
		slot = -floorDiv(-now, g.unit)
	}
	if slot > g.top {
		if n == len(g.words) {
			return false
		}
		n++
		if tail++; tail == len(g.words) {
			tail = 0
		}
		g.top = slot
	} else if newest, _ := g.narrow(g.words[tail]); newest != g.top {
		return false
	}
	g.head, g.n, g.base, g.sum = uint32(head), uint32(n), base, g.sum+q.Cost
	g.words[tail] = uint64(uint32(g.top))<<32 | uint64(uint32(g.sum))

	at := g.top * g.unit
	s.last, s.empty = now, max(s.empty, at+l.horizon)
	v.Allowed, v.Full, v.DeniedBy, v.Retry, v.At = true, false, -1, 0, now
	v.Receipt.Generation, v.Receipt.At, v.Receipt.Cost = s.generation, at, q.Cost
	st := &statuses[0]
	st.Used, st.Remaining, st.Retry, st.Next, st.Reset = used, quota-used, 0, 0, at+l.horizon-now
	if used == quota {
		st.Next = oldest + l.horizon - now
	}
	return true
}
