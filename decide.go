package weir

import (
	"context"
	"time"
)

// pause is the RetryAfter of a denial by the on-error choice: nobody knows
// when the store is back, and nobody should ask it at once.
const pause = time.Second

// decide takes or peeks one item, and makes the decision, which is zero so
// far. A store that failed leaves it to the on-error choice.
func decide(ctx context.Context, verb Verb, it Item, onError OnError, d *Decision) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	l := it.Terms.limiter
	// Written before the store is asked, so that a caller's copy of a decision
	// that allows has nothing to wait for.
	d.Allowed, d.terms, d.key = true, it.Terms, it.Key
	var failure error
	d.answer, failure = l.config.Store.Do(ctx, verb, it)
	switch v := &d.answer.Verdict; {
	case failure != nil:
		if err := ctx.Err(); err != nil {
			*d = Decision{}
			return err
		}
		if l.policy.Shadow {
			onError = Allow
		}
		d.standIn(onError)
	case !v.Allowed && !l.policy.Shadow:
		d.Allowed, d.RetryAfter = false, micros(v.Retry)
	}
	if l.config.Observer != nil {
		observe(ctx, verb, it, d, failure)
	}
	return nil
}

// decideAll is decide for several items, as one.
func decideAll(ctx context.Context, verb Verb, items []Item, onError OnError) ([]Decision, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	answers, failure := items[0].Terms.limiter.config.Store.DoAll(ctx, verb, items)
	if failure != nil {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
	}
	whole := Decision{Allowed: true}
	if failure == nil {
		whole.denyBy(items, answers)
	} else {
		whole.standIn(onError)
	}
	decisions := make([]Decision, len(items))
	for i := range decisions {
		d := &decisions[i]
		*d = whole
		if failure == nil {
			d.answer = answers[i]
		}
		d.terms, d.key = items[i].Terms, items[i].Key
		if d.terms.limiter.config.Observer != nil {
			observe(ctx, verb, items[i], d, failure)
		}
	}
	return decisions, nil
}

// denyBy makes the decision a denial by the item that denies longest, if one
// does that may.
func (d *Decision) denyBy(items []Item, answers []Answer) {
	for i := range items {
		v := &answers[i].Verdict
		if v.Allowed || items[i].Terms.Policy.Shadow {
			continue
		}
		if wait := micros(v.Retry); d.Allowed || wait > d.RetryAfter {
			d.Allowed, d.RetryAfter = false, wait
			d.denier = denial(&items[i], v)
		}
	}
}

// standIn decides in the place of a store that failed.
func (d *Decision) standIn(choice OnError) {
	d.Source, d.Allowed, d.answer = FromOnError, choice == Allow, Answer{}
	if !d.Allowed {
		d.RetryAfter = pause
	}
}

// amend carries out a verb that decides nothing; a settle is of a take that
// was answered so.
func amend(ctx context.Context, verb Verb, it Item, take *Answer) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	l := it.Terms.limiter
	var err error
	if verb == VerbSettle {
		err = l.config.Store.Settle(ctx, it, take)
	} else {
		_, err = l.config.Store.Do(ctx, verb, it)
	}
	if l.config.Observer != nil && (err == nil || ctx.Err() == nil) {
		observe(ctx, verb, it, nil, err)
	}
	return err
}

// observe tells the item's observer what became of it.
func observe(ctx context.Context, verb Verb, it Item, d *Decision, failure error) {
	l := it.Terms.limiter
	e := Event{
		Verb: verb, Policy: l.policy.Name, Key: it.Key, Cost: it.Cost, Shadow: l.policy.Shadow, Err: failure,
	}
	if d != nil {
		e.Decision, e.Denied = *d, failure == nil && !d.answer.Verdict.Allowed
	}
	l.config.Observer.Observe(ctx, e)
}
