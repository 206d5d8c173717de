package weir

import (
	"fmt"
	"time"

	"github.com/weirlimit/weir/internal/window"
)

// The most that a policy may have.
const (
	MaxNameBytes = 128
	MaxKeyBytes  = 1024 // of a key, and of a group
	MaxLimits    = window.MaxLimits
	MaxCharges   = 64 // in one TakeAll
)

// OnError is what decides when the store fails.
type OnError uint8

// The choices, the strictest first.
const (
	Deny  OnError = iota // deny while the store is away
	Allow                // allow, unrecorded, while the store is away
)

// A Config is a policy, and where its usage is kept.
type Config struct {
	// Name is the policy's, unique in its store: 1 to MaxNameBytes printable
	// ASCII characters without quotes and backslashes.
	Name string

	// Store keeps the usage. Limiters that a TakeAll decides as one share it.
	Store Store

	// Limits apply together, 1 to MaxLimits of them with windows that all
	// differ.
	Limits []Limit

	// LimitsFor, if set, gives the limits of a key: for tiers and overrides.
	// No limits means Limits. It is called for every operation, must be quick
	// and safe for concurrent use, and what it returns must not change. What
	// it changes for a key applies at once to the usage that is there.
	LimitsFor func(key string) []Limit

	// Algorithm is how the policy counts; the zero value is SlidingLog.
	Algorithm Algorithm

	// Precision is, for a SlidingLog alone, a step to which the times of takes
	// are rounded up: takes of one step share an entry, so that memory is
	// bounded by the window and not only by the quota. It never admits more.
	// At most a tenth of the shortest window, in whole microseconds. The zero
	// value is the finest step of which the longest window has at most 2^31:
	// a microsecond up to 35 minutes, 50 of them for a day.
	Precision time.Duration

	// OnError decides when the store fails; the zero value is Deny.
	OnError OnError

	// Shadow makes a policy that never blocks: it records only what it would
	// have admitted, and tells the observer what it would have done.
	Shadow bool

	// Observer, if set, is told of every operation.
	Observer Observer
}

// validate checks all but the limits.
func (c *Config) validate() error {
	if err := checkName(c.Name); err != nil {
		return err
	}
	switch {
	case c.Store == nil:
		return fmt.Errorf("%w: policy %q: Store is nil", ErrInvalid, c.Name)
	case int(c.Algorithm) >= len(algorithmNames):
		return fmt.Errorf("%w: policy %q: algorithm %d is not known", ErrInvalid, c.Name, c.Algorithm)
	case c.OnError > Allow:
		return fmt.Errorf("%w: policy %q: on-error choice %d is not known", ErrInvalid, c.Name, c.OnError)
	case c.Precision != 0 && c.Algorithm != SlidingLog:
		return fmt.Errorf("%w: policy %q: precision %v: only a sliding log has one, not a %s",
			ErrInvalid, c.Name, c.Precision, c.Algorithm)
	case c.Precision < 0 || c.Precision%time.Microsecond != 0:
		return fmt.Errorf("%w: policy %q: precision %v: must be a whole number of microseconds, or 0",
			ErrInvalid, c.Name, c.Precision)
	}
	return nil
}

func checkName(name string) error {
	if name == "" || len(name) > MaxNameBytes {
		return fmt.Errorf("%w: policy name %.40q of %d bytes: must have 1 to %d", ErrInvalid, name, len(name), MaxNameBytes)
	}
	for i := range len(name) {
		if c := name[i]; c < ' ' || c > '~' || c == '"' || c == '\'' || c == '`' || c == '\\' {
			return fmt.Errorf("%w: policy name %q: must be printable ASCII without quotes and backslashes", ErrInvalid, name)
		}
	}
	return nil
}

// compile checks limits and makes them ready for the arithmetic.
func (c *Config) compile(limits []Limit) (window.Rule, error) {
	if len(limits) == 0 || len(limits) > MaxLimits {
		return window.Rule{}, fmt.Errorf("%w: policy %q has %d limits: must have 1 to %d",
			ErrInvalid, c.Name, len(limits), MaxLimits)
	}
	compiled := make([]window.Limit, len(limits))
	for i, l := range limits {
		if err := l.validate(c.Algorithm); err != nil {
			return window.Rule{}, fmt.Errorf("policy %q: %w", c.Name, err)
		}
		for _, other := range limits[:i] {
			if other.Window == l.Window {
				return window.Rule{}, fmt.Errorf("%w: policy %q: limits %s and %s have the same window",
					ErrInvalid, c.Name, other, l)
			}
		}
		compiled[i] = l.compile(c.Algorithm)
	}
	r := window.NewRule(window.Algorithm(c.Algorithm), compiled, c.Precision.Microseconds())
	if c.Algorithm != SlidingLog {
		return r, nil
	}
	switch longest, shortest := micros(r.Longest), micros(r.Shortest); {
	case (10*r.Longest-1)/window.MaxSteps >= r.Shortest:
		return window.Rule{}, fmt.Errorf("%w: policy %q: windows of %s and %s are too far apart for one sliding log: at most 2^31/10 times",
			ErrInvalid, c.Name, formatWindow(longest), formatWindow(shortest))
	case c.Precision > shortest/10:
		return window.Rule{}, fmt.Errorf("%w: policy %q: precision %v: must be at most a tenth of the shortest window, %s",
			ErrInvalid, c.Name, c.Precision, formatWindow(shortest))
	case r.Longest > r.Step*window.MaxSteps:
		return window.Rule{}, fmt.Errorf("%w: policy %q: precision %v: a window of %s has at most 2^31 steps, so of at least %v",
			ErrInvalid, c.Name, c.Precision, formatWindow(longest), micros((r.Longest-1)/window.MaxSteps+1))
	}
	return r, nil
}

// micros is a time of the arithmetic as a Duration; Never stays Never.
func micros(us int64) time.Duration {
	if us == window.Never {
		return Never
	}
	return time.Duration(us) * time.Microsecond
}
