package storetest_test

import (
	"sync/atomic"
	"testing"
	"time"

	"github.com/weirlimit/weir/memory"
	"github.com/weirlimit/weir/storetest"
)

func openMemory(testing.TB) storetest.Subject {
	var now atomic.Pointer[time.Time]
	store := memory.New(memory.Config{Clock: func() time.Time { return *now.Load() }})
	return storetest.Subject{Store: store, SetClock: func(t time.Time) { now.Store(&t) }}
}

func TestMemory(t *testing.T) { storetest.Run(t, openMemory) }

func TestMemoryWithoutClock(t *testing.T) {
	storetest.Run(t, func(testing.TB) storetest.Subject {
		return storetest.Subject{Store: memory.New(memory.Config{})}
	})
}

func BenchmarkMemory(b *testing.B) {
	storetest.Bench(b, func(testing.TB) storetest.Subject {
		return storetest.Subject{Store: memory.New(memory.Config{})}
	})
}
