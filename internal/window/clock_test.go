package window

import "testing"

// Every algorithm keeps time in the same way: these rules deny a second take
// for a while, at 1000 s until 1010 s.
func clockRules() map[string]Rule {
	return map[string]Rule{
		"log":     logOf(Limit{Quota: 1, Window: 10 * second}),
		"counter": counterOf(Limit{Quota: 1, Window: 5 * second}), // of 1000 s, until 1010 s
		"fixed":   fixedOf(Limit{Quota: 1, Window: 10 * second}),
		"bucket":  bucketOf(Limit{Quota: 1, Window: 10 * second, Burst: 1}),
	}
}

func TestClockBack(t *testing.T) {
	const start = 1000 * second
	type reading struct {
		at      int64
		record  bool
		want    int64 // the verdict's At
		allowed bool
		retry   int64
	}
	for name, c := range map[string][]reading{
		"a moment: time stands still, and waits count from the clock": {
			{start, true, start, true, 0},
			{start - second, true, start, false, 11 * second},
			{start - 1, true, start, false, 10*second + 1},
			{start + 1, true, start + 1, false, 10*second - 1},
			{start - second, true, start, false, 11 * second},
			{start + 10*second, true, start + 10*second, true, 0},
		},
		"more: the last record is as of now": {
			{start, true, start, true, 0},
			{start - second - 1, true, start, false, 10 * second},
			{start - 1, true, start + second, false, 9 * second},
			{start + 9*second - 2, true, start + 10*second - 1, false, 1},
			{start + 9*second - 1, true, start + 9*second - 1, true, 0}, // empty, so fresh
		},
		"a peek stores the offset": {
			{start, true, start, true, 0},
			{start - 100*second, false, start, false, 10 * second},
			{start - 91*second, false, start + 9*second, false, second},
			{start - 90*second, true, start - 90*second, true, 0},
		},
		"twice, and it adds up": {
			{start, true, start, true, 0},
			{start - 100*second, true, start, false, 10 * second},
			{start - 200*second, true, start, false, 10 * second},
			{start - 191*second, true, start + 9*second, false, second},
			{start - 191*second - 1, true, start + 9*second - 1, false, second + 1},
			{start - 190*second, true, start - 190*second, true, 0},
			{start - 190*second + 1, true, start - 190*second + 1, false, 10*second - 1},
		},
		"forward: it forgets": {
			{start, true, start, true, 0},
			{start + 9*second, true, start + 9*second, false, second},
			{start + 20*second, true, start + 20*second, true, 0},
		},
		"back, and back again: nothing lasts longer than a window": {
			{start, true, start, true, 0},
			{start - 500*second, true, start, false, 10 * second},
			{start, true, start, true, 0}, // 500 s later, and the offset is forgotten
		},
		"a state that is empty by age is a fresh one": {
			{start, true, start, true, 0},
			{start + 10*second, false, start + 10*second, true, 0},
			{start - 900*second, true, start - 900*second, true, 0},
		},
	} {
		for algorithm, rule := range clockRules() {
			t.Run(name+"/"+algorithm, func(t *testing.T) {
				k := &key{t: t, rule: rule}
				for i, r := range c {
					v := k.decide(r.at, 1, r.record)
					if v.At != r.want || v.Allowed != r.allowed || v.Retry != r.retry {
						t.Fatalf("reading %d, %d: at %d, allowed %t, retry %d; want at %d, %t, %d",
							i, r.at, v.At, v.Allowed, v.Retry, r.want, r.allowed, r.retry)
					}
				}
			})
		}
	}
}

// Time stands still for no longer than the shortest window.
func TestClockBackByShortWindows(t *testing.T) {
	rule := logOf(Limit{Quota: 1, Window: 100 * ms}, Limit{Quota: 5, Window: minute})
	for _, c := range []struct{ back, retry int64 }{
		{100 * ms, 200 * ms}, {100*ms + 1, 100 * ms},
	} {
		k := &key{t: t, rule: rule}
		k.decide(hour, 1, true)
		if v := k.decide(hour-c.back, 1, true); v.At != hour || v.Retry != c.retry {
			t.Errorf("back by %d: at %d, retry %d, want %d", c.back, v.At, v.Retry, c.retry)
		}
	}
}

// What a peek or a denial has seen to be old counts again for a clock that
// goes back to when it was not.
func TestClockBackAfterALook(t *testing.T) {
	for name, later := range map[string]struct {
		cost   int64
		record bool
	}{"peek": {1, false}, "denial": {5, true}} {
		t.Run(name, func(t *testing.T) {
			k := &key{t: t, rule: logOf(Limit{Quota: 3, Window: minute})}
			k.play([]row{
				{at: hour, cost: 1, allowed: true, used: 1},
				{at: hour + 50*second, cost: 2, allowed: true, used: 3},
			})
			if k.decide(hour+minute, later.cost, later.record); k.statuses[0].Used != 2 {
				t.Fatalf("used %d after a minute", k.statuses[0].Used)
			}
			k.play([]row{{at: hour + 59*second, cost: 1, used: 3, retry: second}})
		})
	}
}

// A settle and a refund are changes, too: a clock that goes back to before
// them finds time standing still.
func TestClockBackAfterASettle(t *testing.T) {
	for name, rule := range clockRules() {
		t.Run(name, func(t *testing.T) {
			k := &key{t: t, rule: rule}
			k.decide(1000*second, 1, true)
			k.settle(1001*second, 0, 2)
			if v := k.decide(1000*second+1, 1, false); v.At != 1001*second {
				t.Errorf("at %d after a settle at %d", v.At, 1001*second)
			}
			k.refund(1002*second, 1)
			if v := k.decide(1001*second+1, 1, false); v.At != 1002*second {
				t.Errorf("at %d after a refund at %d", v.At, 1002*second)
			}
		})
	}
}

func TestExpires(t *testing.T) {
	for name, rule := range clockRules() {
		t.Run(name, func(t *testing.T) {
			k := &key{t: t, rule: rule}
			if expires := k.state.Expires(); expires != beginning {
				t.Errorf("a key never seen expires at %d", expires)
			}
			k.decide(1000*second, 2, true)
			if expires := k.state.Expires(); expires != beginning {
				t.Errorf("a key that was only denied expires at %d", expires)
			}
			k.decide(1000*second, 1, true)
			if expires := k.state.Expires(); expires != 1010*second {
				t.Errorf("expires at %d", expires)
			}
			k.decide(500*second, 1, false)
			if expires := k.state.Expires(); expires != 510*second {
				t.Errorf("expires at %d after the clock went back by 500 s", expires)
			}
		})
	}
}

// A window that a key never seen was only peeked at with is not one that its
// state has served.
func TestPeeksLeaveNoHorizon(t *testing.T) {
	long, short := logOf(Limit{Quota: 1, Window: hour}), logOf(Limit{Quota: 1, Window: second})
	k := &key{t: t, rule: long}
	k.decide(hour, 1, false)
	k.rule = short
	k.decide(hour, 1, true)
	if expires := k.state.Expires(); expires != hour+second {
		t.Errorf("expires at %d", expires)
	}
}
