package weir

import (
	"context"
	"fmt"

	"github.com/weirlimit/weir/internal/window"
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
func (c Charge) Take(ctx context.Context) (Decision, error) { return decideOne(ctx, VerbTake, c) }

// Peek is Limiter.Peek for the charge.
func (c Charge) Peek(ctx context.Context) (Decision, error) { return decideOne(ctx, VerbPeek, c) }

// Refund is Limiter.Refund for the charge.
func (c Charge) Refund(ctx context.Context) error { return c.amend(ctx, VerbRefund) }

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
	return decideAll(ctx, VerbTake, charges)
}

// validate checks all but the cost.
func (c *Charge) validate() error {
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

// fill makes the charge an item of an operation.
func (c *Charge) fill(it *Item) error {
	if err := c.validate(); err != nil {
		return err
	}
	t, err := c.limiter.tiers.of(c.key)
	if err != nil {
		return err
	}
	it.Policy, it.Key, it.Group, it.Cost = &c.limiter.policy, c.key, c.group, c.cost
	it.Rule, it.Shadow = &t.rule, c.limiter.config.Shadow
	if it.Group == it.Key {
		it.Group = ""
	}
	if it.Policy.Algorithm == SlidingCounter {
		it.Hash = window.Hash(it.Key)
	}
	return nil
}

// checkCost checks a cost to take or peek. A blocked key is denied, whatever
// the cost, and a shadow policy never fails.
func (c *Charge) checkCost(it *Item) error {
	if c.cost < 1 {
		return fmt.Errorf("%w: cost %d of key %q: must be at least 1 (peek to look without taking)", ErrInvalid, c.cost, c.key)
	}
	if it.Shadow {
		return nil
	}
	if most := it.Rule.AtOnce; most > 0 && c.cost > most {
		return fmt.Errorf("%w: cost %d of key %q, and policy %q admits at most %d at once",
			ErrCostExceedsQuota, c.cost, c.key, c.limiter.policy.Name, most)
	}
	return nil
}

// amend carries out a verb that decides nothing.
func (c Charge) amend(ctx context.Context, verb Verb) error {
	op := newOperation(verb, 1)
	defer op.free()
	if err := c.fill(&op.Items[0]); err != nil {
		return err
	}
	if verb == VerbRefund && (c.cost < 1 || c.cost > MaxQuota) {
		return fmt.Errorf("%w: refund of %d units to key %q: must be from 1 to %d", ErrInvalid, c.cost, c.key, int64(MaxQuota))
	}
	return c.limiter.amend(ctx, op)
}
