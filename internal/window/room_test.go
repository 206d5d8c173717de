package window

import (
	"slices"
	"testing"
)

// filled is a log of n takes of cost, a step apart, ending before hour.
func filled(t *testing.T, rule Rule, n, cost int64) *key {
	t.Helper()
	k := &key{t: t, rule: rule}
	k.fill(hour-n*rule.Step, n, cost)
	return k
}

func entries(s *State) (times, totals []int64) {
	g := &s.log.entries
	for i := range int(g.n) {
		times = append(times, g.time(i))
		totals = append(totals, g.before(i+1))
	}
	return times, totals
}

// Merging keeps the later time of each pair, and all that is used.
func TestHalve(t *testing.T) {
	for n, want := range [][]int64{
		nil, {1}, {2}, {1, 3}, {2, 4}, {1, 3, 5}, {2, 4, 6}, {1, 3, 5, 7},
	} {
		for _, cost := range []int64{1, 1 << 40} {
			k := filled(t, logOf(Limit{Quota: MaxQuota, Window: minute}), int64(n), cost)
			k.state.log.entries.halve()
			times, totals := entries(&k.state)
			if len(times) != len(want) {
				t.Fatalf("%d entries: left with %v", n, times)
			}
			for i, at := range times {
				kept := at - hour + int64(n) + 1 // its place, counted from 1
				if kept != want[i] || totals[i] != kept*cost {
					t.Errorf("%d entries of %d: %d is number %d with a total of %d", n, cost, i, kept, totals[i])
				}
			}
		}
	}
}

func TestSqueeze(t *testing.T) {
	rule := logOf(Limit{Quota: 1000, Window: minute})
	k := &key{t: t, rule: rule}
	statuses := make([]Status, 1)
	for i := range int64(1000) {
		q := Query{Now: hour + i, Cost: 1, Generation: 1, Record: true}
		v := k.state.decide(&rule, q, statuses)
		if v.Full {
			k.state.Squeeze(&rule, 1)
			v = k.state.decide(&rule, q, statuses)
		}
		if v.Full || !v.Allowed || statuses[0].Used != i+1 || k.state.Bytes() != MinBytes {
			t.Fatalf("take %d: %+v %+v, %d bytes", i, v, statuses, k.state.Bytes())
		}
	}
	// Nothing goes before its time, and all of it with the last.
	for _, at := range []int64{hour + minute - 1, hour + minute} {
		if k.decide(at, 1, false); k.statuses[0].Used != 1000 {
			t.Errorf("at %d: used %d", at, k.statuses[0].Used)
		}
	}
	if k.decide(hour+minute+998, 1, false); k.statuses[0].Used == 0 {
		t.Error("the last take went before its time")
	}
	if k.decide(hour+minute+999, 1, false); k.statuses[0].Used != 0 {
		t.Errorf("used %d after the last take", k.statuses[0].Used)
	}
}

// An owner that has no memory left gives no more than MinBytes, whatever is
// asked of it.
func TestSqueezeMakesRoom(t *testing.T) {
	for _, before := range []int64{0, 1, 2, 3, 4, 5, 9, 100} {
		for _, costs := range [][2]int64{{1, 1}, {1, 1 << 40}, {1 << 40, 1}, {1 << 30, 1 << 32}} {
			k := filled(t, logOf(Limit{Quota: MaxQuota, Window: minute}), before, costs[0])
			bytes := k.state.Bytes()
			statuses := make([]Status, 1)
			q := Query{Now: hour, Cost: costs[1], Generation: 1, Record: true}
			v := k.state.decide(&k.rule, q, statuses)
			if v.Full {
				k.state.Squeeze(&k.rule, costs[1])
				v = k.state.decide(&k.rule, q, statuses)
			}
			if used := before*costs[0] + costs[1]; v.Full || statuses[0].Used != used {
				t.Errorf("%d takes of %d and one of %d: full %t, used %d", before, costs[0], costs[1], v.Full, statuses[0].Used)
			}
			if now := k.state.Bytes(); now > max(bytes, MinBytes) {
				t.Errorf("%d takes of %d and one of %d: %d bytes, of %d before", before, costs[0], costs[1], now, bytes)
			}
		}
	}
}

// A settle to the largest number there is finds room, by either way.
func TestRoomForSettles(t *testing.T) {
	for name, room := range map[string]func(*State, *Rule, int64){"grow": (*State).Grow, "squeeze": (*State).Squeeze} {
		t.Run(name, func(t *testing.T) {
			k := filled(t, logOf(Limit{Quota: 100, Window: minute}), 4, 1)
			q := Query{Now: hour, Cost: Never, Generation: 2}
			if k.state.settle(&k.rule, q, k.receipts[3], nil) != NoRoom {
				t.Fatal("a narrow log held it")
			}
			room(&k.state, &k.rule, Never)
			if k.state.settle(&k.rule, q, k.receipts[3], nil) != Done {
				t.Fatal("no room")
			}
			if k.decide(hour, 1, false); k.statuses[0].Used != MaxQuota+3 {
				t.Errorf("used %d", k.statuses[0].Used)
			}
		})
	}
}

