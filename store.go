package weir

import (
	"context"

	"github.com/weirlimit/weir/internal/window"
)

// A Store keeps usage and decides. Choose one, give it to [Config], and leave
// its methods to the limiters.
//
// Stores count with the arithmetic in this module's internal/window, so a new
// one lives in this module and passes storetest; one that wraps another may
// live anywhere. A Store must be comparable: use a pointer.
type Store interface {
	// Register makes a policy known before its first operation. It fails if
	// the store cannot keep its promises for it, and with ErrNameTaken if
	// another policy has the name.
	Register(p *Policy) error

	// Do carries out one operation and fills in its answers, which are all
	// there if and only if the error is nil. An error is either ctx's or a
	// failure of the store. The operation is the caller's again when Do
	// returns: keep nothing of it.
	Do(ctx context.Context, op *Operation) error
}

// A Policy is what a store knows of a limiter.
type Policy struct {
	Name      string
	Algorithm Algorithm
	// Hash is of the name, the same in every process.
	Hash uint64
}

// A Verb is what an operation does to its items.
type Verb uint8

// The verbs. Take and Peek are decided as one over all items, at one reading
// of the store's clock, and a Take records all of them or none; see
// Item.Shadow. The others go item by item.
const (
	VerbTake   Verb = iota // decide, and record what was allowed
	VerbPeek               // decide only
	VerbSettle             // replace the cost of the take in Receipt by Cost
	VerbRefund             // credit Cost without a receipt
	VerbReset              // forget the key
)

var verbNames = [...]string{"take", "peek", "settle", "refund", "reset"}

// String is the verb in lower case, such as "take".
func (v Verb) String() string {
	if int(v) < len(verbNames) {
		return verbNames[v]
	}
	return "unknown verb"
}

// An Operation is one request to a store. No two of its items have the same
// policy and key.
type Operation struct {
	Verb  Verb
	Items []Item

	single  [1]Item
	failure error // of the store
	denier  int   // the item that denies longest, or -1
}

// An Item is one key of one policy in an operation.
type Item struct {
	Policy *Policy
	// Key and Group name the state together with the policy. Keys of one group
	// can be decided as one; an empty Group is the key itself.
	Key, Group string
	Rule       *window.Rule
	Cost       int64
	// Hash is of the key, the same in every process. It is set for a
	// SlidingCounter alone, whose windows it places.
	Hash uint64
	// Shadow items never deny the others, and are recorded only if both the
	// others and they themselves would be allowed.
	Shadow bool
	// Receipt and the marks in Statuses are those of the take, for a settle.
	Receipt window.Receipt

	// Verdict and Statuses, one a limit, are the answers of a take or a peek:
	// what this item alone would be answered, whatever the others are. Only
	// what was recorded has a receipt.
	Verdict  window.Verdict
	Statuses []window.Status

	limiter *Limiter
	onError OnError
	one     [1]window.Status
}

// Allowed says whether the operation as a whole was allowed: every item was
// that is not a shadow. The answers must be there.
func (op *Operation) Allowed() bool {
	for i := range op.Items {
		if it := &op.Items[i]; !it.Shadow && !it.Verdict.Allowed {
			return false
		}
	}
	return true
}
