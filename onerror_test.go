package weir_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/weirlimit/weir"
	"github.com/weirlimit/weir/memory"
)

// A sick store fails with err, if there is one, and else is in memory.
type sick struct {
	weir.Store
	err    error
	before func()
}

func (s *sick) fail() error {
	if s.before != nil {
		s.before()
	}
	return s.err
}

func (s *sick) Do(ctx context.Context, verb weir.Verb, it weir.Item) (weir.Answer, error) {
	if err := s.fail(); err != nil {
		return weir.Answer{}, err
	}
	return s.Store.Do(ctx, verb, it)
}

func (s *sick) DoAll(ctx context.Context, verb weir.Verb, items []weir.Item) ([]weir.Answer, error) {
	if err := s.fail(); err != nil {
		return nil, err
	}
	return s.Store.DoAll(ctx, verb, items)
}

func (s *sick) Settle(ctx context.Context, it weir.Item, take *weir.Answer) error {
	if err := s.fail(); err != nil {
		return err
	}
	return s.Store.Settle(ctx, it, take)
}

var errSick = errors.New("connection refused")

func newSick() *sick { return &sick{Store: memory.New(memory.Config{}), err: errSick} }

// An on-error choice decides when the store fails: the policy's, or the
// charge's, and of several the strictest. A shadow policy has no say.
func TestOnError(t *testing.T) {
	store := newSick()
	named := func(name string, choice weir.OnError, shadow bool) *weir.Limiter {
		return limiter(t, func(c *weir.Config) { c.Name, c.Store, c.OnError, c.Shadow = name, store, choice, shadow })
	}
	open, closed := named("open", weir.Allow, false), named("closed", weir.Deny, false)
	shadow := named("shadow", weir.Deny, true)

	for name, row := range map[string]struct {
		charges []weir.Charge
		allowed bool
	}{
		"deny is the default":      {[]weir.Charge{limiter(t, func(c *weir.Config) { c.Store = store }).Charge("k", 1)}, false},
		"the policy's":             {[]weir.Charge{open.Charge("k", 1)}, true},
		"the charge's own, open":   {[]weir.Charge{closed.Charge("k", 1).OnError(weir.Allow)}, true},
		"the charge's own, closed": {[]weir.Charge{open.Charge("k", 1).OnError(weir.Deny)}, false},
		"the strictest of both":    {[]weir.Charge{open.Charge("k", 1), closed.Charge("k", 1)}, false},
		"both open":                {[]weir.Charge{open.Charge("k", 1), closed.Charge("k", 1).OnError(weir.Allow)}, true},
		"a shadow has no say":      {[]weir.Charge{open.Charge("k", 1), shadow.Charge("k", 1)}, true},
		"a shadow alone":           {[]weir.Charge{shadow.Charge("k", 1)}, true},
	} {
		ds, err := weir.TakeAll(t.Context(), row.charges...)
		if err != nil {
			t.Errorf("%s: %v; a store failure is a decision", name, err)
			continue
		}
		for _, d := range ds {
			if d.Allowed != row.allowed || d.Source != weir.FromOnError || d.DeniedBy() != (weir.Denial{}) || !d.At().IsZero() || d.Remaining() != 0 {
				t.Errorf("%s: %+v; want allowed %v by the on-error choice, and nothing else known", name, d, row.allowed)
			}
			if want := time.Second; !row.allowed && d.RetryAfter != want || row.allowed && d.RetryAfter != 0 {
				t.Errorf("%s: retry after %v", name, d.RetryAfter)
			}
			for range d.Limits() {
				t.Errorf("%s: a limit is told of a store that failed", name)
			}
			if err := d.Settle(t.Context(), 5); err != nil {
				t.Errorf("%s: settling what was not recorded: %v", name, err)
			}
		}
	}
	// A single charge is decided alike.
	if d, err := shadow.Take(t.Context(), "k", 1); err != nil || !d.Allowed || d.Source != weir.FromOnError {
		t.Errorf("a shadow's take: %+v, %v", d, err)
	}
	if d, err := closed.Take(t.Context(), "k", 1); err != nil || d.Allowed || d.RetryAfter != time.Second {
		t.Errorf("a take: %+v, %v", d, err)
	}
	// What decides nothing has an error to tell.
	if err := open.Refund(t.Context(), "k", 1); !errors.Is(err, errSick) {
		t.Errorf("refund: %v", err)
	}
	if err := open.Reset(t.Context(), "k"); !errors.Is(err, errSick) {
		t.Errorf("reset: %v", err)
	}
}

