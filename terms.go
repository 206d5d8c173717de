package weir

import (
	"fmt"
	"slices"
	"sync/atomic"

	"github.com/weirlimit/weir/internal/window"
)

// Terms are what holds for a key: its policy, its limits and its group.
type Terms struct {
	Policy *Policy
	Rule   window.Rule
	// Group names the state together with the policy and the key. Keys of one
	// group can be decided as one; an empty Group is the key itself.
	Group string

	limiter *Limiter
	limits  []Limit
}

// newTerms checks limits and makes them ready.
func (l *Limiter) newTerms(limits []Limit) (*Terms, error) {
	rule, err := l.config.compile(limits)
	if err != nil {
		return nil, err
	}
	return &Terms{Policy: &l.policy, Rule: rule, limiter: l, limits: slices.Clone(limits)}, nil
}

// termsOf are the terms of a key, which is checked.
func (l *Limiter) termsOf(key, group string) (*Terms, error) {
	switch {
	case l == nil:
		return nil, fmt.Errorf("%w: a charge without a limiter", ErrInvalid)
	case key == "" || len(key) > MaxKeyBytes:
		return nil, fmt.Errorf("%w: key %.40q of %d bytes: must have 1 to %d", ErrInvalid, key, len(key), MaxKeyBytes)
	case len(group) > MaxKeyBytes:
		return nil, fmt.Errorf("%w: group %.40q of %d bytes: must have at most %d", ErrInvalid, group, len(group), MaxKeyBytes)
	}
	terms := l.terms
	if l.config.LimitsFor != nil {
		if limits := l.config.LimitsFor(key); len(limits) > 0 {
			var err error
			if terms, err = l.tiers.find(l, limits); err != nil {
				return nil, err
			}
		}
	}
	if group != "" && group != key {
		grouped := *terms
		grouped.Group = group
		terms = &grouped
	}
	return terms, nil
}

// checkCost checks what is to be taken from a key, or peeked.
func (t *Terms) checkCost(key string, cost int64) error {
	if cost >= 1 && cost <= t.Rule.AtOnce {
		return nil
	}
	return t.refuse(key, cost)
}

// refuse is the error of a cost that is not as most are, if it is one.
func (t *Terms) refuse(key string, cost int64) error {
	switch most := t.Rule.AtOnce; {
	case cost < 1:
		return fmt.Errorf("%w: cost %d of key %.40q: must be at least 1 (peek to look without taking)", ErrInvalid, cost, key)
	case most == 0 || t.Policy.Shadow:
		// A key that is blocked, by a quota of 0, is denied whatever the cost,
		// and a shadow policy never fails.
		return nil
	default:
		return fmt.Errorf("%w: cost %d of key %.40q, and policy %q admits at most %d at once",
			ErrCostExceedsQuota, cost, key, t.Policy.Name, most)
	}
}

// tiers are the sets of limits that LimitsFor was seen to return last. Where
// there are more than maxTiers of them, some are made ready again and again.
type tiers struct {
	known atomic.Pointer[[]*Terms]
}

const maxTiers = 32

// find is the terms of limits, which are made and kept if they are new.
func (ts *tiers) find(l *Limiter, limits []Limit) (*Terms, error) {
	var fresh *Terms
	for {
		known := ts.known.Load()
		var all []*Terms
		if known != nil {
			all = *known
		}
		for _, t := range all {
			if slices.Equal(t.limits, limits) {
				return t, nil
			}
		}
		if fresh == nil {
			var err error
			if fresh, err = l.newTerms(limits); err != nil {
				return nil, err
			}
		}
		if len(all) >= maxTiers {
			all = nil // some of them may no longer be in use
		}
		grown := append(slices.Clone(all), fresh)
		if ts.known.CompareAndSwap(known, &grown) {
			return fresh, nil
		}
	}
}
