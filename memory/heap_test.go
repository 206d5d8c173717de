//go:build !race

package memory_test

import (
	"runtime"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"github.com/weirlimit/weir"
	"github.com/weirlimit/weir/memory"
)

// heap is how many bytes are live.
func heap() uint64 {
	runtime.GC()
	runtime.GC() // what the first one moved out of pools
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// TestMemoryReturns: soon after all keys idle, memory is back within 10% of
// the start, with traffic on another key and without any. The race detector
// would take ten times as long.
func TestMemoryReturns(t *testing.T) {
	for _, a := range algorithms {
		for _, test := range []struct {
			name    string
			config  memory.Config
			traffic bool
		}{
			{"with traffic", memory.Config{}, true},
			{"without traffic", memory.Config{}, false},
			{"after a flood", memory.Config{MaxKeys: 20_000}, false},
		} {
			t.Run(a.String()+"/"+test.name, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) { testMemoryReturns(t, a, test.config, test.traffic) })
			})
		}
	}
}

func testMemoryReturns(t *testing.T, a weir.Algorithm, config memory.Config, traffic bool) {
	t.Helper()
	const keys = 100_000
	store := memory.New(config)
	l := limiterOf(t, store, weir.Config{Name: "policy", Algorithm: a}, "5/10s", "20/1m")
	take := func(key string) {
		if _, err := l.Take(t.Context(), key, 1); err != nil {
			t.Fatal(err)
		}
	}
	take("other")
	start := heap()
	for i := range keys {
		take("user:" + strconv.Itoa(i))
	}
	full := heap()
	if full < start+20_000*150 {
		t.Errorf("a heap of %d bytes with all keys, %d without: the test is not worth much", full, start)
	}
	// Two windows, for a counter, and a few seconds.
	for range 2*60 + 15 {
		time.Sleep(time.Second)
		if traffic {
			take("other")
		}
	}
	end := heap()
	t.Logf("a heap of %d bytes at the start, %d with all keys, and %d at the end", start, full, end)
	if end > start+start/10 {
		t.Errorf("more than 10%% of the start is left")
	}
	want := memory.Stats{}
	got := store.Stats()
	if traffic {
		want.Keys, want.EntryBytes = 1, got.EntryBytes
	}
	want.Overflowed, want.OverflowDenied = got.Overflowed, got.OverflowDenied
	if got != want || got.EntryBytes > 2048 {
		t.Errorf("%+v at the end, want %+v", got, want)
	}
}

// TestMemoryOfKey: a key that is part of a large buffer does not keep it.
func TestMemoryOfKey(t *testing.T) {
	const buffer = 1 << 20
	store := memory.New(memory.Config{MaxKeys: 60})
	l := limiterOf(t, store, weir.Config{Name: "policy"}, "5/1h")
	start := heap()
	for i := range 64 {
		large := string(append(make([]byte, buffer), strconv.Itoa(i)...))
		key := large[len(large)-3:]
		charge := l.Charge(key, 2).In(large[len(large)-4:])
		ds, err := weir.TakeAll(t.Context(), charge, l.Charge(large[len(large)-5:], 1))
		if err != nil {
			t.Fatal(err)
		}
		for j := range ds {
			if err := ds[j].Settle(t.Context(), 1); err != nil {
				t.Fatal(err)
			}
		}
		if err := charge.Refund(t.Context()); err != nil {
			t.Fatal(err)
		}
		if _, err := l.Take(t.Context(), key, 1); err != nil {
			t.Fatal(err)
		}
	}
	if end := heap(); end > start+4*buffer {
		t.Errorf("%d MiB are kept of 64", (end-start)>>20)
	}
	runtime.KeepAlive(store)
}
