package window

import (
	"math"
	"slices"
)

// A logEvent is one take, as the sliding log's oracle remembers it.
type logEvent struct {
	take    int   // its number, of all takes ever
	at      int64 // rounded up to the precision
	asked   int64 // the cost of the take
	cost    int64 // settled; 0 once it may be forgotten
	most    int64 // what the log may still count it as, if it could not settle
	touched bool  // by a refund, or else not to be settled
}

// A logModel is the oracle of the sliding log: every event, and scans.
//
// It is exact as long as entries stay as they were recorded. Merging (of what
// is older than a shorter window, or for want of memory) and other precisions
// leave it with bounds: an entry counts from its own time to slack later.
type logModel struct {
	oracleClock
	events  []logEvent
	takes   int   // recorded, ever
	first   int   // of them that is of this state
	horizon int64 // the longest window so far
	newest  int64 // what was ever recorded as
	step    int64
	slack   int64 // how much longer than they must entries may stay
	merged  int64 // horizon of the last merge
	owed    int64 // units that a refund may have credited to what no window of the caller had
	excess  bool  // more than the log counts: it saturates
}

func (m *logModel) clock() *oracleClock { return &m.oracleClock }

func (m *logModel) forget() { *m = logModel{takes: m.takes, first: m.takes} }

func (m *logModel) gone(take int) bool { return take < m.first }

func (m *logModel) squeezed(r *Rule) {
	if m.live {
		m.age(r)
		m.changed()
	}
	m.slack = math.MaxInt64 / 4
}

func (m *logModel) tell(r *Rule, reading int64) {
	if m.oracleClock.tell(r, reading) {
		clock := m.oracleClock
		m.forget()
		m.oracleClock = clock
	}
}

// widen keeps what the windows of a rule want from now on.
func (m *logModel) widen(r *Rule) {
	if !m.live {
		m.horizon = 0
	}
	for _, l := range r.Limits {
		m.horizon = max(m.horizon, l.Window)
	}
	m.empty = m.newest + m.horizon
}

// age forgets what the state may no longer know at a change: what is older
// than the longest window that it has served.
func (m *logModel) age(r *Rule) {
	m.widen(r)
	for i := range m.events {
		e := &m.events[i]
		if e.at <= m.now-m.horizon {
			e.cost = 0
		}
		if e.at <= m.now-m.horizon-m.slack {
			e.most = 0
		}
	}
	if m.horizon == r.Longest || m.merged == m.horizon {
		return
	}
	old := map[int64]bool{}
	for _, e := range m.events {
		if e.most > 0 && (e.at <= m.now-r.Longest || m.slack > 0) {
			old[e.at] = true
		}
	}
	if len(old) > 64 {
		m.merged, m.slack = m.horizon, m.slack+m.horizon/32+1
	}
}

func (m *logModel) used(window, now int64) span {
	var s span
	for _, e := range m.events {
		if e.at > now-window {
			s.lo += e.cost
		}
		if e.at+m.slack > now-window {
			s.hi += e.most
		}
	}
	s.lo = max(s.lo-m.owed, 0)
	if m.excess {
		s.lo = 0
	}
	return s
}

// until scans every time at which an event leaves the window.
func (m *logModel) until(window, target int64) span {
	if !m.live {
		return point(m.now)
	}
	times := make([]int64, 0, len(m.events))
	for _, e := range m.events {
		if e.most > 0 {
			times = append(times, e.at)
		}
	}
	slices.Sort(times)
	times = slices.Compact(times)
	first := func(value func(span) int64, slack int64) int64 {
		if value(m.used(window, m.now)) <= target {
			return m.now
		}
		for _, t := range times {
			if when := t + window + slack; when > m.now && value(m.used(window, when)) <= target {
				return when
			}
		}
		return math.MaxInt64 / 2
	}
	return span{
		first(func(s span) int64 { return s.lo }, 0),
		first(func(s span) int64 { return s.hi }, m.slack),
	}
}

func (m *logModel) look(r *Rule, cost int64) []outlook {
	if m.live {
		m.widen(r)
	}
	outlooks := make([]outlook, len(r.Limits))
	for i, l := range r.Limits {
		outlooks[i] = m.looks(SlidingLog, l, cost, m.used(l.Window, m.now), func(target int64) span {
			return m.until(l.Window, target)
		})
	}
	return outlooks
}

// slot is when a take at now is recorded as.
func (m *logModel) slot(r *Rule) int64 {
	at := m.now
	for at%r.Step != 0 {
		at += r.Step - at%r.Step
	}
	return at
}

// blur tells the model of a precision: two in one log are as coarse as both.
func (m *logModel) blur(r *Rule) {
	if m.step != 0 && m.step != r.Step {
		m.slack += m.step + r.Step
	}
	m.step = r.Step
}

func (m *logModel) record(r *Rule, cost int64, of Receipt) {
	m.age(r)
	m.blur(r)
	if total := m.used(m.horizon, m.now).hi; total+cost > maxUsage {
		m.excess = true
	}
	m.events = append(m.events, logEvent{take: m.takes, at: m.slot(r), asked: cost, cost: cost, most: cost})
	m.takes++
	m.newest = max(m.newest, m.slot(r), of.At)
	m.empty = m.newest + m.horizon
	m.changed()
}

func (m *logModel) find(take int) *logEvent {
	for i := range m.events {
		if m.events[i].take == take {
			return &m.events[i]
		}
	}
	return nil
}

func (m *logModel) settleable(take int) bool {
	e := m.find(take)
	return e == nil || !e.touched
}

func (m *logModel) settle(r *Rule, take int, actual int64) bool {
	m.age(r)
	m.changed()
	e := m.find(take)
	if e == nil {
		return false
	}
	if e.at <= m.now-m.horizon {
		e.most += actual // only if merging made it younger
		return false
	}
	if actual < e.asked {
		there := e.cost > 0
		if e.cost = min(e.cost, actual); m.slack == 0 {
			e.most = e.cost
		}
		return there
	}
	if e.cost == 0 {
		// It was forgotten before the window was widened. What shares its slot
		// was too, and would now be settled at its expense.
		for i := range m.events {
			m.events[i].touched = m.events[i].touched || m.events[i].at == e.at
		}
	}
	more := max(e.cost+actual-e.asked, actual) - e.cost
	more = max(min(more, maxUsage-m.used(m.horizon, m.now).hi), 0)
	m.blur(r)
	if e.cost += more; m.slack == 0 {
		e.most = e.cost
	} else {
		e.most += actual
	}
	return true
}

// refund credits the oldest events within the rule's longest window.
func (m *logModel) refund(r *Rule, units int64) {
	if !m.live {
		return
	}
	m.age(r)
	m.changed()
	if m.slack > 0 && r.Longest < m.horizon {
		m.owed += units
	}
	slices.SortStableFunc(m.events, func(a, b logEvent) int { return int(a.at - b.at) })
	for i := range m.events {
		e := &m.events[i]
		if e.at <= m.now-r.Longest || e.cost == 0 {
			continue
		}
		credit := min(units, e.cost)
		if units -= credit; credit > 0 {
			e.cost, e.touched = e.cost-credit, true
		}
		if m.slack == 0 {
			e.most = e.cost
		}
	}
}