// A long log holds a take in ten bytes, and takes no more room than its limits
// can need.
func TestGrowth(t *testing.T) {
	k := filled(t, logOf(Limit{Quota: MaxQuota, Window: hour}), 1000, 1)
	for n := int64(1000); n < 10_000; n++ {
		if bytes := int64(k.state.Bytes()); bytes > 10*n {
			t.Fatalf("%d takes in %d bytes", n, bytes)
		}
		k.fill(hour+n*k.rule.Step, 1, 1)
	}
	for _, c := range []struct {
		rule Rule
		most int64 // entries
	}{
		{logOf(Limit{Quota: 1, Window: minute}), 1},
		{logOf(Limit{Quota: 5, Window: minute}), 5},
		{logOf(Limit{Quota: 1000, Window: second}, Limit{Quota: 5, Window: minute}), 5},
		{NewRule(SlidingLog, []Limit{{Quota: MaxQuota, Window: minute}}, 6*second), 12},
	} {
		k := &key{t: t, rule: c.rule}
		for i := range int64(5000) {
			k.ask(hour+i*c.rule.Longest/100, 1, true)
			if bytes := int64(k.state.Bytes()); bytes > 8*(c.most+1) { // which the allocator rounds up to
				t.Fatalf("%+v: %d bytes", c.rule, bytes)
			}
		}
	}
}

func TestShrink(t *testing.T) {
	for _, cost := range []int64{1, 1 << 40} {
		k := filled(t, logOf(Limit{Quota: MaxQuota, Window: minute}), 500, cost)
		before := k.state.Bytes()
		if k.state.Shrink(); k.state.Bytes() != before {
			t.Fatalf("a full log shrank from %d to %d bytes", before, k.state.Bytes())
		}
		at := hour + minute - 10 // 9 are left, and one more
		k.decide(at, cost, true)
		times, totals := entries(&k.state)
		k.state.Shrink()
		if bytes := k.state.Bytes(); bytes > 2*16*10 {
			t.Errorf("%d bytes for 10 takes", bytes)
		}
		gotTimes, gotTotals := entries(&k.state)
		if !slices.Equal(gotTimes, times) || !slices.Equal(gotTotals, totals) || len(times) != 10 {
			t.Errorf("shrunk from %v %v to %v %v", times, totals, gotTimes, gotTotals)
		}
		k.play([]row{{at: at, cost: cost, allowed: true, used: 11 * cost}})
	}
	var empty State
	empty.Shrink()
	if empty.Bytes() != 0 {
		t.Errorf("nothing takes %d bytes", empty.Bytes())
	}
}

// What is older than the windows of who asks, but not than those of others,
// keeps to a few entries.
func TestMergeOld(t *testing.T) {
	long, short := logOf(Limit{Quota: 100_000, Window: hour}), logOf(Limit{Quota: 100_000, Window: minute})
	k := &key{t: t, rule: long}
	const start = 2 * day
	for i := range int64(3000) {
		k.decide(start+i*second, 1, true)
	}
	exact := k.state.Clone()
	now := start + 3000*second
	k.rule = short
	for i := range int64(500) {
		k.decide(now+i*second, 1, true)
		if old := k.state.log.entries.firstAfter(now + i*second - minute); old > maxOld {
			t.Fatalf("%d old entries", old)
		}
	}
	// Merged entries stay for up to a part of the horizon longer.
	k.rule = long
	for at := now + 499*second; at < now+2*hour; at += 7 * second {
		_, want := peek(&exact, &long, Query{Now: at, Cost: 1})
		_, longer := peek(&exact, &long, Query{Now: at - hour/oldCells - 1, Cost: 1})
		k.decide(at, 1, false)
		added := min(500, max(0, (now+500*second+hour-1-at)/second)) // of the last 500 takes
		if used := k.statuses[0].Used; used < want[0].Used+added || used > longer[0].Used+added+2*hour/oldCells/second {
			t.Fatalf("at %d: used %d, want %d to %d", at-now, used, want[0].Used+added, longer[0].Used+added)
		}
	}
}

func TestCloneSharesNothing(t *testing.T) {
	for name, rule := range clockRules() {
		t.Run(name, func(t *testing.T) {
			k := &key{t: t, rule: rule}
			k.decide(1000*second, 1, true)
			clone := k.state.Clone()
			want, _ := peek(&clone, &rule, Query{Now: 1001 * second, Cost: 1})
			if shares(&clone, &k.state) {
				t.Error("a clone shares memory")
			}
			k.settle(1000*second, 0, 0)
			k.decide(1000*second, 1, true)
			k.settle(1000*second, 1, 50)
			if got, _ := peek(&clone, &rule, Query{Now: 1001 * second, Cost: 1}); got != want {
				t.Errorf("%+v, and %+v after a settle of what it was cloned from", want, got)
			}
		})
	}
}
