package window

import (
	"fmt"
	"slices"
	"strings"
)

// The calls of a State with a query and a verdict by value, as tests like them.

func (s *State) decide(r *Rule, q Query, statuses []Status) (v Verdict) {
	s.compare(r, q)
	s.Decide(r, &q, &v, statuses)
	return v
}

func (s *State) settle(r *Rule, q Query, of Receipt, statuses []Status) Settled {
	return s.Settle(r, &q, of, statuses)
}

func (s *State) refund(r *Rule, q Query) { s.Refund(r, &q) }

// compare panics unless quick, where it decides, says and leaves what general
// does; every test and every fuzzed program goes through it, with logs that are
// short enough to be copied each time.
func (s *State) compare(r *Rule, q Query) {
	if s.log.entries.n > 50 {
		return
	}
	var quickly, generally Verdict
	a := s.Clone()
	as, bs := make([]Status, len(r.Limits)), make([]Status, len(r.Limits))
	if !a.quick(r, &q, &quickly, as) {
		if !a.same(s) {
			panic(fmt.Sprintf("quick declined and changed %s to %s", s.sketch(), a.sketch()))
		}
		return
	}
	b := s.Clone()
	b.general(r, &q, &generally, bs)
	if quickly != generally || !slices.Equal(as, bs) || !a.same(&b) {
		panic(fmt.Sprintf("quick: %+v %+v %s\ngeneral: %+v %+v %s", quickly, as, a.sketch(), generally, bs, b.sketch()))
	}
}

// same says whether two states mean the same, but for counters and buckets.
func (s *State) same(o *State) bool {
	x, y := &s.log.entries, &o.log.entries
	same := s.generation == o.generation && s.offset == o.offset && s.last == o.last && s.empty == o.empty &&
		s.log.horizon == o.log.horizon && x.n == y.n && x.wide == y.wide && x.unit == y.unit && x.top == y.top &&
		x.base == y.base && x.sum == y.sum
	for i := 0; same && i < int(x.n); i++ {
		xUnits, xTotal := x.at(i)
		yUnits, yTotal := y.at(i)
		same = xUnits == yUnits && xTotal == yTotal
	}
	return same
}

// sketch is what same compares.
func (s *State) sketch() string {
	g := &s.log.entries
	var text strings.Builder
	fmt.Fprint(&text, s.generation, s.offset, s.last, s.empty, s.log.horizon, g.n, g.wide, g.unit, g.top, g.base, g.sum)
	for i := range int(g.n) {
		units, total := g.at(i)
		fmt.Fprint(&text, " ", units, ":", total)
	}
	return text.String()
}
