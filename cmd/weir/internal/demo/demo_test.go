package demo

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/weirlimit/weir"
)

func simulate(t *testing.T, limit weir.Limit) Result {
	t.Helper()
	r, err := Simulate(limit)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestSimulate(t *testing.T) {
	for _, limit := range []weir.Limit{
		weir.Per(50, 10*time.Second), weir.Per(1, time.Millisecond), weir.Per(3, time.Hour),
		weir.Per(7, 7777*time.Microsecond), weir.Per(maxQuota, time.Millisecond), weir.Per(100, 366*24*time.Hour),
	} {
		r := simulate(t, limit)
		quota := int(limit.Quota)
		if got := r.Fixed.Admitted(); got != 2*quota {
			t.Errorf("%s: the fixed window admitted %d", limit, got)
		}
		if got := r.Log.Admitted(); got != quota {
			t.Errorf("%s: the log admitted %d", limit, got)
		}
		if got := r.Counter.Admitted(); got < quota || got > 2*quota-1 {
			t.Errorf("%s: the counter admitted %d", limit, got)
		}
		for _, run := range []Run{r.Fixed, r.Counter, r.Log} {
			if len(run.Before) != quota || len(run.After) != quota {
				t.Errorf("%s: %d requests before the boundary and %d after", limit, len(run.Before), len(run.After))
			}
		}
	}
}

// The counter's estimate, by hand: 50 units of the window before fade by one
// each 200 ms, and the last request comes 980 ms after the boundary.
func TestCounterByHand(t *testing.T) {
	r := simulate(t, weir.Per(50, 10*time.Second))
	if got := r.Counter.Admitted(); got != 54 {
		t.Errorf("the counter admitted %d, want 50 and 4", got)
	}
	for i, allowed := range r.Counter.After {
		if want := i > 0 && i%10 == 0; allowed != want {
			t.Errorf("request %d after the boundary: allowed %v", i, allowed)
		}
	}
}

// The key's own boundary is where this burst gets most from a counter: on the
// calendar's, no key gets more.
func TestOwnBoundaryIsTheCountersWorst(t *testing.T) {
	limit := weir.Per(50, 10*time.Second)
	own := simulate(t, limit)
	most := 0
	for i := range 500 {
		b, err := newBench(weir.SlidingCounter, limit)
		if err != nil {
			t.Fatal(err)
		}
		run, err := b.burst(fmt.Sprint("client ", i), b.clock.Load()) // noon: a boundary of the calendar
		if err != nil {
			t.Fatal(err)
		}
		most = max(most, run.Admitted())
	}
	if most > own.Counter.Admitted() || most < own.Counter.Admitted()-1 {
		t.Errorf("on the calendar's boundary a key gets up to %d, on its own one %d", most, own.Counter.Admitted())
	}
}

// What the report says of the counter's worst case, and the comment of how.
func TestCounterAtWorst(t *testing.T) {
	limit := weir.Per(50, 10*time.Second)
	b, err := newBench(weir.SlidingCounter, limit)
	if err != nil {
		t.Fatal(err)
	}
	boundary, err := b.boundary(client)
	if err != nil {
		t.Fatal(err)
	}
	admitted := 0
	for _, at := range []int64{boundary - 1, boundary + limit.Window.Microseconds() - 2} {
		b.clock.Store(at)
		for range limit.Quota {
			d, err := b.limiter.Take(context.Background(), client, 1)
			if err != nil {
				t.Fatal(err)
			}
			if d.Allowed {
				admitted++
			}
		}
	}
	if admitted != 99 {
		t.Errorf("%d admitted within a window, want 2 x 50 - 1", admitted)
	}
}

func TestCheck(t *testing.T) {
	for _, limit := range []weir.Limit{
		weir.Per(0, time.Second), weir.Per(-1, time.Second), weir.Per(maxQuota+1, time.Second),
		weir.Per(1, 0), weir.Per(1, 367*24*time.Hour),
		{Quota: 1, Window: time.Second, Burst: 2},
	} {
		if err := Check(limit); err == nil {
			t.Errorf("%s: no error", limit)
		}
		if _, err := Simulate(limit); err == nil && limit.Quota >= 1 && limit.Quota <= maxQuota {
			t.Errorf("%s: simulated", limit)
		}
	}
}

func TestWriteText(t *testing.T) {
	var b bytes.Buffer
	r := simulate(t, weir.Per(50, 10*time.Second))
	if err := r.WriteText(&b); err != nil {
		t.Fatal(err)
	}
	const want = `Limit 50/10s. A client spends its whole quota in the last 1s
of a window, and again in the first 1s of the next one.

                                 before|after                 admitted
  fixed window     ####################|####################  100 (50 over)
  sliding counter  ####################|....+...+...+...+...  54 (4 over)
  sliding log      ####################|....................  50

  # admitted   + partly   . denied

A fixed window forgets everything at its boundary, a sliding counter estimates
(at worst it admits 99), and the sliding log is exact: never more than
50 in any 10s.
`
	if b.String() != want {
		t.Errorf("wrote\n%s", b.String())
	}
}

func TestWriteTextFitsATerminal(t *testing.T) {
	for _, window := range []time.Duration{time.Millisecond, 1234567 * time.Microsecond, 366 * 24 * time.Hour} {
		for _, quota := range []int64{1, 2, 3, 6, 7, 10, 11, 19, 20, 21, 99, 1000, maxQuota} {
			var b bytes.Buffer
			r := simulate(t, weir.Per(quota, window))
			if err := r.WriteText(&b); err != nil {
				t.Fatal(err)
			}
			for line := range strings.Lines(b.String()) {
				if n := len([]rune(line)) - 1; n > 80 {
					t.Errorf("%d/%v: a line of %d columns: %s", quota, window, n, line)
				}
			}
		}
	}
}

func TestCells(t *testing.T) {
	for _, c := range []struct {
		requests string // 1 was admitted
		want     string
	}{
		{"1", strings.Repeat("#", 20)},
		{"10", strings.Repeat("#", 10) + strings.Repeat(".", 10)},
		{"10000000000", "#.........."},
		{"01" + strings.Repeat("00", 18) + "11", "+" + strings.Repeat(".", 18) + "#"},
	} {
		requests := make([]bool, len(c.requests))
		for i := range requests {
			requests[i] = c.requests[i] == '1'
		}
		if got := cells(requests); got != c.want {
			t.Errorf("%s: %s, want %s", c.requests, got, c.want)
		}
	}
}

func TestWriteJSON(t *testing.T) {
	for _, c := range []struct {
		limit weir.Limit
		want  string
	}{
		{weir.Per(50, 10*time.Second), `{"limit":50,"window_seconds":10,"admitted":{"fixed":100,"counter":54,"log":50}}`},
		{weir.Per(2, 500*time.Millisecond), `{"limit":2,"window_seconds":0.5,"admitted":{"fixed":4,"counter":2,"log":2}}`},
	} {
		var b bytes.Buffer
		r := simulate(t, c.limit)
		if err := r.WriteJSON(&b); err != nil {
			t.Fatal(err)
		}
		if b.String() != c.want+"\n" {
			t.Errorf("%s: wrote %s", c.limit, b.String())
		}
	}
}
