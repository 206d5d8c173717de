package window

import "testing"

func TestLogTimelines(t *testing.T) {
	perMinute := Limit{Quota: 3, Window: minute}
	more, fewer := logOf(Limit{Quota: 5, Window: minute}), logOf(Limit{Quota: 1, Window: minute})
	wider, narrower := logOf(Limit{Quota: 3, Window: hour}), logOf(Limit{Quota: 3, Window: second})
	coarse := NewRule(SlidingLog, []Limit{perMinute}, second)
	for name, c := range map[string]struct {
		rule Rule
		rows []row
	}{
		"any window": {logOf(perMinute), []row{
			{at: 0, cost: 1, allowed: true, used: 1},
			{at: 50 * second, cost: 1, allowed: true, used: 2},
			{at: 59 * second, cost: 1, allowed: true, used: 3},
			{at: 59 * second, cost: 1, used: 3, retry: second},
			{at: minute - 1, cost: 1, used: 3, retry: 1},
			{at: minute, cost: 1, allowed: true, used: 3},
			{at: minute, cost: 1, used: 3, retry: 50 * second},
			{at: minute, cost: 2, used: 3, retry: 59 * second},
			{at: minute, cost: 3, used: 3, retry: minute},
			{at: 3 * minute, cost: 3, allowed: true, used: 3},
		}},
		"a cost is one entry": {logOf(Limit{Quota: 100, Window: second}), []row{
			{at: 7, cost: 60, allowed: true, used: 60},
			{at: 8, cost: 41, used: 60, retry: second - 1},
			{at: 8, cost: 40, allowed: true, used: 100},
			{at: 8, verb: peekOnly, cost: 1, used: 100, retry: second - 1},
			{at: second + 7, verb: peekOnly, cost: 61, used: 40, retry: 1},
			{at: second + 7, cost: 60, allowed: true, used: 100},
		}},
		"a denial records nothing": {logOf(perMinute), []row{
			{at: 0, cost: 3, allowed: true, used: 3},
			{at: 30 * second, cost: 1, used: 3, retry: 30 * second},
			{at: 59 * second, cost: 2, used: 3, retry: second},
			{at: minute, cost: 3, allowed: true, used: 3},
		}},
		"cost over quota": {logOf(perMinute), []row{
			{at: 5, cost: 4, retry: Never},
			{at: 5, cost: 3, allowed: true, used: 3},
			{at: 6, cost: 4, used: 3, retry: Never},
			{at: 6, cost: MaxQuota, used: 3, retry: Never},
		}},
		"quota 0": {logOf(Limit{Quota: 0, Window: minute}), []row{
			{at: 5, cost: 1, retry: Never},
			{at: 5, verb: peekOnly, cost: 1, retry: Never},
			{at: 5 + day, cost: 1, retry: Never},
		}},
		"several windows": {logOf(Limit{Quota: 2, Window: second}, Limit{Quota: 3, Window: minute}), []row{
			{at: 0, cost: 2, allowed: true, used: 2},
			{at: 0, cost: 1, used: 2, retry: second},
			{at: 0, cost: 2, used: 2, retry: minute},
			{at: second, cost: 1, allowed: true, used: 1},
			{at: second, cost: 1, used: 1, retry: 59 * second},
			{at: minute, cost: 2, allowed: true, used: 2},
			{at: minute, cost: 1, used: 2, retry: second},
		}},
		"two windows, none recorded in either": {logOf(Limit{Quota: 9, Window: second}, Limit{Quota: 3, Window: minute}), []row{
			{at: 0, cost: 3, allowed: true, used: 3},
			{at: second, cost: 1, retry: 59 * second},
			{at: second, verb: peekOnly, cost: 9, retry: Never},
			{at: second + 1, cost: 3, retry: 59*second - 1},
		}},
		"a changed quota applies at once": {logOf(perMinute), []row{
			{at: 0, cost: 1, allowed: true, used: 1},
			{at: second, cost: 2, allowed: true, used: 3},
			{at: 2 * second, cost: 1, used: 3, retry: 58 * second},
			{at: 2 * second, cost: 2, allowed: true, used: 5, rule: &more},
			{at: 3 * second, cost: 1, used: 5, retry: 59 * second, rule: &fewer},
			{at: 61 * second, verb: peekOnly, cost: 1, used: 2, retry: second},
			{at: 62 * second, cost: 1, allowed: true, used: 1},
		}},
		"a widened window knows what the log still holds": {logOf(perMinute), []row{
			{at: 0, cost: 1, allowed: true, used: 1},
			{at: 50 * second, cost: 1, allowed: true, used: 2},
			{at: 70 * second, cost: 1, allowed: true, used: 2}, // forgets the first
			{at: 80 * second, cost: 1, allowed: true, used: 3, rule: &wider},
			{at: hour, cost: 1, used: 3, retry: 50 * second},
		}},
		"a narrowed window forgets nothing for others": {wider, []row{
			{at: 0, cost: 3, allowed: true, used: 3},
			{at: second, cost: 3, allowed: true, used: 3, rule: &narrower},
			{at: minute, cost: 1, used: 6, retry: hour - 59*second, rule: &wider},
			{at: minute, cost: 1, allowed: true, used: 1, rule: &narrower},
		}},
		"precision rounds up": {coarse, []row{
			{at: 1, cost: 1, allowed: true, used: 1}, // as of 1s
			{at: second, cost: 1, allowed: true, used: 2},
			{at: second + 1, cost: 1, allowed: true, used: 3}, // as of 2s
			{at: minute + 1, cost: 1, used: 3, retry: second - 1},
			{at: 61*second - 1, cost: 1, used: 3, retry: 1},
			{at: 61 * second, cost: 2, allowed: true, used: 3},
			{at: 61 * second, cost: 1, used: 3, retry: second},
		}},
		"a changed precision": {coarse, []row{
			{at: 1, cost: 1, allowed: true, used: 1},
			{at: 2, cost: 1, allowed: true, used: 2, rule: new(logOf(perMinute))}, // not before the one at 1s
			{at: minute, cost: 1, allowed: true, used: 3},
			{at: minute, cost: 1, used: 3, retry: second},
			{at: 61 * second, cost: 2, allowed: true, used: 3},
		}},
	} {
		t.Run(name, func(t *testing.T) { timeline(t, c.rule, c.rows) })
	}
}

