package storetest

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"github.com/weirlimit/weir"
)

// Bench measures takes of cost 1 in a store, whose clock must run, since
// nothing sets it: each algorithm on one hot key; and then, with the first that
// the store supports, denials, many keys, many goroutines, and two keys as one.
func Bench(b *testing.B, open func(tb testing.TB) Subject) {
	b.Helper()
	g := &gauge{open: open}
	supported := slices.DeleteFunc(slices.Clone(allAlgorithms), func(a weir.Algorithm) bool { return !open(b).supports(a) })
	for _, g.algorithm = range supported {
		b.Run("hot/"+g.algorithm.String(), g.hot)
	}
	g.algorithm = supported[0]
	b.Run("denied", g.denied)
	b.Run("keys", g.keys)
	b.Run("parallel/hot", g.parallelHot)
	b.Run("parallel/keys", g.parallelKeys)
	b.Run("as one", g.asOne)
}

// A gauge measures takes under one algorithm.
type gauge struct {
	open      func(tb testing.TB) Subject
	algorithm weir.Algorithm
}

func (g *gauge) limiter(b *testing.B, limit weir.Limit) *weir.Limiter {
	b.Helper()
	l, err := weir.New(weir.Config{Name: "bench", Store: g.open(b).Store, Algorithm: g.algorithm, Limits: []weir.Limit{limit}})
	if err != nil {
		b.Fatal(err)
	}
	return l
}

// free is a limiter that denies nothing and keeps little.
func (g *gauge) free(b *testing.B) *weir.Limiter {
	b.Helper()
	return g.limiter(b, weir.Per(weir.MaxQuota, time.Millisecond))
}

// many are charges of many keys.
func (g *gauge) many(b *testing.B) []weir.Charge {
	b.Helper()
	l, charges := g.free(b), make([]weir.Charge, 100_000)
	for i := range charges {
		charges[i] = l.Charge("user:"+strconv.Itoa(i*7919%len(charges)), 1)
	}
	return charges
}

// take takes a charge, and says if it went otherwise than wanted.
func take(ctx context.Context, c weir.Charge, allowed bool) error {
	d, err := c.Take(ctx)
	if err == nil && d.Allowed != allowed {
		return fmt.Errorf("allowed %t: %s", d.Allowed, describe(&d))
	}
	return err
}

func (g *gauge) hot(b *testing.B) {
	ctx, c := b.Context(), g.free(b).Charge(key, 1)
	b.ReportAllocs()
	for b.Loop() {
		if err := take(ctx, c, true); err != nil {
			b.Fatal(err)
		}
	}
}

func (g *gauge) denied(b *testing.B) {
	ctx, c := b.Context(), g.limiter(b, weir.PerHour(1)).Charge(key, 1)
	if err := take(ctx, c, true); err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if err := take(ctx, c, false); err != nil {
			b.Fatal(err)
		}
	}
}

func (g *gauge) keys(b *testing.B) {
	ctx, charges := b.Context(), g.many(b)
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		if err := take(ctx, charges[i%len(charges)], true); err != nil {
			b.Fatal(err)
		}
	}
}

func (g *gauge) parallelHot(b *testing.B) {
	g.parallel(b, []weir.Charge{g.free(b).Charge(key, 1)})
}

func (g *gauge) parallelKeys(b *testing.B) { g.parallel(b, g.many(b)) }

func (g *gauge) parallel(b *testing.B, charges []weir.Charge) {
	b.Helper()
	var worker atomic.Int64
	b.ReportAllocs()
	b.RunParallel(func(pb *testing.PB) {
		for i := int(worker.Add(1)) * 104_729; pb.Next(); i++ {
			if err := take(b.Context(), charges[i%len(charges)], true); err != nil {
				b.Error(err)
			}
		}
	})
}

func (g *gauge) asOne(b *testing.B) {
	l := g.free(b)
	x, y := l.Charge("x", 1).In("g"), l.Charge("y", 1).In("g")
	b.ReportAllocs()
	for b.Loop() {
		if ds, err := weir.TakeAll(b.Context(), x, y); err != nil || !ds[0].Allowed {
			b.Fatal(ds, err)
		}
	}
}
