package weir

import (
	"context"
	"fmt"
)

// A Charge is a cost to one key of one limiter, yet to be taken: alone, or
// with others by [TakeAll]. Make it with [Limiter.Charge].
type Charge struct {
	limiter *Limiter
	key     string
	group   string
	cost    int64
	onError OnError
}

// In puts the key in a group: keys of one group can be decided as one on every
// store. The same key in another group, or in none, is another key. By
// default a key is a group of its own, which every policy of that key is in.
func (c Charge) In(group string) Charge {
	c.group = group
	return c
}

// OnError is the charge with an on-error choice of its own. In a TakeAll the
// strictest choice of all charges decides.
func (c Charge) OnError(choice OnError) Charge {
	c.onError = choice
	return c
}

// Take is Limiter.Take for the charge.
func (c Charge) Take(ctx context.Context) (d Decision, err error) {
	err = c.decide(ctx, VerbTake, &d)
	return d, err
}

// Peek is Limiter.Peek for the charge.
func (c Charge) Peek(ctx context.Context) (d Decision, err error) {
	err = c.decide(ctx, VerbPeek, &d)
	return d, err
}

// Refund is Limiter.Refund for the charge.
func (c Charge) Refund(ctx context.Context) error {
	if c.cost < 1 || c.cost > MaxQuota {
		return fmt.Errorf("%w: refund of %d units to key %q: must be from 1 to %d", ErrInvalid, c.cost, c.key, int64(MaxQuota))
	}
	return c.amend(ctx, VerbRefund)
}

// Reset is Limiter.Reset for the charge's key.
func (c Charge) Reset(ctx context.Context) error {
	c.cost = 0
	return c.amend(ctx, VerbReset)
}

// TakeAll takes all charges or none, as one decision: there is one Decision a
// charge, in order. Each tells the outcome of the whole (Allowed, DeniedBy and
// RetryAfter are the same in all), the limits of its own charge, and settles
// alone. A shadow policy among them never changes the outcome.
//
// The charges' limiters must share a store, and no two charges the same
// limiter and key: that is ErrInvalid, as are more than MaxCharges. Other
// errors are as for Take. With no charges there are no decisions.
func TakeAll(ctx context.Context, charges ...Charge) ([]Decision, error) {
	if len(charges) == 0 {
		return nil, nil
	}
	if len(charges) > MaxCharges {
		return nil, fmt.Errorf("%w: %d charges: must be at most %d", ErrInvalid, len(charges), MaxCharges)
	}
	op := newOperation(VerbTake, len(charges))
	defer op.free()
	for i, c := range charges {
		if err := op.ask(i, c.limiter, c.key, c.group, c.cost, c.onError); err != nil {
			return nil, err
		}
	}
	if err := op.do(ctx); err != nil {
		return nil, err
	}
	decisions := make([]Decision, len(charges))
	for i := range decisions {
		op.answer(i, &decisions[i])
		op.observe(ctx, i, &decisions[i])
	}
	return decisions, nil
}

func (c Charge) decide(ctx context.Context, verb Verb, d *Decision) error {
	op := newOperation(verb, 1)
	defer op.free()
	if err := op.ask(0, c.limiter, c.key, c.group, c.cost, c.onError); err != nil {
		return err
	}
	return op.decide(ctx, d)
}

func (c Charge) amend(ctx context.Context, verb Verb) error {
	op := newOperation(verb, 1)
	defer op.free()
	if err := op.charge(0, c.limiter, c.key, c.group, c.cost); err != nil {
		return err
	}
	return op.amend(ctx)
}
