package memory_test

import (
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/weirlimit/weir"
	"github.com/weirlimit/weir/memory"
	"github.com/weirlimit/weir/storetest"
)

var algorithms = []weir.Algorithm{weir.SlidingLog, weir.SlidingCounter, weir.FixedWindow, weir.TokenBucket}

// A clock stands until it is set.
type clock struct{ now atomic.Int64 }

func newClock() *clock {
	c := new(clock)
	c.now.Store(time.Date(2026, time.July, 1, 0, 0, 0, 0, time.UTC).UnixMicro())
	return c
}

func (c *clock) read() time.Time         { return time.UnixMicro(c.now.Load()) }
func (c *clock) set(now time.Time)       { c.now.Store(now.UnixMicro()) }
func (c *clock) advance(d time.Duration) { c.now.Add(d.Microseconds()) }

// A rig is a store whose clock stands, and its limiters.
type rig struct {
	*testing.T

	store *memory.Store
	clock *clock
	made  int
}

func newRig(t *testing.T, c memory.Config) *rig {
	t.Helper()
	r := &rig{T: t, clock: newClock()}
	c.Clock = r.clock.read
	r.store = memory.New(c)
	return r
}

// limiter makes a limiter; limits are as text.
func (r *rig) limiter(a weir.Algorithm, limits ...string) *weir.Limiter {
	r.Helper()
	r.made++
	return limiterOf(r.T, r.store, weir.Config{Name: fmt.Sprint("policy ", r.made), Algorithm: a}, limits...)
}

func limiterOf(tb testing.TB, store weir.Store, c weir.Config, limits ...string) *weir.Limiter {
	tb.Helper()
	for _, text := range limits {
		limit, err := weir.ParseLimit(text)
		if err != nil {
			tb.Fatal(err)
		}
		c.Limits = append(c.Limits, limit)
	}
	c.Store = store
	l, err := weir.New(c)
	if err != nil {
		tb.Fatal(err)
	}
	return l
}

func (r *rig) take(l *weir.Limiter, key string, cost int64) bool {
	r.Helper()
	d, err := l.Take(r.Context(), key, cost)
	if err != nil {
		r.Fatal(err)
	}
	return d.Allowed
}

func (r *rig) allowed(l *weir.Limiter, key string, cost int64) {
	r.Helper()
	if !r.take(l, key, cost) {
		r.Errorf("cost %d of key %q is denied", cost, key)
	}
}

func (r *rig) denied(l *weir.Limiter, key string, cost int64) {
	r.Helper()
	if r.take(l, key, cost) {
		r.Errorf("cost %d of key %q is allowed", cost, key)
	}
}

// used is what a key has used, in its first window.
func (r *rig) used(l *weir.Limiter, key string) int64 {
	r.Helper()
	d, err := l.Peek(r.Context(), key, 1)
	if err != nil {
		r.Fatal(err)
	}
	for s := range d.Limits() {
		return s.Used
	}
	return -1
}

func (r *rig) wantUsed(l *weir.Limiter, key string, want int64) {
	r.Helper()
	if got := r.used(l, key); got != want {
		r.Errorf("%d units of key %q used, want %d", got, key, want)
	}
}

func TestConformance(t *testing.T) {
	for name, config := range map[string]memory.Config{
		"roomy": {},
		// The suite needs a few dozen keys, and little more than 32 bytes each.
		"tight": {MaxKeys: 200, MaxBytes: 200 * 64},
	} {
		t.Run(name, func(t *testing.T) {
			storetest.Run(t, func(testing.TB) storetest.Subject {
				c, config := newClock(), config
				config.Clock = c.read
				return storetest.Subject{Store: memory.New(config), SetClock: c.set}
			})
		})
	}
	t.Run("monotonic clock", func(t *testing.T) {
		storetest.Run(t, func(testing.TB) storetest.Subject {
			return storetest.Subject{Store: memory.New(memory.Config{})}
		})
	})
}

func TestRegister(t *testing.T) {
	store := memory.New(memory.Config{})
	limits := []weir.Limit{weir.PerMinute(5)}
	for n := 1; n <= weir.MaxNameBytes; n++ {
		c := weir.Config{Name: strings.Repeat("n", n), Store: store, Limits: limits}
		l, err := weir.New(c)
		if err != nil {
			t.Fatalf("a name of %d bytes: %v", n, err)
		}
		if d, err := l.Take(t.Context(), "key", 5); err != nil || !d.Allowed {
			t.Errorf("a name of %d bytes: its key is not its own: %v", n, err)
		}
		if _, err := weir.New(c); !errors.Is(err, weir.ErrNameTaken) {
			t.Errorf("a name of %d bytes, again: %v", n, err)
		}
	}
	if keys := store.Stats().Keys; keys != weir.MaxNameBytes {
		t.Errorf("%d keys, want one a policy", keys)
	}
}

func TestNegativeBoundsPanic(t *testing.T) {
	for _, c := range []memory.Config{{MaxKeys: -1}, {MaxBytes: -1}, {MaxKeys: 5, MaxBytes: -1 << 40}} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("New(%+v) does not panic", c)
				}
			}()
			memory.New(c)
		}()
	}
}

func TestStats(t *testing.T) {
	for _, a := range algorithms {
		t.Run(a.String(), func(t *testing.T) { testStats(t, a) })
	}
}

func testStats(t *testing.T, a weir.Algorithm) {
	t.Helper()
	r := newRig(t, memory.Config{MaxKeys: 2})
	l := r.limiter(a, "5/10s")
	want := func(want memory.Stats) {
		t.Helper()
		got := r.store.Stats()
		if held := int64(got.Keys + got.Slots); got.EntryBytes < 32*held || got.EntryBytes > 48*held {
			t.Errorf("%d bytes of entries in %d keys and %d slots", got.EntryBytes, got.Keys, got.Slots)
		}
		if got.EntryBytes = 0; got != want {
			t.Errorf("%+v, want %+v", got, want)
		}
	}
	want(memory.Stats{})
	r.wantUsed(l, "a", 0)
	want(memory.Stats{}) // a peek makes no key
	r.allowed(l, "a", 3)
	r.denied(l, "a", 3)
	r.denied(r.limiter(a, "0/1s"), "b", 1)
	want(memory.Stats{Keys: 1}) // nor does a denial
	r.allowed(l, "b", 5)
	want(memory.Stats{Keys: 2})
	r.allowed(l, "c", 4)
	want(memory.Stats{Keys: 2, Slots: 1, Overflowed: 1})
	r.denied(l, "c", 2)
	want(memory.Stats{Keys: 2, Slots: 1, Overflowed: 2, OverflowDenied: 1})
	if err := l.Reset(t.Context(), "a"); err != nil {
		t.Fatal(err)
	}
	want(memory.Stats{Keys: 1, Slots: 1, Overflowed: 2, OverflowDenied: 1})
}

// TestClock: without a Clock, a decision is at the time that it is.
func TestClock(t *testing.T) {
	l := limiterOf(t, memory.New(memory.Config{}), weir.Config{Name: "policy"}, "1000/1h")
	before := time.Now().Add(-2 * time.Microsecond) // the store cuts off fractions
	for range 100 {
		d, err := l.Take(t.Context(), "key", 1)
		if err != nil {
			t.Fatal(err)
		}
		if at := d.At(); at.Before(before) || at.After(time.Now()) {
			t.Errorf("decided at %v, which is not between %v and now", at, before)
		}
		before = d.At()
	}
}
