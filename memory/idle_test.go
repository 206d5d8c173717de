package memory_test

import (
	"runtime"
	"strconv"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/weirlimit/weir"
	"github.com/weirlimit/weir/memory"
)

// TestTimerDisarms: the timer runs while the store holds anything, and no
// longer; and runs again for the next key.
func TestTimerDisarms(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var readings atomic.Int64
		store := memory.New(memory.Config{Clock: func() time.Time {
			readings.Add(1)
			return time.Now()
		}})
		l := limiterOf(t, store, weir.Config{Name: "policy"}, "5/10s")
		for round := range 3 {
			if _, err := l.Take(t.Context(), "key", 1); err != nil {
				t.Fatal(err)
			}
			time.Sleep(9 * time.Second)
			if keys := store.Stats().Keys; keys != 1 {
				t.Fatalf("round %d: %d keys within the window", round, keys)
			}
			time.Sleep(6 * time.Second)
			if keys := store.Stats().Keys; keys != 0 {
				t.Fatalf("round %d: %d keys after the window", round, keys)
			}
			before := readings.Load()
			time.Sleep(24 * time.Hour)
			if after := readings.Load(); after != before {
				t.Fatalf("round %d: an empty store read its clock %d times", round, after-before)
			}
		}
	})
}

// TestDroppedStoreIsCollected: nothing keeps a store that nobody has, not even
// the timer of one that holds keys.
func TestDroppedStoreIsCollected(t *testing.T) {
	collected := make(chan struct{})
	func() {
		store := memory.New(memory.Config{MaxKeys: 5})
		runtime.AddCleanup(store, func(done chan struct{}) { close(done) }, collected)
		l := limiterOf(t, store, weir.Config{Name: "policy"}, "5/1h")
		for i := range 50 { // keys, and slots
			d, err := l.Take(t.Context(), strconv.Itoa(i), 2)
			if err != nil {
				t.Fatal(err)
			}
			if err := d.Settle(t.Context(), 1); err != nil {
				t.Fatal(err)
			}
		}
	}()
	for range 1000 {
		runtime.GC()
		select {
		case <-collected:
			return
		default:
			runtime.Gosched()
		}
	}
	t.Error("the store is still there")
}
