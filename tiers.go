package weir

import (
	"slices"
	"sync/atomic"

	"github.com/weirlimit/weir/internal/window"
)

// tier is a set of limits and its rule.
type tier struct {
	limits []Limit
	rule   window.Rule
}

// tiers are the sets of limits that a policy's keys have: the first is
// Config.Limits, the others are what LimitsFor was seen to return, as long as
// there are few; limits that differ from key to key are made ready each time.
type tiers struct {
	config *Config
	known  atomic.Pointer[[]*tier]
}

const maxTiers = 32

// of is the tier of a key.
func (t *tiers) of(key string) (*tier, error) {
	known := *t.known.Load()
	if t.config.LimitsFor == nil {
		return known[0], nil
	}
	limits := t.config.LimitsFor(key)
	if len(limits) == 0 {
		return known[0], nil
	}
	for _, k := range known {
		if slices.Equal(k.limits, limits) {
			return k, nil
		}
	}
	return t.learn(limits)
}

// learn makes limits ready, and keeps them if there is room.
func (t *tiers) learn(limits []Limit) (*tier, error) {
	rule, err := t.config.compile(limits)
	if err != nil {
		return nil, err
	}
	fresh := &tier{limits: slices.Clone(limits), rule: rule}
	for {
		old := t.known.Load()
		if len(*old) >= maxTiers {
			return fresh, nil
		}
		grown := append(slices.Clip(slices.Clone(*old)), fresh)
		if t.known.CompareAndSwap(old, &grown) {
			return fresh, nil
		}
	}
}
