package weir

import "errors"

// The errors of this package, to be matched with errors.Is. Any other error is
// a context's that ended, or, from Settle, Refund and Reset, the store's.
var (
	// ErrInvalid is a bad argument: the message names the value and the rule.
	// Nothing was recorded.
	ErrInvalid = errors.New("weir: invalid")
	// ErrCostExceedsQuota is a take that could never be allowed, however long
	// it waited. Nothing was recorded.
	ErrCostExceedsQuota = errors.New("weir: cost exceeds quota")
	// ErrNameTaken is a policy whose name another one on the same store has.
	ErrNameTaken = errors.New("weir: policy name is taken on this store")
)
