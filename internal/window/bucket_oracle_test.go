package window

import (
	"math"
	"math/big"
)

// A leak is one limit of a token bucket: when it will be full again, exactly.
type leak struct {
	limit    Limit
	full     *big.Rat // microseconds
	returned *big.Rat // microseconds of refill that settles and refunds gave back
}

// A leakMark is what the take's receipt remembers of one limit.
type leakMark struct{ full, returned *big.Rat }

// A bucketModel is the oracle of the token bucket: GCRA on rational numbers.
type bucketModel struct {
	oracleClock
	leaks    []leak
	receipts []Receipt
	marks    [][]leakMark
	oldest   int // the first take whose mark is of the rates that are
}

func (m *bucketModel) clock() *oracleClock { return &m.oracleClock }
func (m *bucketModel) squeezed(*Rule)      {}
func (m *bucketModel) settleable(int) bool { return true }
func (m *bucketModel) gone(take int) bool  { return take < m.oldest }

func (m *bucketModel) forget() {
	m.oracleClock, m.leaks, m.oldest = oracleClock{}, nil, len(m.receipts)
}

func (m *bucketModel) tell(r *Rule, reading int64) {
	if m.oracleClock.tell(r, reading) {
		m.leaks, m.oldest = nil, len(m.receipts)
	}
}

func rat(x int64) *big.Rat { return new(big.Rat).SetInt64(x) }

func ceil(x *big.Rat) int64 {
	q, rest := new(big.Int).QuoRem(x.Num(), x.Denom(), new(big.Int))
	if rest.Sign() > 0 {
		q.Add(q, big.NewInt(1))
	}
	return q.Int64()
}

func least(x, y *big.Rat) *big.Rat {
	if x.Cmp(y) < 0 {
		return x
	}
	return y
}

// span is how long units take to refill.
func (l *leak) span(units int64) *big.Rat {
	if l.limit.Quota == 0 {
		return rat(0)
	}
	s := new(big.Rat).Mul(rat(units), big.NewRat(l.limit.Window, l.limit.Quota))
	return least(s, rat(maxAhead))
}

// used is how many units are missing at now, rounded up.
func (l *leak) used(now int64) int64 {
	missing := new(big.Rat).Sub(l.full, rat(now))
	if missing.Sign() <= 0 || l.limit.Quota == 0 {
		return 0
	}
	missing.Mul(missing, big.NewRat(l.limit.Quota, l.limit.Window))
	if missing.Cmp(rat(maxUsage)) > 0 {
		return maxUsage
	}
	return ceil(missing)
}

func (l *leak) take(units, now int64) {
	if l.full.Cmp(rat(now)) < 0 {
		l.full = rat(now)
	}
	l.full = least(new(big.Rat).Add(l.full, l.span(units)), rat(now+maxAhead))
}

func (l *leak) give(span, most *big.Rat) {
	if span = least(span, most); span.Sign() > 0 {
		l.full = new(big.Rat).Sub(l.full, span)
		l.returned = new(big.Rat).Add(l.returned, span)
	}
}

func (m *bucketModel) known(r *Rule) bool {
	if len(m.leaks) != len(r.Limits) {
		return false
	}
	for i, l := range r.Limits {
		if m.leaks[i].limit.Quota != l.Quota || m.leaks[i].limit.Window != l.Window {
			return false
		}
	}
	return true
}

// view is the leaks of the rule's limits. A rate that is new refills from the
// last change on what was missing then.
func (m *bucketModel) view(r *Rule) []leak {
	view := make([]leak, len(r.Limits))
	for i, l := range r.Limits {
		view[i] = leak{limit: l, full: rat(0), returned: rat(0)}
		found := false
		for _, from := range m.leaks {
			if from.limit.Quota == l.Quota && from.limit.Window == l.Window {
				view[i].full, view[i].returned, found = from.full, from.returned, true
			}
		}
		if !found && len(m.leaks) > 0 {
			view[i].take(m.leaks[min(i, len(m.leaks)-1)].used(m.last), m.last)
		}
	}
	return view
}

func (m *bucketModel) look(r *Rule, cost int64) []outlook {
	outlooks := make([]outlook, len(r.Limits))
	for i, l := range m.view(r) {
		outlooks[i] = m.looks(TokenBucket, r.Limits[i], cost, point(l.used(m.now)), func(target int64) span {
			return point(ceil(new(big.Rat).Sub(l.full, l.span(target))))
		})
	}
	return outlooks
}

// reach is when every bucket is full, and the state a fresh one.
func (m *bucketModel) reach() {
	m.empty = math.MinInt64
	for i := range m.leaks {
		m.empty = max(m.empty, ceil(m.leaks[i].full))
	}
}

func (m *bucketModel) record(r *Rule, cost int64, of Receipt) {
	if !m.known(r) {
		m.leaks, m.oldest = m.view(r), len(m.receipts)
	}
	marks := make([]leakMark, len(m.leaks))
	for i := range m.leaks {
		l := &m.leaks[i]
		l.take(cost, m.now)
		marks[i] = leakMark{l.full, l.returned}
	}
	m.receipts, m.marks = append(m.receipts, of), append(m.marks, marks)
	m.reach()
	m.changed()
}

// settle returns no more than the take still holds.
func (m *bucketModel) settle(_ *Rule, take int, actual int64) bool {
	cost := m.receipts[take].Cost
	for i, mark := range m.marks[take] {
		l := &m.leaks[i]
		if actual > cost {
			l.take(actual-cost, m.now)
			continue
		}
		since := new(big.Rat).Sub(l.returned, mark.returned)
		holds := new(big.Rat).Sub(mark.full, since)
		l.give(l.span(cost-actual), holds.Sub(holds, rat(m.now)))
	}
	m.reach()
	m.changed()
	return true
}

func (m *bucketModel) refund(_ *Rule, units int64) {
	if !m.live {
		return
	}
	for i := range m.leaks {
		l := &m.leaks[i]
		l.give(l.span(units), new(big.Rat).Sub(l.full, rat(m.now)))
	}
	m.reach()
	m.changed()
}
