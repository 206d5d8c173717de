package weir_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/weirlimit/weir"
	"github.com/weirlimit/weir/memory"
)

// used is what the first limit of a key counts.
func used(t *testing.T, l *weir.Limiter, key string) int64 {
	t.Helper()
	d, err := l.Peek(t.Context(), key, 1)
	if err != nil {
		t.Fatal(err)
	}
	for s := range d.Limits() {
		return s.Used
	}
	t.Fatal("no limits")
	return 0
}

// Bad arguments are errors that name the value and the rule, and record
// nothing; so does a context that has ended.
func TestTakeRefuses(t *testing.T) {
	l := limiter(t, nil)
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	for name, row := range map[string]struct {
		ctx   context.Context
		key   string
		cost  int64
		is    error
		wants string
	}{
		"empty key":       {t.Context(), "", 1, weir.ErrInvalid, `key "" of 0 bytes: must have 1 to 1024`},
		"long key":        {t.Context(), strings.Repeat("k", 1025), 1, weir.ErrInvalid, "of 1025 bytes"},
		"cost 0":          {t.Context(), "k", 0, weir.ErrInvalid, "cost 0 of key \"k\": must be at least 1"},
		"negative cost":   {t.Context(), "k", -5, weir.ErrInvalid, "cost -5"},
		"cost over quota": {t.Context(), "k", 11, weir.ErrCostExceedsQuota, `cost 11 of key "k", and policy "test" admits at most 10`},
		"ended context":   {ended, "k", 1, context.Canceled, ""},
	} {
		for verb, decide := range map[string]func(context.Context, string, int64) (weir.Decision, error){
			"take": l.Take, "peek": l.Peek,
		} {
			d, err := decide(row.ctx, row.key, row.cost)
			if !errors.Is(err, row.is) || !strings.Contains(err.Error(), row.wants) {
				t.Errorf("%s, %s: %v; want %v with %q", verb, name, err, row.is, row.wants)
			}
			if d.Allowed || d.Remaining() != 0 || !d.At().IsZero() {
				t.Errorf("%s, %s: there is a decision beside the error: %+v", verb, name, d)
			}
		}
	}
	if got := used(t, l, "k"); got != 0 {
		t.Errorf("%d units are on record", got)
	}
	if _, err := l.Take(t.Context(), strings.Repeat("k", 1024), 10); err != nil {
		t.Errorf("the longest key and the highest cost: %v", err)
	}
}

func TestAmendRefuses(t *testing.T) {
	l := limiter(t, nil)
	d, err := l.Take(t.Context(), "k", 4)
	if err != nil {
		t.Fatal(err)
	}
	for name, err := range map[string]error{
		"settle below 0":      d.Settle(t.Context(), -1),
		"settle above 2^52":   d.Settle(t.Context(), 1<<52+1),
		"refund of nothing":   l.Refund(t.Context(), "k", 0),
		"refund above 2^52":   l.Refund(t.Context(), "k", 1<<52+1),
		"refund of an empty":  l.Refund(t.Context(), "", 1),
		"reset of an empty":   l.Reset(t.Context(), ""),
		"reset of a long key": l.Reset(t.Context(), strings.Repeat("k", 1025)),
		"long group":          l.Charge("k", 1).In(strings.Repeat("g", 1025)).Reset(t.Context()),
	} {
		if !errors.Is(err, weir.ErrInvalid) {
			t.Errorf("%s: %v; want ErrInvalid", name, err)
		}
	}
	if got := used(t, l, "k"); got != 4 {
		t.Errorf("%d units are on record; want the 4 taken", got)
	}
	// A settle that was refused has not used up the only one there is.
	if err := d.Settle(t.Context(), 2); err != nil || used(t, l, "k") != 2 {
		t.Errorf("settled to %d, %v; want 2", used(t, l, "k"), err)
	}
}

// Settle acts once, however many ask for it at once.
func TestSettleOnce(t *testing.T) {
	l := limiter(t, nil)
	if _, err := l.Take(t.Context(), "k", 4); err != nil {
		t.Fatal(err)
	}
	d, err := l.Take(t.Context(), "k", 4)
	if err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			if err := d.Settle(t.Context(), 3); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if got := used(t, l, "k"); got != 7 {
		t.Errorf("4 and 4 settled to 3 are %d; want 7", got)
	}
}

