package weir

import "context"

// An Observer is told of every operation, after it was decided: for metrics,
// logs and traces. It is called in the caller's goroutine and must be quick
// and safe for concurrent use.
type Observer interface {
	Observe(ctx context.Context, e Event)
}

// An Event is what became of one charge. Fields may be added.
type Event struct {
	Verb   Verb
	Policy string
	Key    string // beware of labelling metrics with it: there are many
	Cost   int64  // for a settle the actual cost; 0 for a reset
	// Denied says that this policy itself denied the charge: for a shadow
	// policy, that it would have. Decision.Allowed is the outcome of the whole.
	Denied bool
	Shadow bool
	// Decision is what the caller got. It is zero for a settle, a refund and a
	// reset.
	Decision Decision
	// Err is the failure of the store, if it failed; for a take or a peek the
	// on-error choice then decided.
	Err error
}
