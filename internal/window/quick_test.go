package window

import (
	"math"
	"testing"
)

// What quick decides, and what it must leave to general: each row changes one
// thing about a log of 5 units, taken at 10 s, under 10 in 10 s.
func TestQuick(t *testing.T) {
	const second = 1_000_000
	var s State
	ten := NewRule(SlidingLog, []Limit{{Quota: 10, Window: 10 * second}}, 0)
	statuses := make([]Status, 2)
	for range 5 {
		if v := s.decide(&ten, Query{Now: 10 * second, Cost: 1, Generation: 1, Record: true}, statuses[:1]); v.Full {
			s.Grow(&ten, 1)
			s.decide(&ten, Query{Now: 10 * second, Cost: 1, Generation: 1, Record: true}, statuses[:1])
		}
	}
	rule := func(quota, window, precision int64) Rule {
		return NewRule(SlidingLog, []Limit{{Quota: quota, Window: window}}, precision)
	}
	for name, row := range map[string]struct {
		rule  Rule
		now   int64
		cost  int64
		peek  bool
		quick bool
		used  int64 // as general says
	}{
		"the same again":         {ten, 10 * second, 1, false, true, 6},
		"later":                  {ten, 19 * second, 5, false, true, 10},
		"just before the edge":   {ten, 20*second - 1, 5, false, true, 10},
		"at the edge":            {ten, 20 * second, 10, false, false, 10},
		"a denial":               {ten, 19 * second, 6, false, false, 5},
		"a peek":                 {ten, 19 * second, 1, true, false, 5},
		"a clock that went back": {ten, 10*second - 1, 1, false, false, 6},
		"a narrower window":      {rule(10, second, 0), 12 * second, 1, false, false, 1},
		"a wider window":         {rule(10, 20*second, 0), 12 * second, 1, false, false, 6},
		"a coarser step":         {rule(10, 10*second, second), 12 * second, 1, false, false, 6},
		"another quota":          {rule(7, 10*second, 0), 12 * second, 2, false, true, 7},
		"a total beyond 32 bits": {rule(MaxQuota, 10*second, 0), 12 * second, 1 << 32, false, false, 5 + 1<<32},
		"a total just within":    {rule(MaxQuota, 10*second, 0), 12 * second, 1<<32 - 6, false, true, 1<<32 - 1},
		"a cost of any size":     {ten, 12 * second, math.MaxInt64, false, false, 5},
		"another algorithm":      {NewRule(FixedWindow, ten.Limits, 0), 12 * second, 1, false, false, 1},
		"two limits":             {NewRule(SlidingLog, []Limit{{Quota: 10, Window: 10 * second}, {Quota: 9, Window: second}}, 0), 12 * second, 1, false, false, 6},
	} {
		q := Query{Now: row.now, Cost: row.cost, Generation: 2, Record: !row.peek}
		fast, slow := s.Clone(), s.Clone()
		var v Verdict
		got := fast.quick(&row.rule, &q, &v, statuses)
		if got != row.quick {
			t.Errorf("%s: quick is %t, want %t", name, got, row.quick)
		}
		if slow.general(&row.rule, &q, &v, statuses); v.Full {
			slow.Grow(&row.rule, row.cost)
			slow.general(&row.rule, &q, &v, statuses)
		}
		if statuses[0].Used != row.used {
			t.Errorf("%s: used %d, want %d", name, statuses[0].Used, row.used)
		}
		if got && !fast.same(&slow) || !got && !fast.same(&s) {
			t.Errorf("%s: quick leaves %s of %s, and general %s", name, fast.sketch(), s.sketch(), slow.sketch())
		}
	}
}

// A take in the step of one that was refunded has no entry to join.
func TestQuickBesideARefund(t *testing.T) {
	const second = 1_000_000
	var s State
	rule := NewRule(SlidingLog, []Limit{{Quota: 10, Window: 10 * second}}, 0)
	statuses := make([]Status, 1)
	take := func(at int64) Verdict {
		q := Query{Now: at, Cost: 1, Generation: 1, Record: true}
		if v := s.decide(&rule, q, statuses); !v.Full {
			return v
		}
		s.Grow(&rule, 1)
		return s.decide(&rule, q, statuses)
	}
	take(10 * second)
	refunded := take(11 * second)
	s.settle(&rule, Query{Now: 11 * second}, refunded.Receipt, statuses)
	take(11 * second)
	for _, c := range []struct{ at, used int64 }{{20*second - 1, 2}, {20 * second, 1}, {21 * second, 0}} {
		if s.decide(&rule, Query{Now: c.at, Cost: 1}, statuses); statuses[0].Used != c.used {
			t.Errorf("at %d: used %d, want %d", c.at, statuses[0].Used, c.used)
		}
	}
}
