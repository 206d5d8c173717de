package storetest_test

import (
	"context"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/weirlimit/weir"
	"github.com/weirlimit/weir/internal/window"
)

// A breaker is a store that carries out operations in a way of its own.
type breaker struct {
	weir.Store

	do       func(b *breaker, ctx context.Context, op *operation) error
	mu       sync.Mutex
	policies []*weir.Policy
	sober    map[*weir.Policy]*weir.Policy // without their shadow
	rules    map[string]*window.Rule       // by key
}

func (b *breaker) Register(p *weir.Policy) error {
	plain := *p
	plain.Shadow = false
	b.mu.Lock()
	b.policies = append(b.policies, p)
	b.sober[p] = &plain
	b.mu.Unlock()
	return b.Store.Register(p)
}

// endless is an item with limits that are never reached, and without answers.
func endless(it item) item {
	limits := slices.Clone(it.Rule.Limits)
	for i := range limits {
		limits[i].Quota, limits[i].Burst = window.MaxQuota, window.MaxQuota
	}
	rule := window.NewRule(it.Rule.Algorithm, limits, it.Rule.Step)
	it.Rule, it.Statuses = &rule, make([]window.Status, len(limits))
	return it
}

// change is a way to break a store: by changing each item of some verbs.
func change(f func(b *breaker, it *item), verbs ...weir.Verb) func(*breaker, context.Context, *operation) error {
	return func(b *breaker, ctx context.Context, op *operation) error {
		if len(verbs) > 0 && !slices.Contains(verbs, op.Verb) {
			return b.pass(ctx, op)
		}
		given := slices.Clone(op.Items)
		for i := range op.Items {
			f(b, &op.Items[i])
		}
		err := b.pass(ctx, op)
		for i := range op.Items { // only the answers are the caller's
			given[i].Verdict, given[i].Statuses = op.Items[i].Verdict, op.Items[i].Statuses
			op.Items[i] = given[i]
		}
		return err
	}
}

// after is a way to break a store: by what it does when it has answered.
func after(f func(b *breaker, ctx context.Context, op *operation)) func(*breaker, context.Context, *operation) error {
	return func(b *breaker, ctx context.Context, op *operation) error {
		err := b.pass(ctx, op)
		f(b, ctx, op)
		return err
	}
}

// ignore is a way to break a store: by not doing what it is asked to.
func ignore(verb weir.Verb) func(*breaker, context.Context, *operation) error {
	return func(b *breaker, ctx context.Context, op *operation) error {
		if op.Verb == verb {
			return nil
		}
		return b.pass(ctx, op)
	}
}

