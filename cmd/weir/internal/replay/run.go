package replay

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/weirlimit/weir"
	"github.com/weirlimit/weir/memory"
)

// A Result is what limits would have done to a log.
type Result struct {
	Limits   []weir.Limit
	Requests int
	Skipped  int // lines
	Keys     int
	First    time.Time // of the requests; zero if there are none
	Last     time.Time

	Log, Counter, Fixed Denied

	keys    []string
	charged []int // requests of each key
}

// Denied is what one algorithm would have denied.
type Denied struct {
	Requests int
	Keys     int

	each []int // requests of each key
}

// Check says whether limits go together.
func Check(limits []weir.Limit) error {
	_, err := newPolicy(weir.SlidingLog, limits, memory.New(memory.Config{}))
	return err
}

func newPolicy(a weir.Algorithm, limits []weir.Limit, store weir.Store) (*weir.Limiter, error) {
	return weir.New(weir.Config{Name: "replay", Store: store, Limits: limits, Algorithm: a})
}

// Run takes every request of the log, at its time, from three limiters that
// differ in their algorithm alone.
func Run(l *Log, limits []weir.Limit) (*Result, error) {
	r := &Result{
		Limits: limits, Requests: len(l.requests), Skipped: l.skipped, Keys: len(l.keys),
		keys: l.keys, charged: make([]int, len(l.keys)),
	}
	for _, q := range l.requests {
		r.charged[q.key]++
	}
	if n := len(l.requests); n > 0 {
		r.First, r.Last = time.Unix(l.requests[0].at, 0).UTC(), time.Unix(l.requests[n-1].at, 0).UTC()
	}
	var runs sync.WaitGroup
	var errs [3]error
	for i, part := range []struct {
		algorithm weir.Algorithm
		denied    *Denied
	}{
		{weir.SlidingLog, &r.Log},
		{weir.SlidingCounter, &r.Counter},
		{weir.FixedWindow, &r.Fixed},
	} {
		runs.Go(func() { *part.denied, errs[i] = l.run(part.algorithm, limits) })
	}
	runs.Wait()
	return r, errors.Join(errs[:]...)
}

// bounds are ceilings above what the log can need, so that no count is of an
// overflow: a state of its own for each key, with counters for as many limits
// as there may be, and 64 bytes for each request, which is four entries of 16.
func (l *Log) bounds() memory.Config {
	return memory.Config{
		MaxKeys:  len(l.keys) + 1,
		MaxBytes: 64*int64(len(l.requests)) + 1024*int64(len(l.keys)) + 1,
	}
}

// run takes every request from a limiter with a store of its own.
func (l *Log) run(a weir.Algorithm, limits []weir.Limit) (Denied, error) {
	var now atomic.Int64 // atomic because the store sweeps in the background
	config := l.bounds()
	config.Clock = func() time.Time { return time.Unix(now.Load(), 0) }
	store := memory.New(config)
	limiter, err := newPolicy(a, limits, store)
	if err != nil {
		return Denied{}, err
	}
	d := Denied{each: make([]int, len(l.keys))}
	for _, q := range l.requests {
		now.Store(q.at)
		decision, err := limiter.Take(context.Background(), l.keys[q.key], 1)
		if err != nil {
			return d, err
		}
		if !decision.Allowed {
			d.Requests++
			d.each[q.key]++
		}
	}
	for _, n := range d.each {
		if n > 0 {
			d.Keys++
		}
	}
	if s := store.Stats(); s.Overflowed != 0 || s.Squeezed != 0 {
		return d, fmt.Errorf("the store of the %s ran out of room (%d takes overflowed, %d merged): its counts are not exact", a, s.Overflowed, s.Squeezed)
	}
	return d, nil
}

// mostDenied is the keys that the log denies most, at most n of them; of
// equal ones first which the log of requests has first.
func (r *Result) mostDenied(n int) []int {
	var most []int
	for key, denied := range r.Log.each {
		if denied > 0 {
			most = append(most, key)
		}
	}
	slices.SortStableFunc(most, func(a, b int) int { return r.Log.each[b] - r.Log.each[a] })
	return most[:min(n, len(most))]
}