func TestLogSettles(t *testing.T) {
	perMinute := Limit{Quota: 10, Window: minute}
	for name, rows := range map[string][]row{
		"down": {
			{at: 0, cost: 8, allowed: true, used: 8},
			{at: second, cost: 5, used: 8, retry: 59 * second},
			{at: second, verb: settleTo, of: 0, cost: 3, used: 3},
			{at: second, cost: 7, allowed: true, used: 10},
			{at: minute, cost: 3, allowed: true, used: 10},
		},
		"up": {
			{at: 0, cost: 2, allowed: true, used: 2},
			{at: second, cost: 3, allowed: true, used: 5},
			{at: 2 * second, verb: settleTo, of: 0, cost: 9, used: 12, retry: 58 * second},
			{at: minute - 1, cost: 1, used: 12, retry: 1},
			{at: minute, cost: 7, allowed: true, used: 10},
		},
		"to 0 and it is as if it had not been": {
			{at: 0, cost: 4, allowed: true, used: 4},
			{at: second, cost: 4, allowed: true, used: 8},
			{at: second, verb: settleTo, of: 0, cost: 0, used: 4},
			{at: second, verb: settleTo, of: 1, cost: 0, used: 0},
			{at: second, cost: 10, allowed: true, used: 10},
		},
		"below 0 is 0": {
			{at: 0, cost: 4, allowed: true, used: 4},
			{at: 1, verb: settleTo, of: 0, cost: -7, used: 0},
		},
		"of one slot, each its own": {
			{at: 0, cost: 4, allowed: true, used: 4},
			{at: 0, cost: 5, allowed: true, used: 9},
			{at: 1, verb: settleTo, of: 0, cost: 1, used: 6},
			{at: 1, verb: settleTo, of: 1, cost: 7, used: 8},
			{at: minute - 1, cost: 3, used: 8, retry: 1},
			{at: minute, cost: 10, allowed: true, used: 10},
		},
		"never below what others took": {
			{at: 0, cost: 4, allowed: true, used: 4},
			{at: second, cost: 5, allowed: true, used: 9},
			{at: second, verb: refundOf, cost: 3, used: 6},
			{at: second, verb: settleTo, of: 0, cost: 0, used: 5},
		},
		"up puts back what was credited away": {
			{at: 0, cost: 4, allowed: true, used: 4},
			{at: second, cost: 5, allowed: true, used: 9},
			{at: second, verb: refundOf, cost: 4, used: 5},
			{at: second, verb: settleTo, of: 0, cost: 6, used: 11, retry: 59 * second},
			{at: minute, cost: 5, allowed: true, used: 10},
		},
		"up, when nothing is left": {
			{at: 0, cost: 4, allowed: true, used: 4},
			{at: second, verb: refundOf, cost: 4, used: 0},
			{at: second, verb: settleTo, of: 0, cost: 6, used: 6},
			{at: minute - 1, cost: 5, used: 6, retry: 1},
			{at: minute, cost: 10, allowed: true, used: 10},
		},
		"up, between others that leave no room": {
			{at: 0, cost: 1, allowed: true, used: 1},
			{at: 1, cost: 1, allowed: true, used: 2},
			{at: 2, cost: 1, allowed: true, used: 3},
			{at: 3, cost: 1, allowed: true, used: 4},
			{at: 4, verb: refundOf, cost: 2, used: 2},
			{at: 5, cost: 1, allowed: true, used: 3},
			{at: 6, cost: 1, allowed: true, used: 4},
			{at: 7, verb: settleTo, of: 1, cost: 5, used: 9},
			{at: minute, verb: peekOnly, cost: 2, used: 9, retry: 1},
			{at: minute + 1, verb: peekOnly, cost: 6, allowed: true, used: 4},
		},
		"down, when it was credited away": {
			{at: 0, cost: 4, allowed: true, used: 4},
			{at: 1, cost: 4, allowed: true, used: 8},
			{at: second, verb: refundOf, cost: 4, used: 4},
			{at: second, verb: settleTo, of: 0, cost: 0, used: 4},
		},
		"of an aged take": {
			{at: 0, cost: 4, allowed: true, used: 4},
			{at: second, cost: 4, allowed: true, used: 8},
			{at: minute, verb: settleTo, of: 0, cost: 0, used: 4},
			{at: minute, verb: settleTo, of: 0, cost: 9, used: 4},
		},
		"of another generation": {
			{at: 0, cost: 4, allowed: true, used: 4},
			{at: minute, cost: 4, allowed: true, used: 4},
			{at: minute, verb: settleTo, of: 0, cost: 0, used: 4},
			{at: minute, verb: settleTo, of: 0, cost: 9, used: 4},
		},
		"a refund credits the oldest": {
			{at: 0, cost: 4, allowed: true, used: 4},
			{at: second, cost: 4, allowed: true, used: 8},
			{at: second, verb: refundOf, cost: 6, used: 2},
			{at: second, cost: 9, used: 2, retry: minute},
			{at: second, cost: 8, allowed: true, used: 10},
			{at: minute, verb: peekOnly, cost: 1, used: 10, retry: second},
			{at: minute, verb: refundOf, cost: 99, used: 0},
		},
	} {
		t.Run(name, func(t *testing.T) { timeline(t, logOf(perMinute), rows) })
	}
}

