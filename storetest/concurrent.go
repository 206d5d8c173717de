package storetest

import (
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/weirlimit/weir"
)

const (
	takers       = 16
	takesOfTaker = 40
)

// together runs f in takers goroutines, takesOfTaker times in each, and ends
// a goroutine at its first error.
func (r *rig) together(f func(taker, i int) error) {
	var wg sync.WaitGroup
	start := make(chan struct{})
	for taker := range takers {
		wg.Go(func() {
			<-start
			for i := range takesOfTaker {
				if err := f(taker, i); err != nil {
					r.Error(err)
					return
				}
			}
		})
	}
	close(start)
	wg.Wait()
}

// concurrentTakers: however many take from one key, no more than the quota is
// admitted in any trailing window, and no less.
func (s *suite) concurrentTakers(t *testing.T) {
	t.Helper()
	s.each(t, (*rig).takeTogether)
	t.Run("exactly the quota", func(t *testing.T) { s.each(t, (*rig).takeTheQuota) })
}

func (r *rig) takeTogether(a weir.Algorithm) {
	const (
		quota   = 20
		window  = 20 * time.Millisecond
		advance = 250 * time.Microsecond // a take
		windows = takers * takesOfTaker * advance / window
	)
	l := r.limiterOf(weir.Config{Algorithm: a, Limits: []weir.Limit{weir.Per(quota, window)}})
	var (
		turn  atomic.Int64
		mu    sync.Mutex
		takes []admitted
		sum   int64
	)
	r.together(func(int, int) error {
		n := turn.Add(1)
		r.advance(time.Duration(n) * advance)
		cost := n%3 + 1
		d, err := l.Take(r.Context(), key, cost)
		if d.Allowed {
			mu.Lock()
			defer mu.Unlock()
			takes, sum = append(takes, admitted{d.At(), cost}), sum+cost
		}
		return err
	})
	most := map[weir.Algorithm]int64{
		weir.SlidingLog: quota, weir.SlidingCounter: 2*quota - 1, weir.FixedWindow: 2 * quota, weir.TokenBucket: 2 * quota,
	}
	if err := overrun(takes, window, most[a]); err != nil {
		r.Error(err)
	}
	// A running clock passes nobody knows how many windows.
	least := int64(quota - 2)
	if r.SetClock != nil {
		least = int64(windows) * quota / 2
	}
	if sum < least {
		r.Errorf("%d units admitted, want at least %d", sum, least)
	}
}

func (r *rig) takeTheQuota(a weir.Algorithm) {
	const quota = takers * takesOfTaker / 2
	l := r.limiter(a, weir.Per(quota, 100*24*time.Hour).String())
	var count atomic.Int64
	r.together(func(int, int) error {
		d, err := l.Take(r.Context(), key, 1)
		if d.Allowed {
			count.Add(1)
		}
		return err
	})
	if n := count.Load(); n != quota {
		r.Errorf("%d takes admitted, want the quota of %d", n, quota)
	}
}

// concurrentCharges: takes of two keys as one, in either order, beside takes
// of one, and refunds, lose and invent nothing.
func (s *suite) concurrentCharges(t *testing.T) {
	t.Helper()
	s.each(t, (*rig).chargeTogether)
}

func (r *rig) chargeTogether(a weir.Algorithm) {
	const quota = takers * takesOfTaker / 4
	l := r.limiter(a, weir.Per(quota, 100*24*time.Hour).String())
	x, y := l.Charge("x", 1).In("g"), l.Charge("y", 1).In("g")
	var ofX, ofY atomic.Int64
	r.together(func(taker, i int) error {
		turn := (taker + i) % 4
		charges, counts := []weir.Charge{x, y}, []*atomic.Int64{&ofX, &ofY}
		switch turn {
		case 1:
			charges, counts = []weir.Charge{y, x}, []*atomic.Int64{&ofY, &ofX}
		case 2:
			charges, counts = charges[:1], counts[:1]
		}
		ds, err := weir.TakeAll(r.Context(), charges...)
		if err != nil || !ds[0].Allowed {
			return err
		}
		for _, count := range counts {
			count.Add(1)
		}
		// A token bucket cannot tell what others' refunds returned from what
		// this take's would, and returns the less.
		if turn != 3 || a == weir.TokenBucket {
			return nil
		}
		ofY.Add(-1)
		return ds[1].Refund(r.Context())
	})
	r.used(x, ofX.Load())
	r.used(y, ofY.Load())
	if ofX.Load() != quota {
		r.Errorf("%d units of x admitted, want the quota of %d", ofX.Load(), quota)
	}
}
