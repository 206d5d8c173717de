package weir

import (
	"context"
	"fmt"
	"iter"
	"math"
	"sync/atomic"
	"time"

	"github.com/weirlimit/weir/internal/window"
)

// Never is the RetryAfter of a request that will not be admitted as long as
// its limits are what they are.
const Never time.Duration = math.MaxInt64

// A Source is what made a decision.
type Source uint8

// The sources.
const (
	FromStore   Source = iota // the store
	FromOnError               // the on-error choice: the store failed
)

// String is the source as the service writes it, such as "store".
func (s Source) String() string {
	if s == FromOnError {
		return "on_error"
	}
	return "store"
}

// A Decision is the answer to a take or a peek.
type Decision struct {
	// Allowed says whether the request may happen. For a shadow policy it
	// always may.
	Allowed bool
	// Source is what decided. If it is FromOnError, nothing is known of the
	// limits and nothing was recorded.
	Source Source
	// RetryAfter is 0 if the request is allowed, and else when, from now, this
	// same request would be admitted if nothing else is: not earlier, and not
	// later. It is Never if no wait helps, and a second, a mere guess, if the
	// store failed.
	RetryAfter time.Duration

	settled uint32 //nolint:modernize // Atomically 1 once settled; plain, so that a Decision can be copied.
	terms   *Terms
	key     string
	denier  *Denial // in a TakeAll: what denies the whole
	answer  Answer  // zero if the store failed
}

// A Denial names the limit that denies.
type Denial struct {
	Policy string
	Key    string
	Limit  Limit
}

// A LimitStatus is how a key stands with one limit after a decision.
type LimitStatus struct {
	Limit     Limit
	Used      int64 // units in the window, what was just taken included
	Remaining int64 // units
	// RetryAfter is when this limit would admit the same cost: 0 if it did.
	RetryAfter time.Duration
	// NextAfter is when one more unit fits: 0 if it does.
	NextAfter time.Duration
	// ResetAfter is when nothing is used any longer.
	ResetAfter time.Duration
}

// At is when it was decided, and recorded, by the store's clock, to the
// microsecond. It is zero if the store failed.
func (d *Decision) At() time.Time {
	if !d.known() {
		return time.Time{}
	}
	return time.UnixMicro(d.answer.Verdict.At)
}

// known says whether there is anything to tell of the limits.
func (d *Decision) known() bool { return d.terms != nil && d.Source != FromOnError }

// DeniedBy is the limit that denies, and of several the one that does so
// longest. It is zero if the request is allowed or the on-error choice denied.
func (d *Decision) DeniedBy() Denial {
	switch {
	case d.Allowed || !d.known():
		return Denial{}
	case d.denier != nil:
		return *d.denier
	default:
		return *denial(&Item{Terms: d.terms, Key: d.key}, &d.answer.Verdict)
	}
}

// denial is the limit of the item that a verdict is denied by.
func denial(it *Item, v *window.Verdict) *Denial {
	return &Denial{it.Terms.Policy.Name, it.Key, it.Terms.limits[v.DeniedBy]}
}

// Limits are the charge's limits in the policy's order, and how its key stands
// with each. There are none if the store failed.
func (d *Decision) Limits() iter.Seq[LimitStatus] {
	return func(yield func(LimitStatus) bool) {
		if !d.known() {
			return
		}
		limits := d.terms.limits
		statuses := d.answer.Statuses()
		for i := range limits {
			if !yield(statusOf(limits[i], &statuses[i])) {
				return
			}
		}
	}
}

func statusOf(l Limit, s *window.Status) LimitStatus {
	return LimitStatus{
		Limit:      l,
		Used:       s.Used,
		Remaining:  s.Remaining,
		RetryAfter: micros(s.Retry),
		NextAfter:  micros(s.Next),
		ResetAfter: micros(s.Reset),
	}
}

// Remaining is the fewest units that any limit has left; 0 if the store failed.
func (d *Decision) Remaining() int64 {
	if !d.known() {
		return 0
	}
	statuses := d.answer.Statuses()
	least := statuses[0].Remaining
	for i := range statuses {
		least = min(least, statuses[i].Remaining)
	}
	return least
}

// Settle replaces the cost of this take by the actual one, up or down, for a
// request whose cost is known only afterwards. Down frees units at once. Up
// may exceed the quota, and then nothing passes until usage is below again. A
// token bucket returns at most what the take still holds of it: where several
// takes are returned, that may be less than they took, and never more.
//
// Settle acts once, and never on a decision that recorded nothing (a denial, a
// peek, an on-error choice), so that it may be deferred. It is carried out
// even if ctx has been cancelled, so that a caller who went away is still
// charged right. When nothing of the take is left, or the key was reset, there
// is nothing to do and no error. The error is ErrInvalid for an actual cost
// below 0 or above MaxQuota, or for limits that LimitsFor should not have
// given, and else the store's.
//
// Of copies of a Decision, settle one.
func (d *Decision) Settle(ctx context.Context, actual int64) error {
	if actual < 0 || actual > MaxQuota {
		return fmt.Errorf("%w: actual cost %d of key %.40q: must be from 0 to %d", ErrInvalid, actual, d.key, int64(MaxQuota))
	}
	if d.answer.Verdict.Receipt.Generation == 0 {
		return nil
	}
	terms, err := d.terms.limiter.termsOf(d.key, d.terms.Group)
	if err != nil {
		return err
	}
	if !atomic.CompareAndSwapUint32(&d.settled, 0, 1) {
		return nil
	}
	take := d.answer
	return amend(context.WithoutCancel(ctx), VerbSettle, Item{terms, d.key, actual}, &take)
}

// Refund is Settle to a cost of 0, for a request that did not happen.
func (d *Decision) Refund(ctx context.Context) error { return d.Settle(ctx, 0) }
