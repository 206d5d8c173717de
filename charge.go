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
// store. The same key in another group, or in none, is counted apart. By
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
func (c Charge) Take(ctx context.Context) (Decision, error) { return c.decide(ctx, VerbTake) }

// Peek is Limiter.Peek for the charge.
func (c Charge) Peek(ctx context.Context) (Decision, error) { return c.decide(ctx, VerbPeek) }

func (c Charge) decide(ctx context.Context, verb Verb) (d Decision, err error) {
	it, err := c.item()
	if err == nil {
		err = decide(ctx, verb, it, c.onError, &d)
	}
	return d, err
}

// item is the charge, checked.
func (c Charge) item() (Item, error) {
	if c.onError > Allow {
		return Item{}, fmt.Errorf("%w: on-error choice %d is not known", ErrInvalid, c.onError)
	}
	terms, err := c.limiter.termsOf(c.key, c.group)
	if err == nil {
		err = terms.checkCost(c.key, c.cost)
	}
	return Item{terms, c.key, c.cost}, err
}

// Refund is Limiter.Refund for the charge.
func (c Charge) Refund(ctx context.Context) error {
	if c.cost < 1 || c.cost > MaxQuota {
		return fmt.Errorf("%w: refund of %d units to key %.40q: must be from 1 to %d", ErrInvalid, c.cost, c.key, int64(MaxQuota))
	}
	return c.amend(ctx, VerbRefund, c.cost)
}

// Reset is Limiter.Reset for the charge's key.
func (c Charge) Reset(ctx context.Context) error { return c.amend(ctx, VerbReset, 0) }

func (c Charge) amend(ctx context.Context, verb Verb, cost int64) error {
	terms, err := c.limiter.termsOf(c.key, c.group)
	if err != nil {
		return err
	}
	return amend(ctx, verb, Item{terms, c.key, cost}, nil)
}

// TakeAll takes all charges or none, as one decision: there is one Decision a
// charge, in order. Each tells the outcome of the whole (Allowed, DeniedBy and
// RetryAfter are the same in all), the limits of its own charge, and settles
// alone. A shadow policy among them never changes the outcome.
//
// The charges' limiters must share a store, and no two charges the same
// limiter and key, whatever their groups: that is ErrInvalid, as are more than MaxCharges. Other
// errors are as for Take. With no charges there are no decisions.
func TakeAll(ctx context.Context, charges ...Charge) ([]Decision, error) {
	if len(charges) == 0 {
		return nil, nil
	}
	if len(charges) > MaxCharges {
		return nil, fmt.Errorf("%w: %d charges: must be at most %d", ErrInvalid, len(charges), MaxCharges)
	}
	items, onError := make([]Item, len(charges)), Allow
	for i := range charges {
		c := &charges[i]
		var err error
		if items[i], err = c.item(); err != nil {
			return nil, err
		}
		for j := range i {
			if err := items[i].checkBeside(&items[j]); err != nil {
				return nil, err
			}
		}
		if !c.limiter.policy.Shadow {
			onError = min(onError, c.onError)
		}
	}
	return decideAll(ctx, VerbTake, items, onError)
}

// checkBeside checks that the item can be decided as one with another.
func (it *Item) checkBeside(other *Item) error {
	l, o := it.Terms.limiter, other.Terms.limiter
	switch {
	case o == l && other.Key == it.Key:
		return fmt.Errorf("%w: policy %q is charged twice for key %.40q: a key has one charge", ErrInvalid, l.policy.Name, it.Key)
	case o.config.Store != l.config.Store:
		return fmt.Errorf("%w: policies %q and %q are on different stores: only one store decides as one",
			ErrInvalid, o.policy.Name, l.policy.Name)
	}
	return nil
}
