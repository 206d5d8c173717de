package window

import "testing"

func TestCounterTimelines(t *testing.T) {
	perMinute := Limit{Quota: 10, Window: minute}
	tiny := Limit{Quota: 3, Window: MinWindow}
	more, fewer := counterOf(Limit{Quota: 20, Window: minute}), counterOf(Limit{Quota: 5, Window: minute})
	wider, narrower := counterOf(Limit{Quota: 10, Window: hour}), counterOf(Limit{Quota: 10, Window: second})
	for name, c := range map[string]struct {
		rule Rule
		rows []row
	}{
		"the previous window fades": {counterOf(perMinute), []row{
			{at: 0, cost: 10, allowed: true, used: 10},
			{at: 30 * second, cost: 1, used: 10, retry: 36 * second},
			{at: minute, cost: 1, used: 10, retry: 6 * second},
			{at: 66*second - 1, cost: 1, used: 10, retry: 1},
			{at: 66 * second, cost: 1, allowed: true, used: 10},
			{at: 66 * second, cost: 1, used: 10, retry: 6 * second},
			{at: 2*minute - 1, verb: peekOnly, cost: 1, allowed: true, used: 2},
			{at: 2 * minute, verb: peekOnly, cost: 1, allowed: true, used: 1},
			{at: 3 * minute, verb: peekOnly, cost: 10, allowed: true, used: 0},
		}},
		"rounded up": {counterOf(tiny), []row{
			{at: 0, cost: 3, allowed: true, used: 3},
			{at: 1001, cost: 1, used: 3, retry: 333},
			{at: 1333, cost: 1, used: 3, retry: 1},
			{at: 1334, cost: 1, allowed: true, used: 3},
			{at: 1334, cost: 3, used: 3, retry: 1666},
		}},
		"a window that passed without takes": {counterOf(perMinute), []row{
			{at: 0, cost: 10, allowed: true, used: 10},
			{at: 2 * minute, cost: 10, allowed: true, used: 10},
		}},
		"cost over quota, and quota 0": {counterOf(perMinute, Limit{Quota: 0, Window: hour}), []row{
			{at: 0, cost: 11, retry: Never},
			{at: 0, cost: 1, retry: Never},
			{at: day, cost: 1, retry: Never},
			{at: day, cost: 10, allowed: true, used: 10, rule: new(counterOf(perMinute))},
		}},
		"several windows, none recorded in either": {counterOf(perMinute, Limit{Quota: 12, Window: hour}), []row{
			{at: 0, cost: 10, allowed: true, used: 10},
			{at: 2 * minute, cost: 3, used: 0, retry: hour - 2*minute + 6*minute}, // 9/10 of the hour after
			{at: 2 * minute, cost: 2, allowed: true, used: 2},
		}},
		"the largest limit": {counterOf(Limit{Quota: MaxQuota, Window: MaxWindow}), []row{
			{at: 0, cost: MaxQuota, allowed: true, used: MaxQuota},
			{at: 1, cost: MaxQuota, used: MaxQuota, retry: 2*MaxWindow - 1},
			{at: MaxWindow, cost: MaxQuota / 2, used: MaxQuota, retry: MaxWindow / 2},
			{at: MaxWindow + MaxWindow/2, cost: MaxQuota / 2, allowed: true, used: MaxQuota},
			{at: MaxWindow + MaxWindow/2, cost: 1, used: MaxQuota, retry: 1},
		}},
		"a changed quota applies at once": {counterOf(perMinute), []row{
			{at: 0, cost: 10, allowed: true, used: 10},
			{at: 1, cost: 10, allowed: true, used: 20, rule: &more},
			{at: 2, cost: 1, used: 20, retry: 2*minute - 12*second - 2, rule: &fewer},
		}},
		"a widened window takes both counts over": {counterOf(perMinute), []row{
			{at: 30 * second, cost: 4, allowed: true, used: 4},
			{at: 90 * second, cost: 6, allowed: true, used: 8},
			{at: 100 * second, cost: 1, used: 10, retry: 80 * second, rule: &wider}, // when the state ends
			{at: 170 * second, verb: peekOnly, cost: 5, allowed: true, used: 1, rule: new(counterOf(perMinute))},
			{at: 170 * second, cost: 1, allowed: true, used: 2},
			{at: 171 * second, cost: 4, allowed: true, used: 11, rule: new(counterOf(Limit{Quota: 11, Window: hour}))},
			{at: hour - 1, cost: 1, used: 11, retry: 654_545_456, rule: &wider}, // 2/11 of the hour after
		}},
		"a narrowed window fades from the last record on": {wider, []row{
			{at: hour, cost: 10, allowed: true, used: 10},
			{at: hour + 1, cost: 1, used: 10, retry: 1*second + 100*ms - 1, rule: &narrower},
			{at: hour + 500*ms, cost: 1, used: 10, retry: 600 * ms},
			{at: hour + 1100*ms, cost: 1, allowed: true, used: 10},
		}},
	} {
		t.Run(name, func(t *testing.T) { timeline(t, c.rule, c.rows) })
	}
}

