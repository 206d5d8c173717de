package storetest

import (
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/weirlimit/weir"
)

// takeAll: all charges are recorded, or none; several keys, several policies,
// several windows.
func (s *suite) takeAll(t *testing.T) {
	t.Helper()
	s.each(t, func(r *rig, a weir.Algorithm) {
		r.takeAllOf(a, func(int) string { return "g" })
	})
	if s.can.OneGroup {
		return
	}
	t.Run("across groups", func(t *testing.T) {
		s.each(t, func(r *rig, a weir.Algorithm) {
			r.takeAllOf(a, func(i int) string { return "g" + strconv.Itoa(i) })
		})
	})
}

func (r *rig) takeAllOf(a weir.Algorithm, group func(i int) string) {
	wide, narrow := r.limiter(a, "9/50d, 20"+long), r.limiter(a, "3"+long)
	x := func(cost int64) weir.Charge { return wide.Charge("x", cost).In(group(0)) }
	y := func(cost int64) weir.Charge { return narrow.Charge("y", cost).In(group(1)) }
	z := func(cost int64) weir.Charge { return narrow.Charge("z", cost).In(group(2)) }
	used := func(ofX, ofY, ofZ int64) {
		r.Helper()
		r.used(x(1), ofX)
		r.used(y(1), ofY)
		r.used(z(1), ofZ)
	}

	r.allAllowed(x(1), y(2), z(1))
	used(1, 2, 1)
	r.allDenied(narrow, x(1), y(2), z(1))
	r.allDenied(narrow, y(2), x(1), z(1))
	r.allDenied(narrow, z(1), x(1), y(2))
	used(1, 2, 1)
	r.allAllowed(z(2), y(1), x(7))
	used(8, 3, 3)
	r.allDenied(wide, x(2))
	r.allDenied(narrow, z(1), x(1))
	used(8, 3, 3)
	r.allAllowed(x(1))
	used(9, 3, 3)

	// Each decision tells of its own charge.
	decisions := r.all(z(3), x(2))
	for i, want := range []int64{3, 9} {
		if got := first(&decisions[i]).Used; got != want {
			r.Errorf("decision %d: %d used, want %d", i, got, want)
		}
	}
	if got := decisions[0].DeniedBy().Key; got != "x" && got != "z" {
		r.Errorf("denied by key %q", got)
	}
	if at := decisions[0].At(); !at.Equal(decisions[1].At()) || at.IsZero() {
		r.Errorf("decided at %v and %v, want one time", at, decisions[1].At())
	}

	// As many as there may be.
	many := make([]weir.Charge, weir.MaxCharges)
	for i := range many {
		many[i] = narrow.Charge("many"+strconv.Itoa(i), 1+int64(i%3)).In(group(i))
	}
	r.allAllowed(many...)
	r.allDenied(narrow, many...)
	for i := range many {
		r.used(many[i], 1+int64(i%3))
	}
}

// settleAll: each charge of a TakeAll settles on its own, once.
func (s *suite) settleAll(t *testing.T) {
	t.Helper()
	s.each(t, func(r *rig, a weir.Algorithm) {
		l, other := r.limiter(a, "9"+long), r.limiter(a, "9"+long)
		x, y := l.Charge("x", 5).In("g"), l.Charge("y", 4).In("g")
		z := other.Charge("x", 3).In("g")
		used := func(ofX, ofY, ofZ int64) {
			r.Helper()
			r.used(x, ofX)
			r.used(y, ofY)
			r.used(z, ofZ)
		}
		ds := r.allAllowed(x, y, z)
		used(5, 4, 3)
		r.must(ds[1].Settle(r.Context(), 1))
		used(5, 1, 3)
		r.must(ds[2].Settle(r.Context(), 8))
		used(5, 1, 8)
		r.must(ds[1].Settle(r.Context(), 0))
		r.must(ds[2].Refund(r.Context()))
		used(5, 1, 8)
		r.must(ds[0].Refund(r.Context()))
		used(0, 1, 8)

		denied := r.allDenied(other, x, y, z)
		for i := range denied {
			r.must(denied[i].Settle(r.Context(), 0))
			r.must(denied[i].Settle(r.Context(), 9))
		}
		used(0, 1, 8)
		r.must(ds[0].Settle(r.Context(), 9))
		used(0, 1, 8)

		// Of what a reset forgot nothing is settled.
		ds = r.allAllowed(x, y)
		r.must(x.Reset(r.Context()))
		r.allowed(x)
		r.must(ds[0].Refund(r.Context()))
		r.must(ds[1].Refund(r.Context()))
		used(5, 1, 8)
	})
}

// sharedResource: a resource of 5 in 10 s is shared by consumers of 3 in 10 s.
// A calls every second and B every other one, A before B. What is admitted
// follows from the log: until 10 s the resource is full, and then each leaves
// room for itself, one after the other.
func (s *suite) sharedResource(t *testing.T) {
	t.Helper()
	if !s.can.supports(weir.SlidingLog) {
		return
	}
	r := s.rig(t)
	resource, consumer := r.limiter(weir.SlidingLog, "5/10s"), r.limiter(weir.SlidingLog, "3/10s")
	var admitted []string
	call := func(second int, who string) {
		d := r.all(resource.Charge("calc", 1).In("calc"), consumer.Charge(who, 1).In("calc"))
		if d[0].Allowed {
			admitted = append(admitted, strconv.Itoa(second)+who)
			return
		}
		// The one that leaves first is of the time when the last ten began.
		if wait := time.Duration(10-second%10) * time.Second; d[0].RetryAfter != wait {
			r.Errorf("%d%s: RetryAfter %v, want %v", second, who, d[0].RetryAfter, wait)
		}
	}
	for second := range 31 {
		r.at(time.Duration(second) * time.Second)
		call(second, "A")
		if second%2 == 0 {
			call(second, "B")
		}
	}
	want := []string{
		"0A", "0B", "1A", "2A", "2B", "10A", "10B", "11A", "12A", "12B",
		"20A", "20B", "21A", "22A", "22B", "30A", "30B",
	}
	if !slices.Equal(admitted, want) {
		r.Errorf("admitted %v, want %v", admitted, want)
	}
}
