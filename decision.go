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

// pause is the RetryAfter of a denial by the on-error choice: nobody knows
// when the store is back, and nobody should ask it at once.
const pause = time.Second

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
	// DeniedBy is the limit that denies, and of several the one that does so
	// longest; zero if the request is allowed or the on-error choice denied.
	DeniedBy Denial
	// RetryAfter is 0 if the request is allowed, and else when, from now, this
	// same request would be admitted if nothing else is: not earlier, and not
	// later. It is Never if no wait helps, and a second, a mere guess, if the
	// store failed.
	RetryAfter time.Duration
	// At is when it was decided, and recorded, by the store's clock; zero if
	// the store failed.
	At time.Time

	settled  uint32 // atomically 1 once settled; plain, so that a Decision can be copied
	limiter  *Limiter
	key      string
	group    string
	receipt  window.Receipt
	first    LimitStatus
	others   []LimitStatus
	hasFirst bool
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

	mark window.Mark
}

// Limits are the charge's limits in the policy's order, and how its key stands
// with each. There are none if the store failed.
func (d *Decision) Limits() iter.Seq[LimitStatus] {
	return func(yield func(LimitStatus) bool) {
		if !d.hasFirst || !yield(d.first) {
			return
		}
		for _, s := range d.others {
			if !yield(s) {
				return
			}
		}
	}
}

// Remaining is the fewest units that any limit has left; 0 if the store failed.
func (d *Decision) Remaining() int64 {
	if !d.hasFirst {
		return 0
	}
	least := d.first.Remaining
	for i := range d.others {
		least = min(least, d.others[i].Remaining)
	}
	return least
}

// Settle replaces the cost of this take by the actual one, up or down, for a
// request whose cost is known only afterwards. Down frees units at once. Up
// may exceed the quota, and then nothing passes until usage is below again.
//
// Settle acts once, and never on a decision that recorded nothing (a denial, a
// peek, an on-error choice), so that it may be deferred. It is carried out
// even if ctx has been cancelled, so that a caller who went away is still
// charged right. When nothing of the take is left, or the key was reset, there
// is nothing to do and no error. The error is ErrInvalid for an actual cost
// below 0 or above MaxQuota, or the store's.
//
// Of copies of a Decision, settle one.
func (d *Decision) Settle(ctx context.Context, actual int64) error {
	if actual < 0 || actual > MaxQuota {
		return fmt.Errorf("%w: actual cost %d of key %q: must be from 0 to %d", ErrInvalid, actual, d.key, int64(MaxQuota))
	}
	if d.receipt.Generation == 0 || !atomic.CompareAndSwapUint32(&d.settled, 0, 1) {
		return nil
	}
	op := newOperation(VerbSettle, 1)
	defer op.free()
	c := Charge{limiter: d.limiter, key: d.key, group: d.group, cost: actual}
	it := &op.Items[0]
	if err := c.fill(it); err != nil {
		return err
	}
	it.Receipt = d.receipt
	it.Statuses = append(it.one[:0], window.Status{Mark: d.first.mark})
	for i := range d.others {
		it.Statuses = append(it.Statuses, window.Status{Mark: d.others[i].mark})
	}
	return d.limiter.amend(context.WithoutCancel(ctx), op)
}

// Refund is Settle to a cost of 0, for a request that did not happen.
func (d *Decision) Refund(ctx context.Context) error { return d.Settle(ctx, 0) }
