package memory_test

import (
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/weirlimit/weir"
	"github.com/weirlimit/weir/memory"
)

// An admitted take is when it was recorded, and its cost.
type admitted struct {
	at   time.Time
	cost int64
}

// overrun says in which trailing window (t-window, t] takes cost more than
// quota, if in any.
func overrun(takes []admitted, window time.Duration, quota int64) error {
	takes = slices.Clone(takes)
	slices.SortFunc(takes, func(a, b admitted) int { return a.at.Compare(b.at) })
	used, oldest := int64(0), 0
	for _, take := range takes {
		used += take.cost
		for ; !takes[oldest].at.After(take.at.Add(-window)); oldest++ {
			used -= takes[oldest].cost
		}
		if used > quota {
			return fmt.Errorf("%d units in the %v until %v, with a quota of %d", used, window, take.at, quota)
		}
	}
	return nil
}

// TestThousandTakers: 1,000 goroutines take from one key while windows pass,
// and in no trailing window is the quota exceeded.
func TestThousandTakers(t *testing.T) {
	const (
		takers = 1000
		each   = 20
		quota  = 50
		window = 4 * time.Millisecond
	)
	l := limiterOf(t, memory.New(memory.Config{}), weir.Config{Name: "policy"}, "50/4ms", "120/20ms")
	var (
		mu    sync.Mutex
		takes []admitted
		all   int64
		wg    sync.WaitGroup
	)
	start := make(chan struct{})
	for taker := range takers {
		wg.Go(func() {
			<-start
			for i := range each {
				cost := int64((taker+i)%4 + 1)
				d, err := l.Take(t.Context(), "hot", cost)
				if err != nil {
					t.Error(err)
				}
				mu.Lock()
				if all += cost; d.Allowed {
					takes = append(takes, admitted{d.At(), cost})
				}
				mu.Unlock()
			}
		})
	}
	close(start)
	wg.Wait()
	var sum int64
	for _, take := range takes {
		sum += take.cost
	}
	if sum < quota-3 || sum == all {
		t.Errorf("%d of %d units admitted: want some, and not all", sum, all)
	}
	if err := overrun(takes, window, quota); err != nil {
		t.Error(err)
	}
	if err := overrun(takes, 20*time.Millisecond, 120); err != nil {
		t.Error(err)
	}
}
