package weir

import (
	"context"
	"fmt"
	"sync"

	"github.com/weirlimit/weir/internal/window"
)

var operations = sync.Pool{New: func() any { return new(Operation) }}

// newOperation is an operation with n items to fill, to be freed after use.
func newOperation(verb Verb, n int) *Operation {
	op := operations.Get().(*Operation) //nolint:forcetypeassert,errcheck // The pool holds nothing else.
	op.Verb = verb
	if n == 1 {
		op.Items = op.single[:]
	} else {
		op.Items = make([]Item, n)
	}
	return op
}

// free gives the operation back, without what it refers to.
func (op *Operation) free() {
	if len(op.Items) == 1 {
		op.single[0] = Item{}
	}
	op.Items, op.failure = nil, nil
	operations.Put(op)
}

// charge makes item i, and checks all but the cost.
func (op *Operation) charge(i int, l *Limiter, key, group string, cost int64) error {
	switch {
	case l == nil:
		return fmt.Errorf("%w: a charge without a limiter", ErrInvalid)
	case key == "" || len(key) > MaxKeyBytes:
		return fmt.Errorf("%w: key %.40q of %d bytes: must have 1 to %d", ErrInvalid, key, len(key), MaxKeyBytes)
	case len(group) > MaxKeyBytes:
		return fmt.Errorf("%w: group %.40q of %d bytes: must have at most %d", ErrInvalid, group, len(group), MaxKeyBytes)
	}
	t, err := l.tiers.of(key)
	if err != nil {
		return err
	}
	it := &op.Items[i]
	it.limiter, it.Policy, it.Rule, it.Shadow = l, &l.policy, &t.rule, l.config.Shadow
	it.Key, it.Cost = key, cost
	if group != key {
		it.Group = group
	}
	if l.policy.Algorithm == SlidingCounter {
		it.Hash = window.Hash(key)
	}
	return nil
}

// ask makes item i of a take or a peek, which has a cost and wants an answer.
func (op *Operation) ask(i int, l *Limiter, key, group string, cost int64, onError OnError) error {
	if onError > Allow {
		return fmt.Errorf("%w: on-error choice %d is not known", ErrInvalid, onError)
	}
	if err := op.charge(i, l, key, group, cost); err != nil {
		return err
	}
	it := &op.Items[i]
	it.onError = onError
	if n := len(it.Rule.Limits); n == 1 {
		it.Statuses = it.one[:]
	} else {
		it.Statuses = make([]window.Status, n)
	}
	switch most := it.Rule.AtOnce; {
	case it.Cost < 1:
		return fmt.Errorf("%w: cost %d of key %q: must be at least 1 (peek to look without taking)", ErrInvalid, it.Cost, it.Key)
	case it.Cost > most && most > 0 && !it.Shadow:
		// A key that is blocked, by a quota of 0, is denied whatever the cost.
		return fmt.Errorf("%w: cost %d of key %q, and policy %q admits at most %d at once",
			ErrCostExceedsQuota, it.Cost, it.Key, it.Policy.Name, most)
	}
	for j := range i {
		if err := it.checkBeside(&op.Items[j]); err != nil {
			return err
		}
	}
	return nil
}

// checkBeside checks that the item can be decided as one with another.
func (it *Item) checkBeside(other *Item) error {
	switch {
	case other.limiter == it.limiter && other.Key == it.Key:
		return fmt.Errorf("%w: policy %q is charged twice for key %q: charge the sum once",
			ErrInvalid, it.Policy.Name, it.Key)
	case other.limiter.config.Store != it.limiter.config.Store:
		return fmt.Errorf("%w: policies %q and %q are on different stores: only one store decides as one",
			ErrInvalid, other.Policy.Name, it.Policy.Name)
	}
	return nil
}

// do has the store carry out the operation. The error is ctx's; a failure of
// the store is kept for whoever answers.
func (op *Operation) do(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	op.failure = op.Items[0].limiter.config.Store.Do(ctx, op)
	if op.failure != nil {
		return ctx.Err()
	}
	op.denier = op.findDenier()
	return nil
}

// decide has the store carry out an operation of one item that wants an answer.
func (op *Operation) decide(ctx context.Context, d *Decision) error {
	if err := op.do(ctx); err != nil {
		return err
	}
	op.answer(0, d)
	op.observe(ctx, 0, d)
	return nil
}

// amend has the store carry out an operation of one item that wants none.
func (op *Operation) amend(ctx context.Context) error {
	if err := op.do(ctx); err != nil {
		return err
	}
	op.observe(ctx, 0, nil)
	return op.failure
}

// findDenier is the item that denies longest, or -1.
func (op *Operation) findDenier() int {
	denier := -1
	for i := range op.Items {
		it := &op.Items[i]
		if it.Shadow || it.Verdict.Allowed {
			continue
		}
		if denier < 0 || it.Verdict.Retry > op.Items[denier].Verdict.Retry {
			denier = i
		}
	}
	return denier
}

// answer makes the decision of item i, which is zero so far: by what the store
// said, or by the strictest on-error choice.
func (op *Operation) answer(i int, d *Decision) {
	it := &op.Items[i]
	d.limiter, d.key, d.group = it.limiter, it.Key, it.Group
	if op.failure != nil {
		d.Source = FromOnError
		if d.Allowed = op.onError() == Allow; !d.Allowed {
			d.RetryAfter = pause
		}
		return
	}
	d.Allowed = true
	if op.denier >= 0 {
		by := &op.Items[op.denier]
		d.Allowed, d.RetryAfter = false, micros(by.Verdict.Retry)
		if d.deniedBy = int8(by.Verdict.DeniedBy); op.denier != i {
			d.denier = &Denial{by.Policy.Name, by.Key, limitOf(&by.Rule.Limits[by.Verdict.DeniedBy])}
		}
	}
	d.rule, d.at, d.receipt = it.Rule, it.Verdict.At, it.Verdict.Receipt
	d.first = it.Statuses[0]
	if len(it.Statuses) > 1 {
		d.others = it.Statuses[1:]
	}
}

// onError is the strictest on-error choice of those that may deny.
func (op *Operation) onError() OnError {
	choice := Allow
	for i := range op.Items {
		if !op.Items[i].Shadow {
			choice = min(choice, op.Items[i].onError)
		}
	}
	return choice
}

// observe tells item i's observer, if it has one, what became of it.
func (op *Operation) observe(ctx context.Context, i int, d *Decision) {
	it := &op.Items[i]
	if it.limiter.config.Observer == nil {
		return
	}
	e := Event{
		Verb: op.Verb, Policy: it.Policy.Name, Key: it.Key, Cost: it.Cost,
		Shadow: it.Shadow, Err: op.failure,
	}
	if d != nil {
		e.Decision, e.Denied = *d, op.failure == nil && !it.Verdict.Allowed
	}
	it.limiter.config.Observer.Observe(ctx, e)
}