// breakages are the ways to break a store, and the behaviour that notices.
var breakages = []struct {
	name, behaviour string
	do              func(b *breaker, ctx context.Context, op *operation) error
}{
	{"denials recorded", "nothing recorded", after(func(b *breaker, ctx context.Context, op *operation) {
		if op.Verb == weir.VerbTake && !op.Allowed() {
			for _, it := range op.Items {
				b.sub(ctx, weir.VerbTake, endless(it))
			}
		}
	})},
	{"peeks recorded", "nothing recorded", after(func(b *breaker, ctx context.Context, op *operation) {
		if op.Verb == weir.VerbPeek {
			for _, it := range op.Items {
				b.sub(ctx, weir.VerbTake, endless(it))
			}
		}
	})},
	{"second item forgotten", "take all", func(b *breaker, ctx context.Context, op *operation) error {
		if op.Verb != weir.VerbTake || len(op.Items) == 1 {
			return b.pass(ctx, op)
		}
		if b.sub(ctx, weir.VerbPeek, op.Items...); op.Allowed() {
			b.sub(ctx, weir.VerbTake, slices.Delete(slices.Clone(op.Items), 1, 2)...)
		}
		return nil
	}},
	{"items taken one by one", "take all", func(b *breaker, ctx context.Context, op *operation) error {
		for i := range op.Items {
			op.Items[i] = b.sub(ctx, op.Verb, op.Items[i])[0]
		}
		return nil
	}},
	{"items looked at, then taken", "concurrent charges", checkThenAct},
	{"looked at, then taken", "concurrent takers", checkThenAct},
	{"settled twice", "settle", func(b *breaker, ctx context.Context, op *operation) error {
		if op.Verb == weir.VerbSettle {
			b.sub(ctx, op.Verb, op.Items...)
		}
		return b.pass(ctx, op)
	}},
	{"settled never", "settle", ignore(weir.VerbSettle)},
	{"settled down only", "settle", change(func(_ *breaker, it *item) {
		it.Cost = min(it.Cost, it.Receipt.Cost)
	}, weir.VerbSettle)},
	{"settled the first charge only", "settle all", after(func(_ *breaker, _ context.Context, op *operation) {
		for i := range op.Items[1:] {
			op.Items[i+1].Verdict.Receipt = window.Receipt{}
		}
	})},
	{"settled by the charge before", "settle all", after(func(_ *breaker, _ context.Context, op *operation) {
		if op.Verb == weir.VerbTake && len(op.Items) > 1 {
			op.Items[1].Verdict.Receipt.Cost = op.Items[0].Verdict.Receipt.Cost
		}
	})},
	{"refunded never", "refund", ignore(weir.VerbRefund)},
	{"reset never", "reset", ignore(weir.VerbReset)},
	{"reset under every policy", "reset", after(func(b *breaker, ctx context.Context, op *operation) {
		if op.Verb == weir.VerbReset {
			for _, p := range b.policies {
				it := op.Items[0]
				it.Policy = p
				b.sub(ctx, weir.VerbReset, it)
			}
		}
	})},
	{"group lost", "groups", change(func(_ *breaker, it *item) { it.Group = "" })},
	{"group only", "groups", change(func(_ *breaker, it *item) {
		if it.Group != "" {
			it.Key = it.Group
		}
	})},
	{"group and key joined", "groups", change(func(_ *breaker, it *item) {
		it.Key, it.Group = it.Group+":"+it.Key, ""
	})},
	{"key cut at a NUL", "keys", change(func(_ *breaker, it *item) {
		it.Key, _, _ = strings.Cut(it.Key, "\x00")
	})},
	{"key made valid UTF-8", "keys", change(func(_ *breaker, it *item) {
		it.Key = strings.ToValidUTF8(it.Key, "\ufffd")
	})},
	{"key in lower case", "keys", change(func(_ *breaker, it *item) { it.Key = strings.ToLower(it.Key) })},
	{"key cut at 1000 bytes", "keys", change(func(_ *breaker, it *item) { it.Key = it.Key[:min(len(it.Key), 1000)] })},
	{"policies shared", "names", change(func(b *breaker, it *item) { it.Policy = b.policies[0] })},
	{"cost doubled", "costs", change(func(_ *breaker, it *item) { it.Cost *= 2 }, weir.VerbTake)},
	{"cost ignored", "costs", change(func(_ *breaker, it *item) { it.Cost = 1 }, weir.VerbTake)},
	{"denial for good", "costs", func(b *breaker, ctx context.Context, op *operation) error {
		err := b.pass(ctx, op)
		if op.Verb == weir.VerbTake && len(op.Items) == 1 && !op.Allowed() {
			it := op.Items[0]
			it.Cost, it.Statuses = 1, make([]window.Status, len(it.Statuses))
			b.sub(ctx, weir.VerbTake, it)
		}
		return err
	}},
	{"blocked without end unsaid", "blocked", after(func(_ *breaker, _ context.Context, op *operation) {
		for i := range op.Items {
			v := &op.Items[i].Verdict
			v.Retry = min(v.Retry, window.MaxWindow)
		}
	})},
	{"first limit only", "several windows", func(b *breaker, ctx context.Context, op *operation) error {
		given := slices.Clone(op.Items)
		err := change(func(_ *breaker, it *item) {
			rule := window.NewRule(it.Rule.Algorithm, it.Rule.Limits[:1], it.Rule.Step)
			it.Rule = &rule
		}, weir.VerbTake)(b, ctx, op)
		for i := range op.Items {
			missing := len(given[i].Rule.Limits) - len(op.Items[i].Statuses)
			op.Items[i].Statuses = append(op.Items[i].Statuses, make([]window.Status, missing)...)
		}
		return err
	}},
	{"limits kept", "changed limits", change(func(b *breaker, it *item) {
		b.mu.Lock()
		defer b.mu.Unlock()
		id := it.Policy.Name + it.Group + it.Key
		if old := b.rules[id]; old != nil && len(old.Limits) == len(it.Rule.Limits) {
			it.Rule = old
		}
		b.rules[id] = it.Rule
	})},
	{"retry a microsecond late", "retry after", after(func(_ *breaker, _ context.Context, op *operation) {
		for i := range op.Items {
			if it := &op.Items[i]; it.Verdict.Retry > 0 && it.Verdict.Retry != window.Never {
				it.Verdict.Retry++
				it.Statuses[it.Verdict.DeniedBy].Retry++
			}
		}
	})},
	{"retry a microsecond early", "retry after", after(func(_ *breaker, _ context.Context, op *operation) {
		for i := range op.Items {
			if it := &op.Items[i]; it.Verdict.Retry > 1 && it.Verdict.Retry != window.Never {
				it.Verdict.Retry--
				it.Statuses[it.Verdict.DeniedBy].Retry--
			}
		}
	})},
	{"shadow denies", "shadow", change(func(b *breaker, it *item) { it.Policy = b.sober[it.Policy] })},
	{"shadow recorded beside a denial", "shadow", after(func(b *breaker, ctx context.Context, op *operation) {
		for _, it := range op.Items {
			if op.Verb == weir.VerbTake && it.Policy.Shadow && !op.Allowed() {
				b.sub(ctx, weir.VerbTake, it)
			}
		}
	})},
	{"shadow recorded always", "shadow", after(func(b *breaker, ctx context.Context, op *operation) {
		for _, it := range op.Items {
			if op.Verb == weir.VerbTake && it.Policy.Shadow && !it.Verdict.Allowed {
				b.sub(ctx, weir.VerbTake, endless(it))
			}
		}
	})},
	{"precision ignored", "precision", change(func(_ *breaker, it *item) {
		rule := window.NewRule(it.Rule.Algorithm, it.Rule.Limits, 0)
		it.Rule = &rule
	})},
	{"time of a decision lost", "timelines", after(func(_ *breaker, _ context.Context, op *operation) {
		for i := range op.Items {
			op.Items[i].Verdict.At = 0
		}
	})},
	{"window a microsecond long", "timelines", change(func(_ *breaker, it *item) {
		limits := slices.Clone(it.Rule.Limits)
		for i := range limits {
			limits[i].Window++
		}
		rule := window.NewRule(it.Rule.Algorithm, limits, it.Rule.Step)
		it.Rule = &rule
	})},
	{"fixed windows for sliding ones", "timelines", change(func(_ *breaker, it *item) {
		if it.Rule.Algorithm == window.SlidingLog {
			rule := window.NewRule(window.FixedWindow, it.Rule.Limits, it.Rule.Step)
			it.Rule = &rule
		}
	})},
	{"failing", "costs", func(*breaker, context.Context, *operation) error { return context.DeadlineExceeded }},
}

func checkThenAct(b *breaker, ctx context.Context, op *operation) error {
	if op.Verb != weir.VerbTake {
		return b.pass(ctx, op)
	}
	if b.sub(ctx, weir.VerbPeek, op.Items...); !op.Allowed() {
		return nil
	}
	for i := range op.Items {
		runtime.Gosched()
		took := b.sub(ctx, weir.VerbTake, endless(op.Items[i]))
		op.Items[i].Verdict.Receipt = took[0].Verdict.Receipt
	}
	return nil
}

func newBreaker(store weir.Store, do func(b *breaker, ctx context.Context, op *operation) error) *breaker {
	return &breaker{Store: store, do: do, rules: make(map[string]*window.Rule), sober: make(map[*weir.Policy]*weir.Policy)}
}
