package storetest

import (
	"math/rand/v2"
	"strconv"
	"testing"
	"time"

	"github.com/weirlimit/weir"
)

// retryAfter: at RetryAfter, NextAfter and ResetAfter it is as they say, and a
// microsecond before it is not yet.
func (s *suite) retryAfter(t *testing.T) {
	t.Helper()
	s.each(t, func(r *rig, a weir.Algorithm) {
		random := rand.New(rand.NewPCG(1, uint64(a))) //nolint:gosec // A test repeats its numbers.
		w := &walker{rig: r, random: random}
		for i := range 12 {
			w.key = "walk" + strconv.Itoa(i)
			w.walk(a)
		}
		if w.denials < 100 {
			r.Errorf("only %d denials were looked at", w.denials)
		}
	})
	t.Run("as one", func(t *testing.T) {
		s.each(t, func(r *rig, a weir.Algorithm) { r.retryAll(a) })
	})
}

// A walker takes at random, and follows what each denial promises.
type walker struct {
	*rig

	random  *rand.Rand
	key     string
	elapsed time.Duration
	denials int
}

func (w *walker) walk(a weir.Algorithm) {
	quota := w.random.Int64N(12) + 3
	limits := []weir.Limit{weir.Per(quota, time.Duration(w.random.Int64N(9000)+1000)*time.Microsecond)}
	if w.random.IntN(2) == 0 {
		limits = append(limits, weir.Per(2*quota, 7*limits[0].Window))
	}
	if a == weir.TokenBucket {
		limits[0].Burst = quota + 2
	}
	c := weir.Config{Algorithm: a, Limits: limits}
	if a == weir.SlidingLog && w.random.IntN(3) == 0 {
		c.Precision = 100 * time.Microsecond
	}
	l := w.limiterOf(c)
	for range 60 {
		w.pass(time.Duration(w.random.Int64N(int64(limits[0].Window / 3))).Truncate(time.Microsecond))
		cost := min(w.random.Int64N(quota)+1, quota)
		d := w.take(l.Charge(w.key, cost))
		if d.Allowed && w.random.IntN(4) == 0 {
			w.must(d.Settle(w.Context(), w.random.Int64N(2*cost)))
			continue
		}
		if d.Allowed {
			continue
		}
		w.denials++
		w.follow(&d, l, cost)
	}
}

func (w *walker) pass(d time.Duration) {
	w.elapsed += d
	w.at(w.elapsed)
}

// follow goes to a time that the denial names, and looks.
func (w *walker) follow(d *weir.Decision, l *weir.Limiter, cost int64) {
	w.Helper()
	status := first(d)
	var after time.Duration
	var holds func(d *weir.Decision) bool
	switch w.random.IntN(3) {
	case 0:
		after, holds = d.RetryAfter, func(d *weir.Decision) bool { return d.Allowed }
	case 1:
		after, holds = status.NextAfter, func(d *weir.Decision) bool { return first(d).Remaining > 0 }
	case 2:
		after, holds = status.ResetAfter, func(d *weir.Decision) bool { return first(d).Used == 0 }
	}
	if after == 0 {
		return
	}
	for _, step := range []struct {
		time time.Duration
		want bool
	}{{after - time.Microsecond, false}, {time.Microsecond, true}} {
		w.pass(step.time)
		now, err := l.Peek(w.Context(), w.key, cost)
		w.must(err)
		if holds(&now) != step.want {
			w.Errorf("cost %d: %s: and then, %v later: %s", cost, describe(d), now.At().Sub(d.At()), describe(&now))
		}
	}
}

// retryAll: a TakeAll's RetryAfter is the latest of what its charges say, and
// then all are admitted.
func (r *rig) retryAll(a weir.Algorithm) {
	l := r.limiter(a, "5/10s")
	x, y := l.Charge("x", 3).In("g"), l.Charge("y", 2).In("g")
	r.allowed(l.Charge("x", 5).In("g"))
	r.at(2 * time.Second)
	r.allowed(y)
	r.allowed(y)
	d := r.allDenied(l, x, y)
	ofX, ofY := first(&d[0]).RetryAfter, first(&d[1]).RetryAfter
	if after := d[0].RetryAfter; after != max(ofX, ofY) || ofX == 0 || ofY == 0 {
		r.Errorf("RetryAfter %v, of the charges alone %v and %v", after, ofX, ofY)
	}
	r.at(2*time.Second + d[0].RetryAfter - time.Microsecond)
	if again := r.all(x, y); again[0].Allowed || again[0].RetryAfter != time.Microsecond {
		r.Errorf("a microsecond before: allowed %t, RetryAfter %v", again[0].Allowed, again[0].RetryAfter)
	}
	r.at(2*time.Second + d[0].RetryAfter)
	r.allAllowed(x, y)
}

// phase: where a key's windows start in a sliding counter depends on the key
// alone, so that every process and every store agrees.
func (s *suite) phase(t *testing.T) {
	t.Helper()
	if !s.can.supports(weir.SlidingCounter) {
		return
	}
	one, two := s.rig(t), s.rig(t)
	starts := make(map[time.Duration]bool)
	for i := range 10 {
		k := "key" + strconv.Itoa(i)
		start := one.windowStart(time.Hour, k)
		if other := two.windowStart(time.Hour, k); !other.Equal(start) {
			t.Errorf("key %s: a window starts at %v in one store and %v in another", k, start, other)
		}
		starts[start.Sub(origin)] = true
	}
	if len(starts) < 9 {
		t.Errorf("ten keys start their windows at %d times: want them spread", len(starts))
	}
	// FNV-1a of the key with a final mix, of microseconds in an hour.
	const ofKey = 23*time.Minute + 7*time.Second + 717492*time.Microsecond
	if start := one.windowStart(time.Hour, key); start.Truncate(time.Hour).Add(ofKey) != start {
		t.Errorf("key %s: a window starts at %v, want %v after the hour", key, start, ofKey)
	}
}
