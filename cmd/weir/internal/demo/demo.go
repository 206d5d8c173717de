// Package demo shows what sets the algorithms apart: a client that spends its
// whole quota right before a window ends, and again right after.
package demo

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/weirlimit/weir"
	"github.com/weirlimit/weir/memory"
)

// maxQuota keeps the demo quick and its lines short.
const maxQuota = 10_000

// burstPart of a window is how long a burst lasts.
const burstPart = 10

// client is the key.
const client = "client"

// A Result is what each algorithm admitted.
type Result struct {
	Limit               weir.Limit
	Fixed, Counter, Log Run
}

// A Run is what one algorithm said to every request of the burst that ends at
// the boundary, and of the one that starts there.
type Run struct {
	Before, After []bool
}

// Admitted is how many of both bursts were admitted.
func (r *Run) Admitted() int {
	n := 0
	for _, burst := range [][]bool{r.Before, r.After} {
		for _, allowed := range burst {
			if allowed {
				n++
			}
		}
	}
	return n
}

// Check says whether there is something to show for a limit.
func Check(limit weir.Limit) error {
	if limit.Quota < 1 || limit.Quota > maxQuota {
		return fmt.Errorf("quota %d of limit %s: the demo shows 1 to %d", limit.Quota, limit, maxQuota)
	}
	_, err := newBench(weir.SlidingLog, limit)
	return err
}

// Simulate sends a full quota on each side of a boundary, for each algorithm,
// through limiters like any other, but on a clock that it moves.
//
// The fixed window and the log get the boundary of the calendar. The sliding
// counter's windows start at a phase of each key's own, so there it is the
// key's own boundary: on the calendar's, both bursts would most likely lie
// within one of the counter's windows, and it would look exact. In this place
// it is a little too generous, because it takes the first burst as spread over
// its whole window and so as fading right after it. That is not its worst
// case: bursts almost a window apart get 2 x quota - 1.
func Simulate(limit weir.Limit) (Result, error) {
	r := Result{Limit: limit}
	for _, part := range []struct {
		algorithm weir.Algorithm
		run       *Run
	}{
		{weir.FixedWindow, &r.Fixed},
		{weir.SlidingCounter, &r.Counter},
		{weir.SlidingLog, &r.Log},
	} {
		b, err := newBench(part.algorithm, limit)
		if err != nil {
			return r, err
		}
		boundary, err := b.boundary(client)
		if err != nil {
			return r, err
		}
		if *part.run, err = b.burst(client, boundary); err != nil {
			return r, err
		}
	}
	return r, nil
}

// A bench is a limiter on a virtual clock.
type bench struct {
	limiter   *weir.Limiter
	algorithm weir.Algorithm
	limit     weir.Limit
	clock     atomic.Int64 // Unix microseconds; atomic because the store sweeps in the background
}

// newBench is a bench at noon of some day.
func newBench(a weir.Algorithm, limit weir.Limit) (*bench, error) {
	b := &bench{algorithm: a, limit: limit}
	b.clock.Store(time.Date(2026, time.November, 2, 12, 0, 0, 0, time.UTC).UnixMicro())
	store := memory.New(memory.Config{Clock: func() time.Time { return time.UnixMicro(b.clock.Load()) }})
	var err error
	b.limiter, err = weir.New(weir.Config{
		Name: "demo", Store: store, Limits: []weir.Limit{limit}, Algorithm: a,
	})
	return b, err
}

// boundary is a boundary of the key's windows, in microseconds, before which
// at least one window is empty.
//
// What a key takes now is gone from a fixed window at its end, and from a
// sliding counter a window later: so ResetAfter tells where windows end. A log
// has none, and gets the end of a fixed one.
func (b *bench) boundary(key string) (int64, error) {
	if b.algorithm == weir.SlidingLog {
		fixed, err := newBench(weir.FixedWindow, b.limit)
		if err != nil {
			return 0, err
		}
		return fixed.boundary(key)
	}
	d, err := b.limiter.Take(context.Background(), key, 1)
	if err != nil {
		return 0, err
	}
	end := b.clock.Load()
	for l := range d.Limits() {
		end += l.ResetAfter.Microseconds()
	}
	return end + 2*b.limit.Window.Microseconds(), nil
}

// burst takes a full quota in the last part of the window that ends at the
// boundary, and another in the first part of the next.
func (b *bench) burst(key string, boundary int64) (r Run, err error) {
	length := b.limit.Window.Microseconds() / burstPart
	if r.Before, err = b.spread(key, boundary-length, length); err != nil {
		return r, err
	}
	r.After, err = b.spread(key, boundary, length)
	return r, err
}

// spread takes a full quota evenly from a time on, one unit each.
func (b *bench) spread(key string, start, length int64) ([]bool, error) {
	allowed := make([]bool, b.limit.Quota)
	for i := range allowed {
		b.clock.Store(start + int64(i)*length/b.limit.Quota)
		d, err := b.limiter.Take(context.Background(), key, 1)
		if err != nil {
			return nil, err
		}
		allowed[i] = d.Allowed
	}
	return allowed, nil
}
