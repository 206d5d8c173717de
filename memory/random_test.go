package memory_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/weirlimit/weir"
	"github.com/weirlimit/weir/memory"
)

// TestAnything does everything at once, at random, in roomy and in tight
// stores, while time passes: nothing deadlocks, keys that are only taken never
// exceed their quota, and when all has expired nothing is left.
func TestAnything(t *testing.T) {
	for name, c := range map[string]memory.Config{
		"roomy": {}, "few keys": {MaxKeys: 20}, "few bytes": {MaxBytes: 2048}, "tight": {MaxKeys: 9, MaxBytes: 700},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { testAnything(t, c) })
		})
	}
}

func testAnything(t *testing.T, c memory.Config) {
	t.Helper()
	const (
		workers = 24
		steps   = 400
	)
	store := memory.New(c)
	plain := limiterOf(t, store, weir.Config{Name: "plain"}, "20/50ms", "60/400ms")
	var mixed []*weir.Limiter
	for i, a := range algorithms {
		for _, shadow := range []bool{false, true} {
			c := weir.Config{Name: fmt.Sprintf("mixed %d %t", i, shadow), Algorithm: a, Shadow: shadow}
			mixed = append(mixed, limiterOf(t, store, c, "30/100ms", "100/1s"))
		}
	}
	var (
		wg    sync.WaitGroup
		mu    sync.Mutex
		takes = make(map[string][]admitted) // of plain, by key
	)
	for worker := range workers {
		wg.Go(func() {
			w := &anybody{
				random: rand.New(rand.NewPCG(uint64(worker), 7)), ctx: t.Context(), mixed: mixed,
			}
			for range steps {
				time.Sleep(time.Duration(w.random.IntN(2000)) * time.Microsecond)
				key := fmt.Sprint("plain ", w.random.IntN(5))
				cost := w.random.Int64N(4) + 1
				charges := append([]weir.Charge{plain.Charge(key, cost)}, w.charges()...)
				ds, err := weir.TakeAll(w.ctx, charges[:1+w.random.IntN(len(charges))]...)
				if err != nil {
					t.Error(err)
					return
				}
				if ds[0].Allowed {
					mu.Lock()
					takes[key] = append(takes[key], admitted{ds[0].At(), cost})
					mu.Unlock()
				}
				if err := w.anything(ds[1:]); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	for key, all := range takes {
		if err := overrun(all, 50*time.Millisecond, 20); err != nil {
			t.Errorf("%s: %v", key, err)
		}
		if err := overrun(all, 400*time.Millisecond, 60); err != nil {
			t.Errorf("%s: %v", key, err)
		}
	}
	if len(takes) == 0 {
		t.Error("nothing was admitted")
	}
	time.Sleep(time.Minute)
	if s := store.Stats(); s.Keys != 0 || s.EntryBytes != 0 || s.Slots != 0 {
		t.Errorf("%+v, when all has expired", s)
	}
}

// anybody is a caller who does anything.
type anybody struct {
	random *rand.Rand
	ctx    context.Context
	mixed  []*weir.Limiter
}

// charges are some, of different limiters.
func (w *anybody) charges() []weir.Charge {
	var charges []weir.Charge
	for _, i := range w.random.Perm(len(w.mixed))[:w.random.IntN(4)] {
		charges = append(charges, w.charge(i))
	}
	return charges
}

func (w *anybody) charge(limiter int) weir.Charge {
	c := w.mixed[limiter].Charge(fmt.Sprint("key ", w.random.IntN(20)), w.random.Int64N(9)+1)
	if w.random.IntN(2) == 0 {
		c = c.In("group")
	}
	return c
}

// anything settles some of what was taken, and does one thing more.
func (w *anybody) anything(ds []weir.Decision) error {
	for i := range ds {
		if w.random.IntN(2) == 0 {
			if err := ds[i].Settle(w.ctx, w.random.Int64N(20)); err != nil {
				return err
			}
		}
	}
	c := w.charge(w.random.IntN(len(w.mixed)))
	switch w.random.IntN(5) {
	case 0:
		return c.Reset(w.ctx)
	case 1:
		return c.Refund(w.ctx)
	case 2:
		_, err := c.Peek(w.ctx)
		return err
	default:
		_, err := c.Take(w.ctx)
		return err
	}
}
