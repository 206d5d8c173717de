// Package benchmarks compares Weir with its peers, side by side in one run.
package benchmarks

import (
	"context"
	"math"
	"testing"
	"time"

	"golang.org/x/time/rate"

	"github.com/weirlimit/weir"
	"github.com/weirlimit/weir/memory"
)

// limiter is a limiter whose one limit never denies what a benchmark takes.
func limiter(b *testing.B, a weir.Algorithm) *weir.Limiter {
	b.Helper()
	l, err := weir.New(weir.Config{
		Name:      "bench",
		Store:     memory.New(memory.Config{}),
		Limits:    []weir.Limit{weir.Per(1_000_000_000, time.Millisecond)},
		Algorithm: a,
	})
	if err != nil {
		b.Fatal(err)
	}
	return l
}

// BenchmarkHot is one key, taken again and again by one goroutine.
func BenchmarkHot(b *testing.B) {
	for name, algorithm := range map[string]weir.Algorithm{
		"weir-log": weir.SlidingLog, "weir-counter": weir.SlidingCounter, "weir-bucket": weir.TokenBucket,
	} {
		b.Run(name, func(b *testing.B) {
			l, ctx := limiter(b, algorithm), context.Background()
			b.ReportAllocs()
			for b.Loop() {
				if d, err := l.Take(ctx, "user:42", 1); err != nil || !d.Allowed {
					b.Fatal(d, err)
				}
			}
		})
	}
	b.Run("x-time-rate", func(b *testing.B) {
		l := rate.NewLimiter(rate.Limit(1e12), math.MaxInt32)
		b.ReportAllocs()
		for b.Loop() {
			if !l.Allow() {
				b.Fatal("denied")
			}
		}
	})
}