// A settle whose take has left the log finds the slot that it shares, in a log
// that has become coarser meanwhile.
func TestLogSettlesIntoACoarserSlot(t *testing.T) {
	perMinute := []Limit{{Quota: 10, Window: minute}}
	coarse := NewRule(SlidingLog, perMinute, second)
	timeline(t, logOf(perMinute...), []row{
		{at: 1, cost: 1, allowed: true, used: 1},
		{at: 1, verb: refundOf, cost: 1, used: 0},
		{at: 2, cost: 5, allowed: true, used: 5, rule: &coarse}, // as of 1s
		{at: 3, verb: settleTo, of: 0, cost: 3, used: 8},
		{at: 4, verb: settleTo, of: 1, cost: 0, used: 3},
		{at: 61*second - 1, cost: 8, used: 3, retry: 1},
		{at: 61 * second, cost: 10, allowed: true, used: 10},
	})
}

// A refund within a short window leaves the usage before it to longer ones.
func TestLogRefundWithinTheCallersWindow(t *testing.T) {
	long, short := logOf(Limit{Quota: 10, Window: hour}), logOf(Limit{Quota: 10, Window: minute})
	timeline(t, long, []row{
		{at: 0, cost: 4, allowed: true, used: 4},
		{at: second, cost: 1, allowed: true, used: 5},
		{at: 2 * minute, cost: 3, allowed: true, used: 3, rule: &short},
		{at: 2*minute + 1, verb: refundOf, cost: 9},
		{at: 2*minute + 1, verb: peekOnly, cost: 6, used: 5, retry: hour - 2*minute - 1, rule: &long},
	})
}

func TestLogSettlesMany(t *testing.T) {
	const later = settleReach + 1
	k := &key{t: t, rule: logOf(Limit{Quota: MaxQuota, Window: hour})}
	k.fill(second, later+1, 10)
	g := &k.state.log.entries
	g.reshape(make([]uint64, g.n), false)
	now, total := 2*second, int64(10*(later+1))
	for _, c := range []struct {
		of      int
		actual  int64
		settled Settled
		used    int64
	}{
		{1, 3, Dropped, total},
		{2, 3, Done, total - 7},
		{0, 25, Done, total - 7 + 15}, // finds no room first
		{3, 25, Done, total - 7 + 30},
	} {
		if settled := k.settle(now, c.of, c.actual); settled != c.settled {
			t.Errorf("settle take %d to %d: %d, want %d", c.of, c.actual, settled, c.settled)
		}
		if k.decide(now, 1, false); k.statuses[0].Used != c.used {
			t.Errorf("after take %d: used %d, want %d", c.of, k.statuses[0].Used, c.used)
		}
	}
	// Beyond reach, up became an entry as of now.
	for _, c := range []struct{ at, used int64 }{
		{hour + 2*second - 1, 15}, {hour + 2*second, 0},
	} {
		if k.decide(c.at, 1, false); k.statuses[0].Used != c.used {
			t.Errorf("at %d: used %d, want %d", c.at, k.statuses[0].Used, c.used)
		}
	}
}

// A precision bounds a log by its window: an hour in seconds is 3,601 entries,
// however many takes there are.
func TestPrecisionBoundsMemory(t *testing.T) {
	k := &key{t: t, rule: NewRule(SlidingLog, []Limit{{Quota: 1_000_000, Window: 3600 * second}}, second)}
	most := 0
	for at := int64(0); at < 3*3600*second; at += second / 4 {
		k.decide(at, 1, true)
		most = max(most, int(k.state.log.entries.n))
	}
	if most != 3601 {
		t.Errorf("at most %d entries, want 3601", most)
	}
}