// A context that ends while the store is asked is the caller's doing, and no
// failure to decide about.
func TestContextEndsInStore(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	store, seen := newSick(), &recorder{}
	store.before = cancel
	l := limiter(t, func(c *weir.Config) { c.Store, c.OnError, c.Observer = store, weir.Allow, seen })
	if d, err := l.Take(ctx, "k", 1); !errors.Is(err, context.Canceled) || d.Allowed {
		t.Errorf("%+v, %v; want no decision", d, err)
	}
	if len(seen.events) != 0 {
		t.Errorf("observed %+v", seen.events)
	}
}

// A recorder is an observer that keeps what it sees.
type recorder struct{ events []weir.Event }

func (r *recorder) Observe(_ context.Context, e weir.Event) { r.events = append(r.events, e) }

// last is the newest event, without its decision.
func (r *recorder) last(t *testing.T) (weir.Event, weir.Decision) {
	t.Helper()
	if len(r.events) == 0 {
		t.Fatal("nothing was observed")
	}
	e := r.events[len(r.events)-1]
	d := e.Decision
	e.Decision = weir.Decision{}
	return e, d
}

func TestObserver(t *testing.T) {
	store, seen := newSick(), &recorder{}
	store.err = nil
	l := limiter(t, func(c *weir.Config) { c.Store, c.Observer, c.Limits = store, seen, []weir.Limit{weir.PerMinute(2)} })
	shadow := limiter(t, func(c *weir.Config) {
		c.Name, c.Store, c.Observer, c.Shadow, c.Limits = "shadow", store, seen, true, []weir.Limit{weir.PerMinute(1)}
	})
	ctx := t.Context()
	expect := func(what string, want weir.Event, allowed bool) {
		t.Helper()
		e, d := seen.last(t)
		if facts(e) != facts(want) || !errors.Is(e.Err, want.Err) || d.Allowed != allowed {
			t.Errorf("%s: observed %+v, allowed %v; want %+v, %v", what, e, d.Allowed, want, allowed)
		}
	}
	event := func(verb weir.Verb, cost int64) weir.Event {
		return weir.Event{Verb: verb, Policy: "test", Key: "k", Cost: cost}
	}

	d, _ := l.Take(ctx, "k", 2)
	expect("take", event(weir.VerbTake, 2), true)
	denied := event(weir.VerbPeek, 1)
	denied.Denied = true
	_, _ = l.Peek(ctx, "k", 1)
	expect("peek", denied, false)
	_ = d.Settle(ctx, 1)
	expect("settle", event(weir.VerbSettle, 1), false)
	_ = l.Refund(ctx, "k", 1)
	expect("refund", event(weir.VerbRefund, 1), false)
	_ = l.Reset(ctx, "k")
	expect("reset", event(weir.VerbReset, 0), false)

	would := weir.Event{Verb: weir.VerbTake, Policy: "shadow", Key: "k", Cost: 5, Denied: true, Shadow: true}
	_, _ = shadow.Take(ctx, "k", 5) // above its quota, even
	expect("shadow", would, true)

	// In a TakeAll each policy's own verdict is told, beside the whole outcome.
	seen.events = nil
	_, _ = l.Take(ctx, "k", 2)
	_, _ = weir.TakeAll(ctx, l.Charge("k", 1), shadow.Charge("k", 1))
	if len(seen.events) != 3 || !seen.events[1].Denied || seen.events[2].Denied || seen.events[2].Decision.Allowed {
		t.Errorf("observed %+v", seen.events)
	}

	store.err = errSick
	failed := event(weir.VerbTake, 1)
	failed.Err = errSick
	_, _ = l.Take(ctx, "k", 1)
	expect("failure", failed, false)
	failed.Verb, failed.Cost = weir.VerbReset, 0
	_ = l.Reset(ctx, "k")
	expect("failed reset", failed, false)
}

// facts is what of an event can be compared.
func facts(e weir.Event) [6]any {
	return [6]any{e.Verb, e.Policy, e.Key, e.Cost, e.Denied, e.Shadow}
}