// A caller who went away is still charged right.
func TestSettleAfterCancel(t *testing.T) {
	l := limiter(t, nil)
	ctx, cancel := context.WithCancel(t.Context())
	d, err := l.Take(ctx, "k", 9)
	if err != nil {
		t.Fatal(err)
	}
	cancel()
	if err := d.Refund(ctx); err != nil || used(t, l, "k") != 0 {
		t.Errorf("refunded to %d, %v; want 0", used(t, l, "k"), err)
	}
}

func TestTakeAllRefuses(t *testing.T) {
	store := memory.New(memory.Config{})
	named := func(name string, store weir.Store) *weir.Limiter {
		return limiter(t, func(c *weir.Config) { c.Name, c.Store = name, store })
	}
	a, b, elsewhere := named("a", store), named("b", store), named("c", memory.New(memory.Config{}))

	tooMany := make([]weir.Charge, weir.MaxCharges+1)
	for i := range tooMany {
		tooMany[i] = a.Charge(strings.Repeat("k", i+1), 1)
	}
	for name, row := range map[string]struct {
		charges []weir.Charge
		is      error
		wants   string
	}{
		"same limiter and key":     {[]weir.Charge{a.Charge("k", 1), b.Charge("k", 1), a.Charge("k", 1)}, weir.ErrInvalid, `policy "a" is charged twice for key "k"`},
		"also in another group":    {[]weir.Charge{a.Charge("k", 1), a.Charge("k", 1).In("g")}, weir.ErrInvalid, "charged twice"},
		"mixed stores":             {[]weir.Charge{a.Charge("k", 1), elsewhere.Charge("k", 1)}, weir.ErrInvalid, `policies "a" and "c" are on different stores`},
		"a charge of nothing":      {[]weir.Charge{a.Charge("k", 1), {}}, weir.ErrInvalid, "without a limiter"},
		"too many":                 {tooMany, weir.ErrInvalid, "65 charges: must be at most 64"},
		"a cost over its quota":    {[]weir.Charge{a.Charge("k", 1), b.Charge("k", 11)}, weir.ErrCostExceedsQuota, `policy "b"`},
		"a cost of 0":              {[]weir.Charge{a.Charge("k", 1), b.Charge("k", 0)}, weir.ErrInvalid, "cost 0"},
		"an unknown on-error rule": {[]weir.Charge{a.Charge("k", 1).OnError(2)}, weir.ErrInvalid, "choice 2"},
	} {
		ds, err := weir.TakeAll(t.Context(), row.charges...)
		if ds != nil || !errors.Is(err, row.is) || !strings.Contains(err.Error(), row.wants) {
			t.Errorf("%s: %v, %v; want %v with %q", name, ds, err, row.is, row.wants)
		}
	}
	if used(t, a, "k") != 0 || used(t, b, "k") != 0 {
		t.Error("something is on record")
	}
	if ds, err := weir.TakeAll(t.Context(), tooMany[1:]...); err != nil || len(ds) != weir.MaxCharges {
		t.Errorf("as many as may be: %d, %v", len(ds), err)
	}
	if ds, err := weir.TakeAll(t.Context()); ds != nil || err != nil {
		t.Errorf("no charges: %v, %v", ds, err)
	}
}

// Each decision of a TakeAll tells the outcome of the whole, and its own limits.
func TestTakeAllTells(t *testing.T) {
	store := memory.New(memory.Config{})
	wide := limiter(t, func(c *weir.Config) { c.Name, c.Store = "wide", store })
	narrow := limiter(t, func(c *weir.Config) {
		c.Name, c.Store, c.Limits = "narrow", store, []weir.Limit{weir.PerHour(100), weir.PerMinute(2)}
	})
	both := func() []weir.Decision {
		ds, err := weir.TakeAll(t.Context(), wide.Charge("w", 2), narrow.Charge("n", 1))
		if err != nil || len(ds) != 2 {
			t.Fatal(ds, err)
		}
		return ds
	}
	both()
	both()
	ds := both()
	denial := weir.Denial{Policy: "narrow", Key: "n", Limit: weir.PerMinute(2)}
	for i, d := range ds {
		if d.Allowed || d.DeniedBy() != denial || d.RetryAfter != ds[0].RetryAfter || d.RetryAfter <= 59*time.Second {
			t.Errorf("decision %d: %v, %v, %v; want a denial by %v for a minute", i, d.Allowed, d.DeniedBy(), d.RetryAfter, denial)
		}
	}
	if ds[0].Remaining() != 6 || ds[1].Remaining() != 0 {
		t.Errorf("%d and %d left; want 6 and 0", ds[0].Remaining(), ds[1].Remaining())
	}
}
