package window

import "testing"

func TestBucketTimelines(t *testing.T) {
	tenth := Limit{Quota: 10, Window: second, Burst: 5}
	for name, c := range map[string]struct {
		rule Rule
		rows []row
	}{
		"a burst, then the rate": {bucketOf(tenth), []row{
			{at: 0, cost: 6, used: 0, retry: Never},
			{at: 0, cost: 5, allowed: true, used: 5},
			{at: 0, cost: 1, used: 5, retry: 100 * ms},
			{at: 0, cost: 5, used: 5, retry: 500 * ms},
			{at: 100*ms - 1, cost: 1, used: 5, retry: 1},
			{at: 100 * ms, cost: 1, allowed: true, used: 5},
			{at: 350 * ms, verb: peekOnly, cost: 2, allowed: true, used: 3},
			{at: 599 * ms, verb: peekOnly, cost: 5, used: 1, retry: ms},
			{at: 600 * ms, cost: 5, allowed: true, used: 5},
		}},
		"idle time saves no more than a burst": {bucketOf(tenth), []row{
			{at: 0, cost: 5, allowed: true, used: 5},
			{at: day, cost: 5, allowed: true, used: 5},
			{at: day, cost: 1, used: 5, retry: 100 * ms},
		}},
		"a burst of 1 is a leaky bucket": {bucketOf(Limit{Quota: 4, Window: second, Burst: 1}), []row{
			{at: hour, cost: 1, allowed: true, used: 1},
			{at: hour, cost: 1, used: 1, retry: 250 * ms},
			{at: hour, cost: 2, used: 1, retry: Never},
			{at: hour + 250*ms, cost: 1, allowed: true, used: 1},
		}},
		"quota 0": {bucketOf(Limit{Window: second}), []row{
			{at: 0, cost: 1, retry: Never},
			{at: day, verb: peekOnly, cost: 1, retry: Never},
			{at: day, cost: 5, allowed: true, used: 5, rule: new(bucketOf(tenth))},
			{at: day, cost: 1, used: 0, retry: Never, rule: new(bucketOf(Limit{Window: second}))},
		}},
		"several rates, none recorded in either": {bucketOf(tenth, Limit{Quota: 1, Window: second, Burst: 6}), []row{
			{at: 0, cost: 5, allowed: true, used: 5},
			{at: 500 * ms, cost: 2, used: 0, retry: 500 * ms},
			{at: 500 * ms, cost: 1, allowed: true, used: 1},
			{at: 500 * ms, cost: 1, used: 1, retry: 500 * ms},
		}},
		"the slowest and the largest": {bucketOf(Limit{Quota: MaxQuota, Window: MaxWindow, Burst: MaxQuota}), []row{
			{at: 0, cost: MaxQuota, allowed: true, used: MaxQuota},
			{at: 0, cost: MaxQuota, used: MaxQuota, retry: MaxWindow},
			{at: MaxWindow / 2, cost: MaxQuota / 2, allowed: true, used: MaxQuota},
			{at: MaxWindow / 2, cost: 1, used: MaxQuota, retry: 1},
			{at: MaxWindow, cost: MaxQuota, used: MaxQuota / 2, retry: MaxWindow / 2},
		}},
		"one unit in 366 days": {bucketOf(Limit{Quota: 1, Window: MaxWindow, Burst: 1}), []row{
			{at: 1, cost: 1, allowed: true, used: 1},
			{at: MaxWindow, cost: 1, used: 1, retry: 1},
			{at: MaxWindow + 1, cost: 1, allowed: true, used: 1},
		}},
		"a changed burst applies at once": {bucketOf(tenth), []row{
			{at: 0, cost: 5, allowed: true, used: 5},
			{at: 0, cost: 3, allowed: true, used: 8, rule: new(bucketOf(Limit{Quota: 10, Window: second, Burst: 8}))},
			{at: 0, cost: 1, used: 8, retry: 600 * ms, rule: new(bucketOf(Limit{Quota: 10, Window: second, Burst: 3}))},
		}},
		"a slower rate refills what was missing": {bucketOf(tenth), []row{
			{at: 0, cost: 5, allowed: true, used: 5},
			{at: 100 * ms, cost: 1, used: 5, retry: 400 * ms, rule: new(bucketOf(Limit{Quota: 1, Window: second, Burst: 5}))}, // when the state ends
			{at: 100 * ms, cost: 1, allowed: true, used: 5, rule: new(bucketOf(tenth))},
			{at: 200 * ms, cost: 1, allowed: true, used: 6, rule: new(bucketOf(Limit{Quota: 1, Window: second, Burst: 6}))},
			{at: 200 * ms, cost: 1, used: 6, retry: 900 * ms},
		}},
		"a faster rate refills from the last record on": {bucketOf(Limit{Quota: 1, Window: hour, Burst: 5}), []row{
			{at: 0, cost: 5, allowed: true, used: 5},
			{at: 50 * ms, cost: 1, used: 5, retry: 50 * ms, rule: new(bucketOf(tenth))},
			{at: 75 * ms, cost: 1, used: 5, retry: 25 * ms},
			{at: 100 * ms, cost: 1, allowed: true, used: 5},
		}},
		"a limit keeps its bucket when another goes": {bucketOf(tenth, Limit{Quota: 1, Window: second, Burst: 6}), []row{
			{at: 0, cost: 5, allowed: true, used: 5},
			{at: 500 * ms, cost: 2, used: 5, retry: 500 * ms, rule: new(bucketOf(Limit{Quota: 1, Window: second, Burst: 6}))},
			{at: second, cost: 2, allowed: true, used: 6},
		}},
	} {
		t.Run(name, func(t *testing.T) { timeline(t, c.rule, c.rows) })
	}
}

