package memory_test

import (
	"math"
	"testing"
	"time"

	"github.com/weirlimit/weir"
	"github.com/weirlimit/weir/memory"
)

// TestHugeCosts: a shadow policy is told costs of any size, and records only
// what it would have admitted.
func TestHugeCosts(t *testing.T) {
	for _, a := range algorithms {
		l := limiterOf(t, memory.New(memory.Config{}), weir.Config{Name: "policy", Algorithm: a, Shadow: true}, "10/1h")
		for _, c := range []struct{ cost, used int64 }{
			{1, 1}, {math.MaxInt64, 1}, {math.MaxInt64 - 1, 1}, {weir.MaxQuota, 1}, {1 << 32, 1}, {10, 1}, {9, 10}, {math.MaxInt64, 10},
		} {
			d, err := l.Take(t.Context(), "key", c.cost)
			if err != nil || !d.Allowed || d.Remaining() != 10-c.used {
				t.Errorf("%s: cost %d: allowed %t, %d left, %v; want %d", a, c.cost, d.Allowed, d.Remaining(), err, 10-c.used)
			}
		}
	}
}

// TestSettleToTheMost: actual costs of the largest quota, again and again,
// saturate, and nothing hangs.
func TestSettleToTheMost(t *testing.T) {
	for _, a := range algorithms {
		r := newRig(t, memory.Config{MaxBytes: 64})
		l := r.limiter(a, "10/1h")
		for range 50 {
			d, err := l.Take(t.Context(), "key", 1)
			if err != nil {
				t.Fatal(err)
			}
			if err := d.Settle(t.Context(), weir.MaxQuota); err != nil {
				t.Error(err)
			}
			r.clock.advance(7 * time.Minute)
		}
		if d, err := l.Peek(t.Context(), "key", 1); err != nil || d.Allowed {
			t.Errorf("%s: allowed %t, %v, after 2^52 units of 10", a, d.Allowed, err)
		}
	}
}

// TestAncientClock: a clock may start where a time.Time does.
func TestAncientClock(t *testing.T) {
	for _, a := range algorithms {
		for _, start := range []time.Time{{}, time.Unix(0, 0), time.Unix(-1, 0), time.Date(-5000, 1, 1, 0, 0, 0, 0, time.UTC)} {
			var now clock
			now.set(start)
			l := limiterOf(t, memory.New(memory.Config{Clock: now.read}), weir.Config{Name: "policy", Algorithm: a}, "2/10s")
			for i := range 20 {
				for want := int64(1); want >= 0; want-- {
					d, err := l.Take(t.Context(), "key", 1)
					if err != nil || !d.Allowed || d.Remaining() != want || !d.At().Equal(now.read()) {
						t.Errorf("%s from %v, round %d: allowed %t, %d left, at %v, %v", a, start, i, d.Allowed, d.Remaining(), d.At(), err)
					}
				}
				d, err := l.Take(t.Context(), "key", 1)
				if err != nil || d.Allowed || d.RetryAfter <= 0 || d.RetryAfter > 20*time.Second {
					t.Errorf("%s from %v: %t, %v, %v", a, start, d.Allowed, d.RetryAfter, err)
				}
				now.advance(20 * time.Second)
			}
		}
	}
}

// TestPanicUnderLock: a clock that panics leaves no lock behind.
func TestPanicUnderLock(t *testing.T) {
	var now clock
	now.set(time.Unix(1000, 0))
	broken := true
	store := memory.New(memory.Config{Clock: func() time.Time {
		if broken {
			panic("no time")
		}
		return now.read()
	}})
	l := limiterOf(t, store, weir.Config{Name: "policy"}, "2/10s")
	all := []func(){
		func() { _, _ = l.Take(t.Context(), "key", 1) },
		func() { _, _ = weir.TakeAll(t.Context(), l.Charge("key", 1), l.Charge("b", 1)) },
	}
	for _, f := range all {
		func() {
			defer func() {
				if recover() == nil {
					t.Error("no panic")
				}
			}()
			f()
		}()
	}
	broken = false
	if d, err := l.Take(t.Context(), "key", 1); err != nil || !d.Allowed {
		t.Errorf("%t, %v", d.Allowed, err)
	}
}
