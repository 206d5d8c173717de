package weir

import (
	"context"
	"fmt"

	"github.com/weirlimit/weir/internal/window"
)

// A Limiter limits the keys of one policy. It is safe for concurrent use, and
// has nothing to close. Make it with [New].
type Limiter struct {
	policy Policy
	config Config
	terms  *Terms // of Config.Limits
	tiers  tiers  // of LimitsFor
}

// New makes the limiter of a policy, and registers its name with the store.
// The error is ErrInvalid, ErrNameTaken, or says why the store cannot keep the
// policy.
func New(c Config) (*Limiter, error) {
	if err := c.validate(); err != nil {
		return nil, err
	}
	l := &Limiter{config: c, policy: Policy{
		Name: c.Name, Algorithm: c.Algorithm, Shadow: c.Shadow, Hash: window.Hash(c.Name),
	}}
	var err error
	if l.terms, err = l.newTerms(c.Limits); err != nil {
		return nil, err
	}
	if err := c.Store.Register(&l.policy); err != nil {
		return nil, fmt.Errorf("policy %q: %w", c.Name, err)
	}
	return l, nil
}

// Name is the policy's name.
func (l *Limiter) Name() string { return l.policy.Name }

// Take decides whether key may consume cost units now, and records them if
// so. A denial is a Decision, not an error, and records nothing.
//
// The error is ErrInvalid for an empty key, one above MaxKeyBytes, a cost below
// 1 or limits of the key's own that no policy may have; ErrCostExceedsQuota for a cost that could never be allowed; or
// ctx's. A failure of the store is no error: Config.OnError decides.
func (l *Limiter) Take(ctx context.Context, key string, cost int64) (d Decision, err error) {
	terms, err := l.termsOf(key, "")
	if err == nil {
		err = terms.checkCost(key, cost)
	}
	if err == nil {
		err = decide(ctx, VerbTake, Item{terms, key, cost}, l.config.OnError, &d)
	}
	return d, err
}

// Peek is Take without recording.
func (l *Limiter) Peek(ctx context.Context, key string, cost int64) (Decision, error) {
	return l.Charge(key, cost).Peek(ctx)
}

// Refund credits key with units of which no Decision is at hand; where one
// is, its Settle and Refund are exact. The oldest usage within the longest
// window goes first: while what is refunded is still in the window, that is
// never too generous; a later refund may over-admit its amount.
//
// The error is ErrInvalid, ctx's or the store's.
func (l *Limiter) Refund(ctx context.Context, key string, units int64) error {
	return l.Charge(key, units).Refund(ctx)
}

// Reset forgets key: all that was recorded, for every limit of this policy.
// The error is ErrInvalid, ctx's or the store's.
func (l *Limiter) Reset(ctx context.Context, key string) error {
	return l.Charge(key, 1).Reset(ctx)
}

// Charge is cost units of key, for TakeAll.
func (l *Limiter) Charge(key string, cost int64) Charge {
	return Charge{limiter: l, key: key, cost: cost, onError: l.config.OnError}
}