// A third of a second is no whole microsecond: a bucket that forgot the rest
// would be early, or late, after some takes.
func TestBucketKeepsFractions(t *testing.T) {
	for _, rate := range []Limit{
		{Quota: 3, Window: second, Burst: 3},
		{Quota: 7, Window: second, Burst: 21},
		{Quota: 1_000_003, Window: minute, Burst: 5},
		{Quota: 999_983, Window: second, Burst: 100},
	} {
		k := &key{t: t, rule: bucketOf(rate)}
		const cost = 2
		k.decide(hour, rate.Burst, true)
		for i := range int64(5000) {
			due := hour + (cost*(i+1)*rate.Window+rate.Quota-1)/rate.Quota
			if k.decide(due-1, cost, true).Allowed {
				t.Fatalf("rate %+v: take %d is allowed before %d", rate, i, due)
			}
			if !k.decide(due, cost, true).Allowed {
				t.Fatalf("rate %+v: take %d is not allowed at %d", rate, i, due)
			}
		}
	}
}

func TestBucketSettles(t *testing.T) {
	rate := Limit{Quota: 100, Window: second, Burst: 100}
	for name, rows := range map[string][]row{
		"down returns the difference": {
			{at: 0, cost: 80, allowed: true, used: 80},
			{at: 100 * ms, verb: settleTo, of: 0, cost: 30, used: 20},
			{at: 100 * ms, cost: 80, allowed: true, used: 100},
		},
		"down returns no more than the take still holds": {
			{at: 0, cost: 80, allowed: true, used: 80},
			{at: 700 * ms, verb: settleTo, of: 0, cost: 0, used: 0},
			{at: 700 * ms, cost: 100, allowed: true, used: 100},
		},
		"not what another take used": {
			{at: 0, cost: 50, allowed: true, used: 50},
			{at: 400 * ms, cost: 90, allowed: true, used: 100},
			{at: 400 * ms, verb: settleTo, of: 0, cost: 0, used: 90},
		},
		"two takes, each its own": {
			{at: 0, cost: 50, allowed: true, used: 50},
			{at: 0, cost: 50, allowed: true, used: 100},
			{at: 400 * ms, verb: settleTo, of: 0, cost: 0, used: 50},
			{at: 400 * ms, verb: settleTo, of: 1, cost: 0, used: 0},
			{at: 400 * ms, cost: 100, allowed: true, used: 100},
		},
		"what was returned since may have been its own": {
			{at: 0, cost: 50, allowed: true, used: 50},
			{at: 0, verb: refundOf, cost: 30, used: 20},
			{at: 0, verb: settleTo, of: 0, cost: 0, used: 0},
			{at: 0, cost: 60, allowed: true, used: 60},
			{at: 0, verb: settleTo, of: 0, cost: 0, used: 60},
		},
		"up": {
			{at: 0, cost: 50, allowed: true, used: 50},
			{at: 0, verb: settleTo, of: 0, cost: 130, used: 130, retry: 310 * ms},
			{at: 310 * ms, cost: 1, allowed: true, used: 100},
		},
		"up, after it was full again": {
			{at: 0, cost: 50, allowed: true, used: 50},
			{at: 100 * ms, cost: 1, allowed: true, used: 41},
			{at: 300 * ms, verb: settleTo, of: 0, cost: 60, used: 31},
		},
		"up for ever is 732 days": {
			{at: 0, cost: 50, allowed: true, used: 50},
			{at: 0, verb: settleTo, of: 0, cost: Never, used: 2 * 366 * 86400 * 100, retry: 2*MaxWindow - 990*ms},
		},
		"a refund": {
			{at: 0, cost: 50, allowed: true, used: 50},
			{at: 0, verb: refundOf, cost: 20, used: 30},
			{at: 0, verb: refundOf, cost: 99, used: 0},
			{at: 0, cost: 101, used: 0, retry: Never},
			{at: 0, cost: 100, allowed: true, used: 100},
		},
	} {
		t.Run(name, func(t *testing.T) { timeline(t, bucketOf(rate), rows) })
	}
}

