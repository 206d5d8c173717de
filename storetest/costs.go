package storetest

import (
	"context"
	"errors"
	"testing"

	"github.com/weirlimit/weir"
)

// costs: each cost is decided by itself: a large one that does not fit leaves
// its room to the small ones after it.
func (s *suite) costs(t *testing.T) {
	t.Helper()
	s.each(t, func(r *rig, a weir.Algorithm) {
		l := r.limiter(a, "5"+long)
		r.allowed(l.Charge(key, 2))
		r.denied(l.Charge(key, 5))
		r.allowed(l.Charge(key, 1))
		r.allowed(l.Charge(key, 1))
		r.denied(l.Charge(key, 2))
		r.used(l.Charge(key, 1), 4)
		r.allowed(l.Charge(key, 1))
		r.denied(l.Charge(key, 1))
		r.used(l.Charge(key, 1), 5)

		if _, err := l.Take(r.Context(), "other", 6); !errors.Is(err, weir.ErrCostExceedsQuota) {
			r.Errorf("a cost of 6: %v, want ErrCostExceedsQuota", err)
		}
		r.used(l.Charge("other", 1), 0)
		r.allowed(l.Charge("other", 5))
	})
}

// blocked: a quota of 0 denies, for ever, and so does a TakeAll with it.
func (s *suite) blocked(t *testing.T) {
	t.Helper()
	s.each(t, func(r *rig, a weir.Algorithm) {
		block, l := r.limiter(a, "0"+long), r.limiter(a, "5"+long)
		in := func(l *weir.Limiter, cost int64) weir.Charge { return l.Charge(key, cost).In("g") }
		if d := r.denied(in(block, 3)); d.RetryAfter != weir.Never || d.DeniedBy().Limit.Quota != 0 {
			r.Errorf("RetryAfter %v, denied by %v: want Never, and a quota of 0", d.RetryAfter, d.DeniedBy())
		}
		for _, charges := range [][]weir.Charge{{in(block, 9), in(l, 2)}, {in(l, 2), in(block, 9)}} {
			if d := r.allDenied(block, charges...); d[0].RetryAfter != weir.Never {
				r.Errorf("RetryAfter %v, want Never", d[0].RetryAfter)
			}
			r.used(in(l, 1), 0)
		}

		// A quota of 0 in one of several limits.
		several := r.limiter(a, "5/50d, 0"+long)
		if d := r.denied(several.Charge(key, 9)); d.RetryAfter != weir.Never {
			r.Errorf("RetryAfter %v, want Never", d.RetryAfter)
		}
		r.used(several.Charge(key, 1), 0)
	})
}

// nothingRecorded: what is not a take that was allowed leaves no trace.
func (s *suite) nothingRecorded(t *testing.T) {
	t.Helper()
	s.each(t, func(r *rig, a weir.Algorithm) {
		l, other := r.limiter(a, "5/50d, 9"+long), r.limiter(a, "2"+long)
		c, beside := l.Charge(key, 4).In("g"), other.Charge(key, 1).In("g")
		for range 9 { // peeks
			d, err := c.Peek(r.Context())
			r.must(err)
			if !d.Allowed {
				r.Errorf("a peek is denied: %s", describe(&d))
			}
			r.must(d.Settle(r.Context(), 1)) // has nothing to settle
		}
		r.used(c, 0)
		r.allowed(c)
		for range 9 { // denials
			r.denied(c)
			r.allDenied(l, c, beside)
			r.allDenied(l, beside, c)
		}
		r.used(c, 4)
		r.used(beside, 0)

		ended, cancel := context.WithCancel(r.Context())
		cancel()
		one := l.Charge(key, 1).In("g")
		if _, err := one.Take(ended); !errors.Is(err, context.Canceled) {
			r.Errorf("a context that ended: %v", err)
		}
		if _, err := weir.TakeAll(ended, one, beside); !errors.Is(err, context.Canceled) {
			r.Errorf("a context that ended: %v", err)
		}
		for _, charges := range [][]weir.Charge{
			{one, other.Charge(key, 3).In("g")}, {other.Charge(key, 3).In("g"), one},
		} {
			if _, err := weir.TakeAll(r.Context(), charges...); !errors.Is(err, weir.ErrCostExceedsQuota) {
				r.Errorf("a cost above the quota: %v, want ErrCostExceedsQuota", err)
			}
		}
		r.used(one, 4)
		r.used(beside, 0)
		r.allowed(one)
	})
}

// shadow: a shadow policy never changes the outcome, and records only what it
// would have admitted beside others that do.
func (s *suite) shadow(t *testing.T) {
	t.Helper()
	s.each(t, func(r *rig, a weir.Algorithm) {
		var seen lastEvent
		shadow := r.limiterOf(weir.Config{
			Algorithm: a, Limits: parseLimits(r, "2"+long), Shadow: true, Observer: &seen,
		})
		l := r.limiter(a, "5"+long)
		in := func(l *weir.Limiter, key string, cost int64) weir.Charge { return l.Charge(key, cost).In("g") }
		expect := func(denied bool, used int64) {
			r.Helper()
			if seen.Denied != denied || !seen.Shadow {
				r.Errorf("the observer saw denied %t by shadow %t, want denied %t", seen.Denied, seen.Shadow, denied)
			}
			r.used(in(shadow, key, 1), used)
		}

		// Alone.
		r.allowed(in(shadow, key, 1))
		expect(false, 1)
		r.allowed(in(shadow, key, 2)) // would be denied
		expect(true, 1)
		r.allowed(in(shadow, key, 9)) // never fits
		expect(true, 1)
		r.allowed(in(shadow, key, 1))
		expect(false, 2)
		r.allowed(in(shadow, key, 1))
		expect(true, 2)

		// With another that allows.
		r.must(in(shadow, key, 1).Reset(r.Context()))
		r.allAllowed(in(shadow, key, 2), in(l, key, 1))
		expect(false, 2)
		r.allAllowed(in(l, key, 1), in(shadow, key, 1))
		expect(true, 2)
		r.allAllowed(in(shadow, key, 9), in(l, key, 1))
		expect(true, 2)
		r.used(in(l, key, 1), 3)

		// With another that denies, which no shadow policy hears of.
		r.must(in(shadow, key, 1).Reset(r.Context()))
		r.allDenied(l, in(shadow, key, 1), in(l, key, 3))
		expect(false, 0)
		r.allDenied(l, in(l, key, 3), in(shadow, key, 1))
		expect(false, 0)
		r.used(in(l, key, 1), 3)

		// Shadow policies alone.
		r.allAllowed(in(shadow, key, 1), in(shadow, "other", 2))
		r.allAllowed(in(shadow, key, 1), in(shadow, "other", 1))
		r.used(in(shadow, key, 1), 2)
		r.used(in(shadow, "other", 1), 2)
	})
}

// lastEvent is what an observer was told last, but for peeks.
type lastEvent struct{ weir.Event }

// Observe keeps the event.
func (l *lastEvent) Observe(_ context.Context, e weir.Event) {
	if e.Verb != weir.VerbPeek {
		l.Event = e
	}
}

// first is a decision's first status.
func first(d *weir.Decision) (status weir.LimitStatus) {
	for s := range d.Limits() {
		return s
	}
	return status
}
