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
//
// The error of Do and DoAll is ctx's or a failure of the store; answers are
// good if and only if it is nil.
type Store interface {
	// Register makes a policy known before its first item. It fails if the
	// store cannot keep its promises for it, and with ErrNameTaken if another
	// policy has the name.
	Register(p *Policy) error

	// Do carries out verb on one item.
	Do(ctx context.Context, verb Verb, it Item) (Answer, error)

	// DoAll carries out verb on several items, no two of which have the same
	// policy and key, and answers each. VerbTake and VerbPeek are decided as
	// one, at one reading of the store's clock, and VerbTake records all or
	// none: an item of a shadow policy never denies the others, and is
	// recorded if they and itself are allowed. The other verbs go item by item.
	DoAll(ctx context.Context, verb Verb, items []Item) ([]Answer, error)

	// Settle replaces the cost of a take, which was answered so, by it.Cost.
	Settle(ctx context.Context, it Item, take *Answer) error
}

// A Policy is what a store knows of a limiter.
type Policy struct {
	Name      string
	Algorithm Algorithm
	Shadow    bool
	// Hash is of the name, the same in every process.
	Hash uint64
}

// A Verb is what a store does to items.
type Verb uint8

// The verbs.
const (
	VerbTake   Verb = iota // decide, and record what was allowed
	VerbPeek               // decide only
	VerbRefund             // credit Cost without a receipt
	VerbReset              // forget the key
	VerbSettle             // Settle, in an Event
)

var verbNames = [...]string{"take", "peek", "refund", "reset", "settle"}

// String is the verb in lower case, such as "take".
func (v Verb) String() string {
	if int(v) < len(verbNames) {
		return verbNames[v]
	}
	return "unknown verb"
}

// An Item is a cost to one key of one policy.
type Item struct {
	Terms *Terms
	Key   string
	Cost  int64
}

// An Answer is what a store says to an item: the verdict on it alone, whatever
// the others are, and a status for each of its limits. Only what was recorded
// has a receipt. Verbs that decide nothing have nothing to say.
type Answer struct {
	Verdict window.Verdict
	One     [1]window.Status // if there is one limit
	Many    []window.Status  // if there are more
}

// Make is the statuses for a store to fill, one for each of n limits.
func (a *Answer) Make(n int) []window.Status {
	if n == 1 {
		return a.One[:]
	}
	if len(a.Many) != n {
		a.Many = make([]window.Status, n)
	}
	return a.Many
}

// Statuses are what Make has made.
func (a *Answer) Statuses() []window.Status {
	if a.Many == nil {
		return a.One[:]
	}
	return a.Many
}
