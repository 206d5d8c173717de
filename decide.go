package weir

import (
	"context"
	"fmt"
	"time"
)

// decideOne is decideAll for one charge, without a slice.
func decideOne(ctx context.Context, verb Verb, c Charge) (d Decision, err error) {
	op := newOperation(verb, 1)
	defer op.free()
	charges := [1]Charge{c}
	decisions := [1]Decision{}
	err = decide(ctx, op, charges[:], decisions[:])
	return decisions[0], err
}

func decideAll(ctx context.Context, verb Verb, charges []Charge) ([]Decision, error) {
	if len(charges) == 0 {
		return nil, nil
	}
	if len(charges) > MaxCharges {
		return nil, fmt.Errorf("%w: %d charges: must be at most %d", ErrInvalid, len(charges), MaxCharges)
	}
	op := newOperation(verb, len(charges))
	defer op.free()
	decisions := make([]Decision, len(charges))
	if err := decide(ctx, op, charges, decisions); err != nil {
		return nil, err
	}
	return decisions, nil
}

// decide is what every take and peek comes to: it makes the charges an
// operation, has the store carry it out, or the on-error choice stand in, and
// tells the outcome to the caller and the observers.
func decide(ctx context.Context, op *Operation, charges []Charge, decisions []Decision) error {
	for i := range charges {
		c, it := &charges[i], &op.Items[i]
		if err := c.fill(it); err != nil {
			return err
		}
		if err := c.checkCost(it); err != nil {
			return err
		}
		if err := c.checkAgainst(charges[:i]); err != nil {
			return err
		}
		it.room()
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	failure := charges[0].limiter.config.Store.Do(ctx, op)
	if failure == nil {
		answer(op, charges, decisions)
	} else {
		if err := ctx.Err(); err != nil {
			return err
		}
		standIn(charges, decisions)
	}
	for i := range charges {
		if o := charges[i].limiter.config.Observer; o != nil {
			it := &op.Items[i]
			o.Observe(ctx, Event{
				Verb: op.Verb, Policy: it.Policy.Name, Key: it.Key, Cost: it.Cost, Shadow: it.Shadow,
				Denied: failure == nil && !it.Verdict.Allowed, Decision: decisions[i], Err: failure,
			})
		}
	}
	return nil
}

// checkAgainst checks that the charge can be decided as one with others.
func (c *Charge) checkAgainst(others []Charge) error {
	for i := range others {
		o := &others[i]
		if o.limiter == c.limiter && o.key == c.key {
			return fmt.Errorf("%w: policy %q is charged twice for key %q: charge the sum once",
				ErrInvalid, c.limiter.policy.Name, c.key)
		}
		if o.limiter.config.Store != c.limiter.config.Store {
			return fmt.Errorf("%w: policies %q and %q are on different stores: only one store decides as one",
				ErrInvalid, o.limiter.policy.Name, c.limiter.policy.Name)
		}
	}
	return nil
}

// answer makes decisions of the store's answers.
func answer(op *Operation, charges []Charge, decisions []Decision) {
	whole := Decision{Allowed: true}
	for i := range op.Items {
		it := &op.Items[i]
		if v := &it.Verdict; !it.Shadow && !v.Allowed {
			if wait := micros(v.Retry); whole.Allowed || wait > whole.RetryAfter {
				whole.RetryAfter = wait
				whole.DeniedBy = Denial{it.Policy.Name, it.Key, it.limit(v.DeniedBy)}
			}
			whole.Allowed = false
		}
	}
	for i := range op.Items {
		it, d := &op.Items[i], &decisions[i]
		*d = whole
		d.At = time.UnixMicro(it.Verdict.At)
		d.limiter, d.key, d.group = charges[i].limiter, it.Key, it.Group
		d.receipt = it.Verdict.Receipt
		d.first, d.hasFirst = it.status(0), true
		if n := len(it.Statuses); n > 1 {
			d.others = make([]LimitStatus, n-1)
			for j := range d.others {
				d.others[j] = it.status(j + 1)
			}
		}
	}
}

// standIn makes decisions by the strictest on-error choice.
func standIn(charges []Charge, decisions []Decision) {
	choice := Allow
	for i := range charges {
		if !charges[i].limiter.config.Shadow {
			choice = min(choice, charges[i].onError)
		}
	}
	for i := range decisions {
		decisions[i] = Decision{Source: FromOnError, Allowed: choice == Allow}
		if choice == Deny {
			decisions[i].RetryAfter = pause
		}
	}
}

// limit is limit i of the item, as it was given.
func (it *Item) limit(i int) Limit {
	l := it.Rule.Limits[i]
	limit := Limit{Quota: l.Quota, Window: micros(l.Window)}
	if l.Burst != l.Quota {
		limit.Burst = l.Burst
	}
	return limit
}

func (it *Item) status(i int) LimitStatus {
	s := &it.Statuses[i]
	return LimitStatus{
		Limit:      it.limit(i),
		Used:       s.Used,
		Remaining:  s.Remaining,
		RetryAfter: micros(s.Retry),
		NextAfter:  micros(s.Next),
		ResetAfter: micros(s.Reset),
		mark:       s.Mark,
	}
}

// amend carries out an operation of one item that decides nothing.
func (l *Limiter) amend(ctx context.Context, op *Operation) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	err := l.config.Store.Do(ctx, op)
	if o := l.config.Observer; o != nil && (err == nil || ctx.Err() == nil) {
		it := &op.Items[0]
		o.Observe(ctx, Event{
			Verb: op.Verb, Policy: it.Policy.Name, Key: it.Key, Cost: it.Cost, Shadow: it.Shadow, Err: err,
		})
	}
	return err
}
