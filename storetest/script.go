package storetest

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/weirlimit/weir"
)

// A timeline is what happens to one key of one policy, a line an operation:
//
//	1s  take 2      yes 2+3 reset 10s; 2+8 reset 1m
//	2s  peek 4      no 2+3 retry 9s reset 9s; 2+8 reset 59s
//	3s  settle 1 0  (the first take, to an actual cost of 0)
//	3s  refund 2
//	3s  reset
//	3s  limits 9/10s, 30/1m
//
// First comes what the clock reads, which may be earlier than in the line
// before. The answer is, for each limit, used+left and the times that are not
// 0, counted from the clock; and, if the decision is At another time than the
// clock's, that time. An error is an answer, too.
//
// For a sliding counter, time 0 is when the longest window of the key starts.
type timeline struct {
	name      string
	algorithm weir.Algorithm
	precision time.Duration
	limits    string
	lines     string
}

// key is the one key of a timeline.
const key = "user:42"

// timelines is the test of some timelines.
func (s *suite) timelines(all []timeline) func(t *testing.T) {
	return func(t *testing.T) {
		t.Helper()
		for i := range all {
			tl := &all[i]
			if s.can.supports(tl.algorithm) {
				t.Run(fmt.Sprintf("%s/%s", tl.algorithm, tl.name), func(t *testing.T) { tl.run(s.rig(t)) })
			}
		}
	}
}

func (tl *timeline) run(r *rig) {
	p := &player{rig: r, limits: parseLimits(r, tl.limits)}
	if tl.algorithm == weir.SlidingCounter {
		r.origin = r.windowStart(tl.longest(r), key)
	}
	p.limiter = r.limiterOf(weir.Config{
		Algorithm: tl.algorithm,
		Precision: tl.precision,
		Limits:    p.limits,
		LimitsFor: func(string) []weir.Limit { return p.limits },
	})
	for i, line := range tl.all() {
		want, got := strings.Join(line[p.arity(line[1]):], " "), p.play(line)
		if got != want {
			r.Errorf("line %d: %s\n got %s\nwant %s", i+1, strings.Join(line, " "), got, want)
		}
	}
}

// all is the fields of every line.
func (tl *timeline) all() (lines [][]string) {
	for line := range strings.Lines(tl.lines) {
		if fields := strings.Fields(line); len(fields) > 0 {
			lines = append(lines, fields)
		}
	}
	return lines
}

// longest is the longest window that the timeline ever has.
func (tl *timeline) longest(r *rig) (longest time.Duration) {
	limits := parseLimits(r, tl.limits)
	for _, line := range tl.all() {
		if line[1] == "limits" {
			limits = append(limits, parseLimits(r, strings.Join(line[2:], " "))...)
		}
	}
	for _, l := range limits {
		longest = max(longest, l.Window)
	}
	return longest
}

// A player plays a timeline.
type player struct {
	*rig

	limiter *weir.Limiter
	limits  []weir.Limit
	takes   []weir.Decision
}

// arity is where a line's answer starts.
func (p *player) arity(verb string) int {
	switch verb {
	case "take", "peek":
		return 3
	default: // no answer
		return 2
	}
}

// play carries out a line, and is the answer.
func (p *player) play(line []string) string {
	p.at(p.duration(line[0]))
	verb, args := line[1], line[2:]
	switch ctx := p.Context(); verb {
	case "take":
		d, err := p.limiter.Take(ctx, key, p.units(args[0]))
		p.takes = append(p.takes, d)
		return p.answer(&p.takes[len(p.takes)-1], err)
	case "peek":
		d, err := p.limiter.Peek(ctx, key, p.units(args[0]))
		return p.answer(&d, err)
	case "settle":
		p.must(p.takes[p.units(args[0])-1].Settle(ctx, p.units(args[1])))
	case "refund":
		p.must(p.limiter.Refund(ctx, key, p.units(args[0])))
	case "reset":
		p.must(p.limiter.Reset(ctx, key))
	case "limits":
		p.limits = parseLimits(p, strings.Join(args, " "))
	default:
		p.Fatalf("unknown verb %q", verb)
	}
	return strings.Join(args, " ")
}

func (p *player) answer(d *weir.Decision, err error) string {
	switch {
	case errors.Is(err, weir.ErrCostExceedsQuota):
		return "exceeds quota"
	case err != nil:
		return err.Error()
	}
	p.checkDecision(d)
	text := describe(d)
	if at := d.At(); !at.Equal(p.now) {
		text += " at " + describeTime(at.Sub(p.origin))
	}
	return text
}

func (p *player) duration(text string) time.Duration {
	d, err := time.ParseDuration(text)
	if err != nil {
		p.Fatal(err)
	}
	return d
}

func (p *player) units(text string) int64 {
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		p.Fatal(err)
	}
	return n
}

// windowStart is when a window of a sliding counter starts for a key, later
// than anything that it records to find out.
func (r *rig) windowStart(window time.Duration, key string) time.Time {
	r.Helper()
	probe := r.limiter(weir.SlidingCounter, weir.Per(1, window).String())
	d := r.allowed(probe.Charge(key, 1))
	// What was taken counts until the window after its own has ended.
	for s := range d.Limits() {
		return r.now.Add(s.ResetAfter)
	}
	return r.now
}