func TestCounterSettles(t *testing.T) {
	for name, rows := range map[string][]row{
		"in its window": {
			{at: 0, cost: 8, allowed: true, used: 8},
			{at: second, verb: settleTo, of: 0, cost: 3, used: 3},
			{at: 2 * second, cost: 5, allowed: true, used: 8},
			{at: 2 * second, verb: settleTo, of: 1, cost: 9, used: 12, retry: 73 * second},
		},
		"in the one before": {
			{at: 0, cost: 8, allowed: true, used: 8},
			{at: 61 * second, cost: 1, allowed: true, used: 9},
			{at: 61 * second, verb: settleTo, of: 0, cost: 3, used: 4},
			{at: 90 * second, verb: settleTo, of: 1, cost: 0, used: 2},
		},
		"up, in the one before": {
			{at: 0, cost: 8, allowed: true, used: 8},
			{at: 61 * second, verb: settleTo, of: 0, cost: 12, used: 12, retry: 14 * second},
		},
		"before that, it is gone": {
			{at: 0, cost: 8, allowed: true, used: 8},
			{at: 60 * second, cost: 2, allowed: true, used: 10},
			{at: 2 * minute, verb: settleTo, of: 0, cost: 100, used: 2},
		},
		"never below 0": {
			{at: 0, cost: 8, allowed: true, used: 8},
			{at: 0, verb: refundOf, cost: 5, used: 3},
			{at: 0, verb: settleTo, of: 0, cost: 0, used: 0},
		},
		"up puts back what was credited away": {
			{at: 0, cost: 8, allowed: true, used: 8},
			{at: 0, verb: refundOf, cost: 8, used: 0},
			{at: 0, verb: settleTo, of: 0, cost: 9, used: 9},
		},
		"a refund credits the older window first": {
			{at: 0, cost: 6, allowed: true, used: 6},
			{at: minute, cost: 4, allowed: true, used: 10},
			{at: 90 * second, verb: refundOf, cost: 7, used: 3},
			{at: 90 * second, verb: refundOf, cost: 7, used: 0},
		},
	} {
		t.Run(name, func(t *testing.T) {
			timeline(t, counterOf(Limit{Quota: 10, Window: minute}), rows)
		})
	}
}

// A key's windows start at its own phase, also for a clock that starts at 0.
func TestCounterPhase(t *testing.T) {
	rule := counterOf(Limit{Quota: 10, Window: minute})
	for _, start := range []int64{0, minute, 1_700_000_040 * second} {
		k := &key{t: t, rule: rule, hash: uint64(24 * second)} // windows start at :36
		k.play([]row{
			{at: start, cost: 10, allowed: true, used: 10},
			{at: start + 36*second, cost: 1, used: 10, retry: 6 * second},
			{at: start + 42*second, cost: 1, allowed: true, used: 10},
			{at: start + 95*second, verb: peekOnly, cost: 1, allowed: true, used: 2},
			{at: start + 96*second, verb: peekOnly, cost: 1, allowed: true, used: 1},
		})
		fixed := &key{t: t, rule: fixedOf(Limit{Quota: 10, Window: minute}), hash: uint64(24 * second)}
		fixed.play([]row{
			{at: start, cost: 10, allowed: true, used: 10},
			{at: start + minute - 1, cost: 1, used: 10, retry: 1},
			{at: start + minute, cost: 10, allowed: true, used: 10},
		})
	}
}

