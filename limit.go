package weir

import (
	"fmt"
	"math/bits"
	"time"

	"github.com/weirlimit/weir/internal/window"
)

// The ranges of a [Limit].
const (
	MaxQuota  = window.MaxQuota // 2^52 units
	MinWindow = window.MinWindow * time.Microsecond
	MaxWindow = window.MaxWindow * time.Microsecond // 366 days
)

// A Limit is at most Quota units in any Window.
//
// As text it is quota/window, as in 100/1m; see [ParseLimit].
type Limit struct {
	// Quota is how many units, from 0 to MaxQuota. A quota of 0 blocks.
	Quota int64
	// Window is in how long, from MinWindow to MaxWindow, in whole
	// microseconds.
	Window time.Duration
	// Burst is, for a TokenBucket alone, the most units at once; Quota a
	// Window is then the rate at which they come back. 0 means Quota. A whole
	// burst must come back within MaxWindow.
	Burst int64
}

// Per is a limit of quota units in any window.
func Per(quota int64, window time.Duration) Limit { return Limit{Quota: quota, Window: window} }

// PerSecond is a limit of quota units in any second.
func PerSecond(quota int64) Limit { return Per(quota, time.Second) }

// PerMinute is a limit of quota units in any minute.
func PerMinute(quota int64) Limit { return Per(quota, time.Minute) }

// PerHour is a limit of quota units in any hour.
func PerHour(quota int64) Limit { return Per(quota, time.Hour) }

// PerDay is a limit of quota units in any 24 hours.
func PerDay(quota int64) Limit { return Per(quota, 24*time.Hour) }

// validate checks the limit for an algorithm.
func (l Limit) validate(a Algorithm) error {
	switch {
	case l.Quota < 0 || l.Quota > MaxQuota:
		return fmt.Errorf("%w: quota %d of limit %s: must be from 0 to %d", ErrInvalid, l.Quota, l, int64(MaxQuota))
	case l.Window < MinWindow || l.Window > MaxWindow:
		return fmt.Errorf("%w: window %v of limit %s: must be from %v to %s",
			ErrInvalid, l.Window, l, MinWindow, formatWindow(MaxWindow))
	case l.Window%time.Microsecond != 0:
		return fmt.Errorf("%w: window %v of limit %s: must be a whole number of microseconds", ErrInvalid, l.Window, l)
	case l.Burst != 0 && a != TokenBucket:
		return fmt.Errorf("%w: burst %d of limit %s: only a token bucket has a burst, not a %s", ErrInvalid, l.Burst, l, a)
	case l.Burst < 0 || l.Burst > MaxQuota:
		return fmt.Errorf("%w: burst %d of limit %s: must be from 0 to %d", ErrInvalid, l.Burst, l, int64(MaxQuota))
	case l.Burst > 0 && l.Quota == 0:
		return fmt.Errorf("%w: burst %d of limit %s: a quota of 0 never refills it", ErrInvalid, l.Burst, l)
	case l.refillsLate():
		return fmt.Errorf("%w: burst %d of limit %s: must refill within %s", ErrInvalid, l.Burst, l, formatWindow(MaxWindow))
	}
	return nil
}

// refillsLate says whether a whole burst takes longer than MaxWindow to come
// back: burst x window > quota x MaxWindow, of which neither fits in 64 bits.
func (l Limit) refillsLate() bool {
	hi, lo := bits.Mul64(uint64(l.Burst), uint64(l.Window))
	maxHi, maxLo := bits.Mul64(uint64(l.Quota), uint64(MaxWindow))
	return hi > maxHi || hi == maxHi && lo > maxLo
}

// compile is the limit as the arithmetic wants it.
func (l Limit) compile(a Algorithm) window.Limit {
	c := window.Limit{Quota: l.Quota, Window: l.Window.Microseconds()}
	if a == TokenBucket {
		if c.Burst = l.Burst; c.Burst == 0 {
			c.Burst = l.Quota
		}
	}
	return c
}
