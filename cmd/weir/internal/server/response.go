package server

import (
	"net/http"
	"strconv"
	"time"

	"github.com/weirlimit/weir"
)

// never is how a time that will not come is written.
const never = -1

// A decision is the body of an answer to a take. Times are milliseconds from
// now, rounded up: who waits them has waited enough.
type decision struct {
	Allowed      bool    `json:"allowed"`
	DeniedBy     *denial `json:"denied_by"`
	RetryAfterMS int64   `json:"retry_after_ms"`
	Source       string  `json:"source"`
	Limits       []limit `json:"limits"`

	retryAfter time.Duration
}

type denial struct {
	Policy string     `json:"policy"`
	Key    string     `json:"key"`
	Limit  weir.Limit `json:"limit"`
}

type limit struct {
	Policy       string     `json:"policy"`
	Key          string     `json:"key"`
	Limit        weir.Limit `json:"limit"`
	Quota        int64      `json:"quota"`
	WindowMS     int64      `json:"window_ms"`
	Used         int64      `json:"used"`
	Remaining    int64      `json:"remaining"`
	RetryAfterMS int64      `json:"retry_after_ms"`
	NextAfterMS  int64      `json:"next_after_ms"`
	ResetAfterMS int64      `json:"reset_after_ms"`
}

// decide is the answer that tells of a decision on a key of a policy.
func decide(policy, key string, d *weir.Decision) *decision {
	a := &decision{
		Allowed:      d.Allowed,
		RetryAfterMS: millis(d.RetryAfter),
		Source:       d.Source.String(),
		Limits:       []limit{},
		retryAfter:   d.RetryAfter,
	}
	if by := d.DeniedBy(); by != (weir.Denial{}) {
		a.DeniedBy = &denial{Policy: by.Policy, Key: by.Key, Limit: by.Limit}
	}
	for l := range d.Limits() {
		a.Limits = append(a.Limits, limit{
			Policy:       policy,
			Key:          key,
			Limit:        l.Limit,
			Quota:        l.Limit.Quota,
			WindowMS:     millis(l.Limit.Window),
			Used:         l.Used,
			Remaining:    l.Remaining,
			RetryAfterMS: millis(l.RetryAfter),
			NextAfterMS:  millis(l.NextAfter),
			ResetAfterMS: millis(l.ResetAfter),
		})
	}
	return a
}

func (a *decision) status() int {
	if a.Allowed {
		return http.StatusOK
	}
	return http.StatusTooManyRequests
}

// head sets Retry-After for a denial that a wait helps against.
func (a *decision) head(h http.Header) {
	h.Set("Content-Type", "application/json")
	if !a.Allowed && a.retryAfter != weir.Never {
		h.Set("Retry-After", strconv.FormatInt(roundUp(a.retryAfter, time.Second), 10))
	}
}

func millis(d time.Duration) int64 {
	if d == weir.Never {
		return never
	}
	return roundUp(d, time.Millisecond)
}

// roundUp is how many units d takes, which is not negative.
func roundUp(d, unit time.Duration) int64 {
	n := int64(d / unit)
	if d%unit > 0 {
		n++
	}
	return n
}
