package storetest

import (
	"strconv"
	"strings"
	"time"

	"github.com/weirlimit/weir"
)

// describe is a decision in one line: yes or no, and for each limit what is
// used+left, and the times that are not 0.
func describe(d *weir.Decision) string {
	var b strings.Builder
	b.WriteString("no")
	if d.Allowed {
		b.Reset()
		b.WriteString("yes")
	}
	separator := " "
	for s := range d.Limits() {
		b.WriteString(separator + strconv.FormatInt(s.Used, 10) + "+" + strconv.FormatInt(s.Remaining, 10))
		for _, after := range []struct {
			name string
			time time.Duration
		}{{" retry ", s.RetryAfter}, {" next ", s.NextAfter}, {" reset ", s.ResetAfter}} {
			if after.time != 0 {
				b.WriteString(after.name + describeTime(after.time))
			}
		}
		separator = "; "
	}
	return b.String()
}

// describeTime is 1m for a minute, and 1us for a microsecond.
func describeTime(d time.Duration) string {
	if d == weir.Never {
		return "never"
	}
	text := strings.Replace(d.String(), "µ", "u", 1)
	if strings.HasSuffix(text, "m0s") {
		text = strings.TrimSuffix(text, "0s")
	}
	if strings.HasSuffix(text, "h0m") {
		text = strings.TrimSuffix(text, "0m")
	}
	return text
}

// checkDecision checks what holds for every decision of one charge.
func (r *rig) checkDecision(d *weir.Decision) {
	r.Helper()
	r.checkLimits(d)
	if d.Allowed != (d.RetryAfter == 0) {
		r.Errorf("allowed %t with RetryAfter %v", d.Allowed, d.RetryAfter)
	}
	by, found, latest := d.DeniedBy(), false, time.Duration(0)
	for s := range d.Limits() {
		latest = max(latest, s.RetryAfter)
		found = found || by.Limit == s.Limit && s.RetryAfter == d.RetryAfter
	}
	if !d.Allowed && (d.RetryAfter != latest || !found) {
		r.Errorf("%s: RetryAfter %v, denied by %v: want the limit that denies longest", describe(d), d.RetryAfter, by)
	}
}

// checkLimits checks what holds for every decision.
func (r *rig) checkLimits(d *weir.Decision) {
	r.Helper()
	if d.Source != weir.FromStore {
		r.Fatal("the store failed")
	}
	least := int64(weir.MaxQuota)
	for s := range d.Limits() {
		least = min(least, s.Remaining)
		if !consistent(&s) {
			r.Errorf("limit %s of %s: the parts do not agree", s.Limit, describe(d))
		}
	}
	if d.Remaining() != least {
		r.Errorf("%s: Remaining %d, want %d", describe(d), d.Remaining(), least)
	}
}

// consistent says whether the parts of a status agree.
func consistent(s *weir.LimitStatus) bool {
	capacity := s.Limit.Quota
	if s.Limit.Burst != 0 {
		capacity = s.Limit.Burst
	}
	return s.Used >= 0 && s.Remaining == max(0, capacity-s.Used) &&
		(s.NextAfter == 0) == (s.Remaining > 0) &&
		(s.ResetAfter == 0) == (s.Used == 0) &&
		s.RetryAfter >= 0 && (s.RetryAfter <= s.ResetAfter || s.RetryAfter == weir.Never) &&
		(s.NextAfter <= s.ResetAfter || s.NextAfter == weir.Never)
}
