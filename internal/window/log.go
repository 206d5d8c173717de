package window

// A log is the sliding log: every take of a key, one entry a step of the
// clock. One log serves every window of the policy.
type log struct {
	entries ring
	// horizon is the longest window that this log has served. What is younger
	// is kept, so that a caller with shorter windows cannot forget for others.
	horizon int64
}

const (
	// settleReach is how many later entries a settle may rewrite.
	settleReach = 65_536
	// maxOld is how many entries older than the caller's windows are kept.
	maxOld = 64
	// oldCells is how many of them are left when there are more: one for each
	// of so many parts of the horizon, and one that a part is cut by.
	oldCells = 32
)

func (l *log) newest() int64 { return l.entries.top * l.entries.unit }

// widen makes the log keep what the rule's windows can want from now on. It
// reports whether the horizon grew.
func (l *log) widen(r *Rule) (grew bool) {
	if grew = r.Longest > l.horizon; grew {
		l.horizon = r.Longest
	}
	return grew
}

// trim forgets what is older than the horizon, and merges what is older than
// the rule's windows.
func (l *log) trim(r *Rule, t moment) {
	g := &l.entries
	g.drop(t.aged)
	if l.horizon > r.Longest {
		if old := g.firstAfter(t.now - r.Longest); old > maxOld {
			l.mergeOld(old)
		}
	}
}

// mergeOld leaves one entry of the oldest ones for each cell of the horizon,
// the latest, which then holds the cost of all.
func (l *log) mergeOld(old int) {
	g := &l.entries
	cell := l.horizon/oldCells + 1
	next, to := g.time(old-1)/cell, old-1
	for i := old - 2; i >= 0; i-- {
		units, total := g.at(i)
		if c := units * g.unit / cell; c != next {
			to--
			g.set(to, units, total)
			next = c
		}
	}
	g.skip(to)
}

// used is the cost of what was recorded in (now-window, now].
func (l *log) used(window int64, t moment) int64 {
	g := &l.entries
	if window == l.horizon {
		return g.sum - g.before(t.aged)
	}
	return g.sum - g.before(g.firstAfter(t.now-window))
}

// until is when no more than target will be used in the window.
func (l *log) until(window, target int64) int64 {
	g := &l.entries
	if target == 0 {
		return g.time(int(g.n)-1) + window
	}
	return g.time(g.firstTotal(g.sum-target)) + window
}

// slot is the time that a take at now is recorded at.
func (l *log) slot(r *Rule, now int64) int64 {
	slot := ceilTo(now, r.Step)
	if l.entries.n > 0 {
		slot = max(slot, l.newest())
	}
	return slot
}

// record adds a take, or says that there is no room for it.
func (l *log) record(r *Rule, now, cost int64) (slot int64, full bool) {
	g := &l.entries
	if excess := g.sum - g.base + cost - maxUsage; excess > 0 {
		// Only what longer windows of others want can be so much: more than any
		// quota, with or without what is too much of the oldest.
		l.credit(excess, now-l.horizon)
	}
	if g.n == 0 {
		l.start(r, cost)
	}
	slot = l.slot(r, now)
	if l.mustWiden(r, cost) {
		return slot, true
	}
	last := int(g.n) - 1
	if last >= 0 && g.time(last) == slot {
		g.add(last, cost)
		return slot, false
	}
	if int(g.n) == g.capacity() {
		return slot, true
	}
	g.push(slot/g.unit, g.sum+cost)
	return slot, false
}

// start makes an empty log fit for a first entry.
func (l *log) start(r *Rule, cost int64) {
	g := &l.entries
	top := l.newest()
	if g.unit == 0 {
		top = beginning
	}
	g.wide = cost > narrowTotal || l.horizon > r.Step*MaxSteps
	g.unit = r.Step
	if g.wide {
		g.unit = 1
	}
	g.top = -floorDiv(-top, g.unit)
}

// mustWiden says whether a narrow log cannot hold one more take.
func (l *log) mustWiden(r *Rule, cost int64) bool {
	g := &l.entries
	return g.outgrown(cost) || !g.wide && (g.unit != r.Step || l.horizon > g.unit*MaxSteps)
}

// settle changes the entry of a take from its cost to the actual one.
func (l *log) settle(r *Rule, of Receipt, actual, now int64) Settled {
	g := &l.entries
	if of.At <= now-l.horizon {
		return Gone
	}
	i := g.firstAfter(of.At - 1)
	held, there := int64(0), i < int(g.n) && g.time(i) == of.At
	if there {
		_, total := g.at(i)
		held = total - g.before(i)
	}
	if actual < of.Cost {
		back := min(of.Cost-actual, held)
		switch {
		case back == 0 && i < int(g.n):
			return Dropped // its entry was merged into a later one, or credited away
		case back == 0:
			return Gone
		case int(g.n)-i > settleReach:
			return Dropped
		}
		g.add(i, -back)
		if back == held {
			g.remove(i)
		}
		return Done
	}
	more := max(held+actual-of.Cost, actual) - held
	more = min(more, maxUsage-(g.sum-g.base))
	if more == 0 {
		return Done
	}
	if int(g.n)-i > settleReach {
		if _, full := l.record(r, now, more); full {
			return NoRoom
		}
		return Done
	}
	return l.raise(r, i, there, of.At, more)
}

// raise adds more to entry i, which is made for time at if it is not there.
func (l *log) raise(r *Rule, i int, there bool, at, more int64) Settled {
	g := &l.entries
	if g.n == 0 {
		l.start(r, more)
	}
	if l.mustWiden(r, more) {
		return NoRoom
	}
	units := ceilTo(at, g.unit) / g.unit
	if !there && i < int(g.n) {
		next, _ := g.at(i)
		there = next == units
	}
	if !there {
		if int(g.n) == g.capacity() {
			return NoRoom
		}
		g.insert(i, units)
	}
	g.add(i, more)
	return Done
}

// credit takes units away from the oldest entries later than start. What goes
// is added to the totals before it instead, of which there are few.
func (l *log) credit(units, start int64) {
	g := &l.entries
	old := g.firstAfter(start)
	before := g.before(old)
	units = min(units, g.sum-before)
	gone := g.firstTotal(before+units+1) - old
	for i := old - 1; i >= 0; i-- {
		at, total := g.at(i)
		g.set(i+gone, at, total+units)
	}
	g.base += units
	g.skip(gone)
}
