package storetest_test

import (
	"context"

	"github.com/weirlimit/weir"
	"github.com/weirlimit/weir/internal/window"
)

// An operation is a call of a store's, with what it answers, laid open so that
// one function can break any of it.
type operation struct {
	Verb  weir.Verb
	Items []item
}

// An item is a weir.Item, its terms, and its answer; to settle, Receipt is the
// take's.
type item struct {
	Policy     *weir.Policy
	Rule       *window.Rule
	Key, Group string
	Cost       int64
	Receipt    window.Receipt
	Verdict    window.Verdict
	Statuses   []window.Status
}

func open(it weir.Item) item {
	return item{Policy: it.Terms.Policy, Rule: &it.Terms.Rule, Group: it.Terms.Group, Key: it.Key, Cost: it.Cost}
}

func (it *item) closed() weir.Item {
	return weir.Item{Terms: &weir.Terms{Policy: it.Policy, Rule: *it.Rule, Group: it.Group}, Key: it.Key, Cost: it.Cost}
}

func (it *item) hear(a *weir.Answer) { it.Verdict, it.Statuses = a.Verdict, a.Statuses() }

func (it *item) answer() weir.Answer {
	a := weir.Answer{Verdict: it.Verdict}
	copy(a.Make(len(it.Statuses)), it.Statuses)
	return a
}

// Allowed says whether the operation as a whole was.
func (op *operation) Allowed() bool {
	for _, it := range op.Items {
		if !it.Verdict.Allowed && !it.Policy.Shadow {
			return false
		}
	}
	return true
}

func (b *breaker) Do(ctx context.Context, verb weir.Verb, it weir.Item) (weir.Answer, error) {
	op := operation{Verb: verb, Items: []item{open(it)}}
	err := b.do(b, ctx, &op)
	return op.Items[0].answer(), err
}

func (b *breaker) DoAll(ctx context.Context, verb weir.Verb, items []weir.Item) ([]weir.Answer, error) {
	op := operation{Verb: verb}
	for _, it := range items {
		op.Items = append(op.Items, open(it))
	}
	err := b.do(b, ctx, &op)
	answers := make([]weir.Answer, len(items))
	for i := range answers {
		answers[i] = op.Items[i].answer()
	}
	return answers, err
}

func (b *breaker) Settle(ctx context.Context, it weir.Item, take *weir.Answer) error {
	settled := open(it)
	settled.Receipt, settled.Statuses = take.Verdict.Receipt, take.Statuses()
	return b.do(b, ctx, &operation{Verb: weir.VerbSettle, Items: []item{settled}})
}

// pass has the store that is broken carry out the operation.
func (b *breaker) pass(ctx context.Context, op *operation) error {
	if op.Verb == weir.VerbSettle {
		it := &op.Items[0]
		take := it.answer()
		take.Verdict.Receipt = it.Receipt
		return b.Store.Settle(ctx, it.closed(), &take)
	}
	if len(op.Items) == 1 {
		a, err := b.Store.Do(ctx, op.Verb, op.Items[0].closed())
		op.Items[0].hear(&a)
		return err
	}
	items := make([]weir.Item, len(op.Items))
	for i := range items {
		items[i] = op.Items[i].closed()
	}
	answers, err := b.Store.DoAll(ctx, op.Verb, items)
	for i := range answers {
		op.Items[i].hear(&answers[i])
	}
	return err
}

// sub carries out a verb on items alone.
func (b *breaker) sub(ctx context.Context, verb weir.Verb, items ...item) []item {
	op := operation{Verb: verb, Items: items}
	if err := b.pass(ctx, &op); err != nil {
		panic(err)
	}
	return op.Items
}
