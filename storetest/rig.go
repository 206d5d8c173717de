package storetest

import (
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/weirlimit/weir"
)

// origin is the time 0 of the behaviours: a day in UTC begins, so that fixed
// windows do.
var origin = time.Date(2026, time.July, 1, 0, 0, 0, 0, time.UTC)

// Behaviours that no passing time must disturb have a window so long that a
// running clock cannot leave it.
const long = "/100d"

var allAlgorithms = []weir.Algorithm{weir.SlidingLog, weir.SlidingCounter, weir.FixedWindow, weir.TokenBucket}

func (s Subject) supports(a weir.Algorithm) bool {
	return len(s.Algorithms) == 0 || slices.Contains(s.Algorithms, a)
}

// A rig is a fresh subject in the hands of a test. Its verbs end the test on
// an error, and check what holds for every decision.
type rig struct {
	*testing.T
	Subject

	origin   time.Time
	policies int // that were made
	failures int

	clock sync.Mutex
	now   time.Time // what the clock was set to
}

// Errorf reports a failure. A store that fails one line will fail the next
// hundred: the test ends after a few.
func (r *rig) Errorf(format string, args ...any) {
	r.Helper()
	r.T.Errorf(format, args...)
	if r.failures++; r.failures == 10 {
		r.Fatal("too many failures: the rest is not looked at")
	}
}

// at sets the clock to a time after the origin, if it can be set.
func (r *rig) at(d time.Duration) {
	r.clock.Lock()
	defer r.clock.Unlock()
	r.now = r.origin.Add(d)
	if r.SetClock != nil {
		r.SetClock(r.now)
	}
}

// advance is at, but never back.
func (r *rig) advance(d time.Duration) {
	r.clock.Lock()
	defer r.clock.Unlock()
	if now := r.origin.Add(d); r.SetClock != nil && now.After(r.now) {
		r.now = now
		r.SetClock(now)
	}
}

// limiter makes a limiter; limits are as text, separated by commas.
func (r *rig) limiter(a weir.Algorithm, limits string) *weir.Limiter {
	r.Helper()
	return r.limiterOf(weir.Config{Algorithm: a, Limits: parseLimits(r, limits)})
}

// limiterOf makes a limiter with a name and the store filled in.
func (r *rig) limiterOf(c weir.Config) *weir.Limiter {
	r.Helper()
	r.policies++
	if c.Name == "" {
		c.Name = "policy " + strconv.Itoa(r.policies)
	}
	c.Store = r.Store
	l, err := weir.New(c)
	if err != nil {
		r.Fatalf("New: %v", err)
	}
	return l
}

func parseLimits(tb testing.TB, text string) []weir.Limit {
	tb.Helper()
	var limits []weir.Limit
	for part := range strings.SplitSeq(text, ", ") {
		l, err := weir.ParseLimit(part)
		if err != nil {
			tb.Fatalf("limits of the suite: %v", err)
		}
		limits = append(limits, l)
	}
	return limits
}

// take takes a charge.
func (r *rig) take(c weir.Charge) weir.Decision {
	r.Helper()
	d, err := c.Take(r.Context())
	if err != nil {
		r.Fatalf("take: %v", err)
	}
	r.checkDecision(&d)
	return d
}

// allowed takes a charge, which must be allowed.
func (r *rig) allowed(c weir.Charge) weir.Decision {
	r.Helper()
	d := r.take(c)
	if !d.Allowed {
		r.Errorf("denied by %v: %s, want it allowed", d.DeniedBy(), describe(&d))
	}
	return d
}

// denied takes a charge, which must be denied.
func (r *rig) denied(c weir.Charge) weir.Decision {
	r.Helper()
	d := r.take(c)
	if d.Allowed {
		r.Errorf("allowed: %s, want it denied", describe(&d))
	}
	return d
}

// all takes charges as one.
func (r *rig) all(charges ...weir.Charge) []weir.Decision {
	r.Helper()
	decisions, err := weir.TakeAll(r.Context(), charges...)
	switch {
	case err != nil:
		r.Fatalf("take all: %v", err)
	case len(decisions) != len(charges):
		r.Fatalf("take all: %d decisions for %d charges", len(decisions), len(charges))
	}
	for i := range decisions {
		first, d := &decisions[0], &decisions[i]
		r.checkLimits(d)
		if d.Allowed != first.Allowed || d.RetryAfter != first.RetryAfter || d.DeniedBy() != first.DeniedBy() {
			r.Errorf("charge %d: %s, denied by %v, and charge 0: %s, denied by %v: want one outcome",
				i, describe(d), d.DeniedBy(), describe(first), first.DeniedBy())
		}
	}
	return decisions
}

// allAllowed takes charges as one, which must be allowed.
func (r *rig) allAllowed(charges ...weir.Charge) []weir.Decision {
	r.Helper()
	decisions := r.all(charges...)
	if !decisions[0].Allowed {
		r.Errorf("denied by %v, want it allowed", decisions[0].DeniedBy())
	}
	return decisions
}

// allDenied takes charges as one, which must be denied by a limiter.
func (r *rig) allDenied(by *weir.Limiter, charges ...weir.Charge) []weir.Decision {
	r.Helper()
	decisions := r.all(charges...)
	if d := &decisions[0]; d.Allowed || d.DeniedBy().Policy != by.Name() {
		r.Errorf("allowed %t, denied by %v, want it denied by policy %q", d.Allowed, d.DeniedBy(), by.Name())
	}
	return decisions
}

// used checks how many units a charge's key has used, in its first window.
func (r *rig) used(c weir.Charge, want int64) {
	r.Helper()
	d, err := c.Peek(r.Context())
	if err != nil {
		r.Fatalf("peek: %v", err)
	}
	r.checkDecision(&d)
	for status := range d.Limits() {
		if status.Used != want {
			r.Errorf("%d units used, want %d", status.Used, want)
		}
		return
	}
}

// must ends the test on an error of a verb that decides nothing.
func (r *rig) must(err error) {
	r.Helper()
	if err != nil {
		r.Fatal(err)
	}
}