// The worst that a sliding counter admits in a trailing window is what the
// documentation says, 2 x quota - 1, and an adversary does reach it.
func TestCounterWorstCase(t *testing.T) {
	const quota, window = int64(100), int64(MinWindow)
	k := &key{t: t, rule: counterOf(Limit{Quota: quota, Window: window})}
	admitted := map[int64]int64{} // units by time
	k.decide(2*window-1, quota, true)
	admitted[2*window-1] = quota
	for at := 2 * window; at < 4*window; at++ {
		for k.decide(at, 1, true).Allowed {
			admitted[at]++
		}
	}
	worst := int64(0)
	for end := 2 * window; end < 4*window; end++ {
		sum := int64(0)
		for at := end - window + 1; at <= end; at++ {
			sum += admitted[at]
		}
		worst = max(worst, sum)
	}
	if worst != 2*quota-1 {
		t.Errorf("at worst %d in a trailing window, want %d", worst, 2*quota-1)
	}
}

func TestFixedTimelines(t *testing.T) {
	perMinute := Limit{Quota: 10, Window: minute}
	timeline(t, fixedOf(perMinute), []row{
		{at: 59 * second, cost: 10, allowed: true, used: 10},
		{at: 59 * second, cost: 1, used: 10, retry: second},
		{at: 59 * second, cost: 11, used: 10, retry: Never},
		{at: minute - 1, cost: 10, used: 10, retry: 1},
		{at: minute, cost: 9, allowed: true, used: 9},
		{at: minute, verb: settleTo, of: 0, cost: 0, used: 9},
		{at: minute, verb: settleTo, of: 0, cost: 50, used: 9},
		{at: minute, verb: settleTo, of: 1, cost: 4, used: 4},
		{at: minute, verb: refundOf, cost: 3, used: 1},
		{at: 61 * second, cost: 10, used: 1, retry: 59 * second},
		{at: 61 * second, cost: 19, allowed: true, used: 20, rule: new(fixedOf(Limit{Quota: 20, Window: minute}))},
		{at: 62 * second, cost: 1, used: 20, retry: 58 * second, rule: new(fixedOf(perMinute))},
		{at: 62 * second, cost: 1, used: 20, retry: 58 * second, rule: new(fixedOf(Limit{Quota: 10, Window: hour}))},
		{at: 62 * second, cost: 1, used: 0, allowed: false, retry: Never, rule: new(fixedOf(Limit{Quota: 0, Window: second}))},
		{at: 2 * minute, cost: 10, allowed: true, used: 10, rule: new(fixedOf(perMinute))},
	})
}

// A take from before a window changed cannot be told from others any longer:
// settling it would free what they used.
func TestCounterSettlesAcrossWindows(t *testing.T) {
	k := &key{t: t, rule: NewRule(SlidingCounter, []Limit{{Quota: 10, Window: 10 * second}}, 0)}
	k.decide(0, 5, true)
	k.decide(10*second, 1, true)
	k.decide(21*second, 5, true) // of the first nothing is left
	k.rule = NewRule(SlidingCounter, []Limit{{Quota: 10, Window: 600 * second}}, 0)
	k.decide(21*second, 1, true)
	used := k.statuses[0].Used
	if settled := k.settle(21*second, 0, 0); settled != Gone {
		t.Errorf("the take of another window is settled: %v", settled)
	}
	if k.decide(21*second, 1, false); k.statuses[0].Used != used {
		t.Errorf("used %d, and %d after the settle", used, k.statuses[0].Used)
	}
}
