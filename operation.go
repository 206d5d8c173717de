package weir

import (
	"sync"

	"github.com/weirlimit/weir/internal/window"
)

var operations = sync.Pool{New: func() any { return new(Operation) }}

// newOperation is an operation with n items to fill, to be freed after use.
func newOperation(verb Verb, n int) *Operation {
	op := operations.Get().(*Operation) //nolint:forcetypeassert // The pool holds nothing else.
	op.Verb = verb
	if n == 1 {
		op.Items = op.single[:]
	} else {
		op.Items = make([]Item, n)
	}
	return op
}

// free gives the operation back, without what it refers to.
func (op *Operation) free() {
	clear(op.Items)
	op.Items = nil
	operations.Put(op)
}

// room makes space for the answers.
func (it *Item) room() {
	if n := len(it.Rule.Limits); n == 1 {
		it.Statuses = it.one[:]
	} else {
		it.Statuses = make([]window.Status, n)
	}
}