// A rate that changed makes a new generation, since marks of the old one mean
// nothing; a burst does not.
func TestBucketSettlesAcrossRates(t *testing.T) {
	k := &key{t: t, rule: bucketOf(Limit{Quota: 10, Window: second, Burst: 50})}
	k.decide(0, 20, true)
	k.rule = bucketOf(Limit{Quota: 10, Window: second, Burst: 40})
	if k.decide(0, 5, true); k.settle(0, 0, 10) != Done {
		t.Error("a take of the same rate and another burst is gone")
	}
	k.rule = bucketOf(Limit{Quota: 20, Window: second, Burst: 50})
	if k.decide(0, 5, true); k.settle(0, 1, 0) != Gone {
		t.Error("a take of another rate was settled")
	}
	if k.marks[2] = nil; k.settle(0, 2, 0) != Gone {
		t.Error("a take without its marks was settled")
	}
	if k.decide(0, 1, false); k.statuses[0].Used != 20 {
		t.Errorf("used %d", k.statuses[0].Used)
	}
}

// A bucket that can no longer tell whose is what returns no more, until it has
// been full: here another take keeps it from that.
func TestBucketStopsReturning(t *testing.T) {
	k := &key{t: t, rule: bucketOf(Limit{Quota: 2, Window: MaxWindow, Burst: 2})}
	k.decide(1, 1, true)
	years := int(maxReturned/(MaxWindow/2)) + 1
	for i := range years {
		if !k.decide(1, 1, true).Allowed || k.settle(1, i+1, 0) != Done {
			t.Fatalf("take %d", i)
		}
	}
	if !k.decide(1, 1, true).Allowed || k.settle(1, years+1, 0) != Dropped {
		t.Error("still settled")
	}
	if k.decide(1, 1, false); k.statuses[0].Used != 2 {
		t.Errorf("used %d", k.statuses[0].Used)
	}
}

// A bucket that is full again owes nothing to anyone, and starts anew.
func TestBucketRefundedForever(t *testing.T) {
	k := &key{t: t, rule: bucketOf(Limit{Quota: 1, Window: MaxWindow, Burst: 1})}
	for i := range 2 * int(maxReturned/MaxWindow) {
		if !k.decide(1, 1, true).Allowed || k.settle(1, i, 0) != Done {
			t.Fatalf("take %d", i)
		}
	}
}
