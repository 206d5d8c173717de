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
	err = decide(ctx, VerbTake, &c, &d)
	return d, err
}

// Peek is Limiter.Peek for the charge.
func (c Charge) Peek(ctx context.Context) (d Decision, err error) {
	err = decide(ctx, VerbPeek, &c, &d)
	return d, err
}

// Refund is Limiter.Refund for the charge.
func (c Charge) Refund(ctx context.Context) error {
	if c.cost < 1 || c.cost > MaxQuota {
		return fmt.Errorf("%w: refund of %d units to key %q: must be from 1 to %d", ErrInvalid, c.cost, c.key, int64(MaxQuota))
	}
	return amend(ctx, VerbRefund, &c)
}

// Reset is Limiter.Reset for the charge's key.
func (c Charge) Reset(ctx context.Context) error {
	c.cost = 0
	return amend(ctx, VerbReset, &c)
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
	for i := range charges {
		if err := op.ask(i, &charges[i]); err != nil {
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

// decide is TakeAll, or its peek, for one charge.
func decide(ctx context.Context, verb Verb, c *Charge, d *Decision) error {
	op := newOperation(verb, 1)
	defer op.free()
	if err := op.ask(0, c); err != nil {
		return err
	}
	if err := op.do(ctx); err != nil {
		return err
	}
	op.answer(0, d)
	op.observe(ctx, 0, d)
	return nil
}

// amend carries out a verb that decides nothing.
func amend(ctx context.Context, verb Verb, c *Charge) error {
	op := newOperation(verb, 1)
	defer op.free()
	if err := op.charge(0, c); err != nil {
		return err
	}
	return op.amend(ctx)
}

// amend carries out an operation that decides nothing.
func (op *Operation) amend(ctx context.Context) error {
	if err := op.do(ctx); err != nil {
		return err
	}
	op.observe(ctx, 0, nil)
	return op.failure
}

// check checks all of a charge but the cost.
func check(c *Charge) error {
	switch {
	case c.limiter == nil:
		return fmt.Errorf("%w: a charge without a limiter", ErrInvalid)
	case c.key == "" || len(c.key) > MaxKeyBytes:
		return fmt.Errorf("%w: key %.40q of %d bytes: must have 1 to %d", ErrInvalid, c.key, len(c.key), MaxKeyBytes)
	case len(c.group) > MaxKeyBytes:
		return fmt.Errorf("%w: group %.40q of %d bytes: must have at most %d", ErrInvalid, c.group, len(c.group), MaxKeyBytes)
	case c.onError > Allow:
		return fmt.Errorf("%w: on-error choice %d is not known", ErrInvalid, c.onError)
	}
	return nil
}
