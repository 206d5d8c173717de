package window

import (
	"math/big"
	"slices"
	"sort"
)

// A tally is every change of one limit's count, each at its own time.
type tally struct {
	window int64
	events []tallied
}

type tallied struct{ at, units int64 }

// A counterModel is the oracle of the sliding counter and of the fixed window:
// it keeps every event, and buckets them by scanning.
type counterModel struct {
	oracleClock
	algorithm Algorithm
	hash      uint64
	tallies   []tally
	receipts  []Receipt
	first     int // take of this state
}

func (m *counterModel) clock() *oracleClock { return &m.oracleClock }

func (m *counterModel) squeezed(*Rule)      {}
func (m *counterModel) settleable(int) bool { return true }
func (m *counterModel) gone(take int) bool  { return take < m.first }

func (m *counterModel) forget() {
	m.oracleClock, m.tallies, m.first = oracleClock{}, nil, len(m.receipts)
}

func (m *counterModel) tell(r *Rule, reading int64) {
	if m.oracleClock.tell(r, reading) {
		m.tallies, m.first = nil, len(m.receipts)
	}
}

// start is when the window of a length that t lies in starts.
func (m *counterModel) start(window, t int64) int64 {
	phase := uint64(0)
	if m.algorithm == SlidingCounter {
		phase = m.hash % uint64(window)
	}
	return t - int64((uint64(t)+phase)%uint64(window))
}

// within is the units of the window that starts then.
func (c *tally) within(start int64) int64 {
	sum := int64(0)
	for _, e := range c.events {
		if e.at >= start && e.at < start+c.window {
			sum += e.units
		}
	}
	return sum
}

// counts are those of the window that t lies in and, if that slides, of the
// one before.
func (m *counterModel) counts(c *tally, t int64) (cur, prev int64) {
	start := m.start(c.window, t)
	cur = c.within(start)
	if m.algorithm == SlidingCounter {
		prev = c.within(start - c.window)
	}
	return cur, prev
}

// used is cur + ceil(prev * (1 - elapsed/window)).
func (m *counterModel) used(c *tally, t int64) int64 {
	cur, prev := m.counts(c, t)
	return cur + faded(prev, t-m.start(c.window, t), c.window)
}

func faded(prev, elapsed, window int64) int64 {
	if prev == 0 {
		return 0
	}
	still := new(big.Int).Mul(big.NewInt(prev), big.NewInt(window-elapsed))
	q, rest := still.QuoRem(still, big.NewInt(window), new(big.Int))
	if rest.Sign() > 0 {
		return q.Int64() + 1
	}
	return q.Int64()
}

// until is when no more than target is used: in each window, from the one that
// is on, found by halving, since counts only fade in it.
func (m *counterModel) until(c *tally, target int64) span {
	for at := m.now; ; {
		start := m.start(c.window, at)
		cur, prev := m.counts(c, at)
		k := sort.Search(int(start+c.window-at), func(k int) bool {
			return cur+faded(prev, at+int64(k)-start, c.window) <= target
		})
		if at += int64(k); at < start+c.window {
			return point(at)
		}
	}
}

// view is the tallies of the rule's limits. A window that is new takes over
// all that the next longer, or else the longest, counted at the last change.
func (m *counterModel) view(r *Rule) []tally {
	view := make([]tally, len(r.Limits))
	for i, l := range r.Limits {
		view[i].window = l.Window
		var from *tally
		for j := range m.tallies {
			c := &m.tallies[j]
			switch {
			case from == nil:
				from = c
			case c.window >= l.Window && from.window >= l.Window:
				if c.window < from.window {
					from = c
				}
			case c.window > from.window:
				from = c
			}
		}
		switch {
		case from == nil:
		case from.window == l.Window:
			view[i].events = append([]tallied(nil), from.events...)
		default:
			cur, prev := m.counts(from, m.last)
			view[i].events = []tallied{{m.last, min(cur+prev, maxUsage)}}
		}
	}
	return view
}

func (m *counterModel) look(r *Rule, cost int64) []outlook {
	outlooks := make([]outlook, len(r.Limits))
	for i, c := range m.view(r) {
		outlooks[i] = m.looks(m.algorithm, r.Limits[i], cost, point(m.used(&c, m.now)), func(target int64) span {
			return m.until(&c, target)
		})
	}
	return outlooks
}

func (m *counterModel) record(r *Rule, cost int64, of Receipt) {
	if !slices.EqualFunc(m.tallies, r.Limits, func(c tally, l Limit) bool { return c.window == l.Window }) {
		m.first = len(m.receipts) // windows changed: what was taken before cannot be told apart
	}
	m.tallies = m.view(r)
	for i := range m.tallies {
		c := &m.tallies[i]
		c.events = append(c.events, tallied{m.now, cost})
		reach := int64(1)
		if m.algorithm == SlidingCounter {
			reach = 2
		}
		m.empty = max(m.empty, m.start(c.window, m.now)+reach*c.window)
	}
	m.receipts = append(m.receipts, of)
	m.changed()
}

func (m *counterModel) settle(_ *Rule, take int, actual int64) (there bool) {
	of := m.receipts[take]
	for i := range m.tallies {
		c := &m.tallies[i]
		start, now := m.start(c.window, of.At), m.start(c.window, m.now)
		if start != now && (m.algorithm == FixedWindow || start != now-c.window) {
			continue
		}
		there = true
		count := c.within(start)
		settled := max(count+actual-of.Cost, 0)
		if actual > of.Cost {
			settled = max(settled, actual)
		}
		c.events = append(c.events, tallied{start, min(settled, maxUsage) - count})
	}
	m.changed()
	return there
}

func (m *counterModel) refund(_ *Rule, units int64) {
	if !m.live {
		return
	}
	for i := range m.tallies {
		c := &m.tallies[i]
		cur, prev := m.counts(c, m.now)
		start := m.start(c.window, m.now)
		old := min(units, prev)
		c.events = append(c.events, tallied{start - c.window, -old}, tallied{start, -min(units-old, cur)})
	}
	m.changed()
}
