package window

import "testing"

// The largest quota and window there are, for long enough that totals have to
// be rebased.
func TestLogOfTheLargestLimit(t *testing.T) {
	k := &key{t: t, rule: logOf(Limit{Quota: MaxQuota, Window: MaxWindow})}
	step := k.rule.Step
	if step != 20*ms {
		t.Fatalf("step %d", step)
	}
	for i := range int64(2500) { // 2^52 units each: more than 2^63 in all
		at := (i + 1) * MaxWindow
		k.play([]row{
			{at: at, cost: MaxQuota, allowed: true, used: MaxQuota},
			{at: at, cost: 1, used: MaxQuota, retry: MaxWindow},
			{at: at + MaxWindow - 1, cost: MaxQuota, used: MaxQuota, retry: 1},
		})
	}
}

// Wide entries, and so many units that their running totals pass 2^62 before
// the log is ever empty.
func TestLogOfWideTotals(t *testing.T) {
	k := &key{t: t, rule: logOf(Limit{Quota: MaxQuota, Window: day})}
	const half = MaxQuota / 2
	rebased := false
	for i := range int64(5000) {
		at := 2*day + i*day/2
		used := int64(MaxQuota)
		if i == 0 {
			used = half
		}
		before := k.state.log.entries.sum
		k.play([]row{{at: at, cost: half, allowed: true, used: used}})
		if sum := k.state.log.entries.sum; sum < before {
			rebased = true
		}
		if i > 0 {
			k.play([]row{
				{at: at, cost: 1, used: used, retry: day / 2},
				{at: at + day/2 - 1, cost: half, used: used, retry: 1},
			})
		}
	}
	if !rebased {
		t.Error("totals were never rebased: this test tests nothing")
	}
}

// A narrow log that runs for years: its totals pass 2^32, and its times the
// 2^32 microseconds that a word holds, again and again.
func TestLogOfYears(t *testing.T) {
	const cost = 1 << 28
	k := &key{t: t, rule: logOf(Limit{Quota: 4 * cost, Window: 30 * minute})}
	base := int64(0)
	for i := range int64(20_000) { // 138 days
		at := 1_700_000_000*second + i*10*minute
		used := min(i+1, 3) * cost
		k.play([]row{{at: at, cost: cost, allowed: true, used: used}})
		if i > 2 {
			k.play([]row{
				{at: at, cost: 2 * cost, used: used, retry: 10 * minute},
				{at: at, cost: 4 * cost, used: used, retry: 30 * minute},
			})
		}
		if g := &k.state.log.entries; g.wide || len(g.words) > 4 {
			t.Fatalf("wide %t, %d words", g.wide, len(g.words))
		} else if g.base < base {
			base = -1
		} else if base >= 0 {
			base = g.base
		}
	}
	if base >= 0 {
		t.Error("totals were never rebased: this test tests nothing")
	}
}

// Totals between 2^31 and 2^32 make a log wide once, not larger each time.
func TestLogWidensOnce(t *testing.T) {
	const cost = 1_500_000_000
	k := &key{t: t, rule: logOf(Limit{Quota: 2 * cost, Window: second})}
	for i := range int64(1000) {
		k.decide(hour+i*second/2, cost, true)
		if words := len(k.state.log.entries.words); words > 8 {
			t.Fatalf("%d words after %d takes, of which 2 count", words, i)
		}
	}
}

