// Package benchmarks compares Weir with its peers, side by side in one run.
package benchmarks

import (
	"context"
	"math"
	"sync"
	"testing"
	"time"

	"golang.org/x/time/rate"

	"github.com/weirlimit/weir"
	"github.com/weirlimit/weir/memory"
)

// A peer is a limiter of keys, and whether a take of key was allowed.
type peer struct {
	name string
	take func(key string) bool
}

// peers are limiters that allow whatever a benchmark takes.
func peers(b *testing.B) []peer {
	b.Helper()
	all := []peer{
		{"weir-log", weirTake(b, weir.SlidingLog)},
		{"weir-counter", weirTake(b, weir.SlidingCounter)},
		{"weir-bucket", weirTake(b, weir.TokenBucket)},
	}
	// x/time/rate has no keys: its users keep a limiter each in a map.
	var limiters sync.Map
	return append(all, peer{"x-time-rate", func(key string) bool {
		l, ok := limiters.Load(key)
		if !ok {
			l, _ = limiters.LoadOrStore(key, rate.NewLimiter(rate.Limit(1e9), math.MaxInt32))
		}
		return l.(*rate.Limiter).Allow() //nolint:errcheck // The map holds nothing else.
	}}, peer{"x-time-rate-without-a-key", func() func(string) bool {
		l := rate.NewLimiter(rate.Limit(1e9), math.MaxInt32)
		return func(string) bool { return l.Allow() }
	}()})
}

func weirTake(b *testing.B, a weir.Algorithm) func(key string) bool {
	b.Helper()
	l, err := weir.New(weir.Config{
		Name:      "bench",
		Store:     memory.New(memory.Config{}),
		Limits:    []weir.Limit{weir.Per(1_000_000, time.Millisecond)},
		Algorithm: a,
	})
	if err != nil {
		b.Fatal(err)
	}
	ctx := context.Background()
	return func(key string) bool {
		d, err := l.Take(ctx, key, 1)
		return err == nil && d.Allowed
	}
}

// BenchmarkHot is one key, taken again and again.
func BenchmarkHot(b *testing.B) {
	for _, p := range peers(b) {
		b.Run("impl="+p.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if !p.take("user:42") {
					b.Fatal("denied")
				}
			}
		})
	}
}

// BenchmarkHotParallel is one key, taken by every processor at once.
func BenchmarkHotParallel(b *testing.B) {
	for _, p := range peers(b) {
		b.Run("impl="+p.name, func(b *testing.B) {
			b.ReportAllocs()
			b.RunParallel(func(pb *testing.PB) {
				for pb.Next() {
					if !p.take("user:42") {
						b.Error("denied")
					}
				}
			})
		})
	}
}
