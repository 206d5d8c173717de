package window

import "testing"

const (
	ms     = int64(1000)
	second = 1000 * ms
	minute = 60 * second
	hour   = 60 * minute
	day    = 24 * hour
)

// A verb is what a row of a timeline does.
type verb int

const (
	take verb = iota
	peekOnly
	settleTo // the cost is the actual one
	refundOf
)

// A row is one thing that happens to a key, and how the key's limits stand
// then. Of several limits, used is the first one's.
type row struct {
	at      int64
	verb    verb
	cost    int64
	allowed bool
	used    int64
	retry   int64 // for the same cost; of a settle or a refund, until one more unit fits
	of      int   // the take that is settled, counted from 0
	rule    *Rule // from here on; nil is as before
}

func logOf(limits ...Limit) Rule     { return NewRule(SlidingLog, limits, 0) }
func counterOf(limits ...Limit) Rule { return NewRule(SlidingCounter, limits, 0) }
func fixedOf(limits ...Limit) Rule   { return NewRule(FixedWindow, limits, 0) }
func bucketOf(limits ...Limit) Rule  { return NewRule(TokenBucket, limits, 0) }

// A key is a state under test and what it was last asked by.
type key struct {
	t        *testing.T
	state    State
	rule     Rule
	hash     uint64
	queries  uint64
	receipts []Receipt
	marks    [][]Status
	statuses []Status // of the latest verdict
}

// decide asks, and checks what the verdict says of the future.
func (k *key) decide(at, cost int64, record bool) Verdict {
	k.t.Helper()
	v, q := k.ask(at, cost, record)
	truths(k.t.Fatalf, &k.state, &k.rule, q, v, k.statuses)
	return v
}

// fill records n takes of cost, a step apart.
func (k *key) fill(at, n, cost int64) {
	k.t.Helper()
	for i := range n {
		if v, _ := k.ask(at+i*k.rule.Step, cost, true); !v.Allowed {
			k.t.Fatalf("take %d of %d: %+v", i, n, v)
		}
	}
}

func (k *key) ask(at, cost int64, record bool) (Verdict, Query) {
	k.t.Helper()
	k.queries++
	q := Query{Now: at, Cost: cost, Hash: k.hash, Generation: k.queries, Record: record}
	k.statuses = make([]Status, len(k.rule.Limits))
	v := k.state.decide(&k.rule, q, k.statuses)
	if v.Full {
		k.state.Grow(&k.rule, cost)
		if v = k.state.decide(&k.rule, q, k.statuses); v.Full {
			k.t.Fatalf("at %d: no room for %d after growing", at, cost)
		}
	}
	if v.Allowed && record {
		k.receipts = append(k.receipts, v.Receipt)
		k.marks = append(k.marks, k.statuses)
	}
	return v, q
}

func (k *key) settle(at int64, of int, actual int64) Settled {
	k.queries++
	q := Query{Now: at, Cost: actual, Hash: k.hash, Generation: k.queries}
	settled := k.state.settle(&k.rule, q, k.receipts[of], k.marks[of])
	if settled == NoRoom {
		k.state.Grow(&k.rule, actual)
		settled = k.state.settle(&k.rule, q, k.receipts[of], k.marks[of])
	}
	return settled
}

func (k *key) refund(at, units int64) {
	k.queries++
	k.state.refund(&k.rule, Query{Now: at, Cost: units, Hash: k.hash, Generation: k.queries})
}

// timeline plays rows, and checks each.
func timeline(t *testing.T, rule Rule, rows []row) {
	t.Helper()
	k := &key{t: t, rule: rule}
	k.play(rows)
}

func (k *key) play(rows []row) {
	k.t.Helper()
	for i, r := range rows {
		if r.rule != nil {
			k.rule = *r.rule
		}
		var v Verdict
		switch r.verb {
		case take, peekOnly:
			if v = k.decide(r.at, r.cost, r.verb == take); v.Allowed != r.allowed {
				k.t.Fatalf("row %d: at %d, cost %d: allowed %t: %+v", i, r.at, r.cost, v.Allowed, k.statuses)
			}
		case settleTo:
			k.settle(r.at, r.of, r.cost)
			v = k.decide(r.at, 1, false)
		case refundOf:
			k.refund(r.at, r.cost)
			v = k.decide(r.at, 1, false)
		}
		if used := k.statuses[0].Used; used != r.used {
			k.t.Fatalf("row %d: at %d: used %d, want %d", i, r.at, used, r.used)
		}
		if v.Retry != r.retry {
			k.t.Fatalf("row %d: at %d: retry %d, want %d", i, r.at, v.Retry, r.retry)
		}
	}
}