func TestLogTurnsWideAndNarrow(t *testing.T) {
	for name, costs := range map[string][]int64{
		"by a cost":     {1, 2, 1 << 40, 3},
		"by a total":    {1 << 30, 1 << 30, 1 << 31, 1 << 31, 7},
		"at first":      {1 << 40, 1, 2},
		"at 2^31":       {1 << 31, 1},
		"above 2^31":    {1<<31 + 1, 1},
		"at 2^32":       {1<<32 - 2, 1, 1, 1},
		"one at a time": {1 << 31, 1<<31 - 1, 1, 1},
	} {
		t.Run(name, func(t *testing.T) {
			k := &key{t: t, rule: logOf(Limit{Quota: 1 << 50, Window: minute})}
			sum := int64(0)
			for i, cost := range costs {
				sum += cost
				k.play([]row{{at: hour + int64(i)*second, cost: cost, allowed: true, used: sum}})
			}
			if sum > 1<<32 && !k.state.log.entries.wide {
				t.Error("not wide")
			}
			for i, cost := range costs {
				at := hour + minute + int64(i)*second
				k.play([]row{{at: at - 1, verb: peekOnly, cost: 1, allowed: true, used: sum}})
				sum -= cost
				k.play([]row{{at: at, verb: peekOnly, cost: 1, allowed: true, used: sum}})
			}
			if k.decide(2*hour, 1, true); k.state.log.entries.wide {
				t.Error("still wide after it was empty")
			}
		})
	}
}

// Usage saturates at 2^53-1, which is more than any quota: what a longer
// window counts is never too little, whatever a shorter one let pass.
func TestLogSaturates(t *testing.T) {
	short, long := logOf(Limit{Quota: MaxQuota, Window: second}), logOf(Limit{Quota: MaxQuota, Window: minute})
	k := &key{t: t, rule: long}
	k.play([]row{
		{at: 0, cost: MaxQuota, allowed: true, used: MaxQuota},
		{at: second, cost: MaxQuota - 1, allowed: true, used: MaxQuota - 1, rule: &short},
		{at: 2 * second, cost: MaxQuota, allowed: true, used: MaxQuota},
		{at: 3 * second, cost: 1, allowed: true, used: 1},
		{at: 3 * second, cost: 1, used: maxUsage, retry: 59 * second, rule: &long},
		{at: minute, cost: 1, used: maxUsage, retry: 2 * second},
		{at: minute + second, cost: 1, used: MaxQuota + 1, retry: second},
		{at: minute + 2*second, cost: MaxQuota - 1, allowed: true, used: MaxQuota},
	})
	k = &key{t: t, rule: short}
	k.play([]row{
		{at: 0, cost: 1, allowed: true, used: 1},
		{at: 1, cost: 1, allowed: true, used: 2},
		{at: 2, cost: 1, allowed: true, used: 3},
		{at: 3, verb: settleTo, of: 0, cost: Never, used: MaxQuota + 2, retry: second - 3},
		{at: 4, verb: settleTo, of: 1, cost: MaxQuota, used: maxUsage, retry: second - 4},
		{at: 5, verb: settleTo, of: 2, cost: MaxQuota, used: maxUsage, retry: second - 5},
		{at: second - 1, cost: 1, used: maxUsage, retry: 1},
		{at: second, cost: 1, allowed: true, used: MaxQuota},
		{at: second + 1, cost: 1, allowed: true, used: 3},
	})
}

// A log of every precision counts a take at least as long as an exact one, and
// at most a step longer.
func TestPrecisionBounds(t *testing.T) {
	const window, quota = 100 * ms, 7
	for _, step := range []int64{1, 3, 10, 1000, 9999, 10 * ms} {
		k := &key{t: t, rule: NewRule(SlidingLog, []Limit{{Quota: quota, Window: window}}, step)}
		var times []int64 // of what was recorded, exactly
		count := func(since int64) (n int64) {
			for _, at := range times {
				if at > since {
					n++
				}
			}
			return n
		}
		at := hour
		for i := range int64(3000) {
			at += i * i % 13_007
			v := k.decide(at, 1, true)
			if v.Allowed {
				times = append(times, at)
			}
			if used := k.statuses[0].Used; used < count(at-window) || used > count(at-window-step) {
				t.Fatalf("step %d: used %d, want %d to %d", step, used, count(at-window), count(at-window-step))
			}
			most := min(quota, (window+step-1)/step+1)
			if n := int64(k.state.log.entries.n); n > most+1 { // one may be too old, and not yet trimmed
				t.Fatalf("step %d: %d entries, at most %d are needed", step, n, most)
			}
		}
	}
}
