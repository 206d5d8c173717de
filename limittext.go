package weir

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
)

const (
	day  = 24 * time.Hour
	week = 7 * day
)

// ParseLimit reads a limit as text: a quota, a slash and a window, as in
// 100/1m or 5000/1d12h, and for a token bucket perhaps its burst, as in
// "10/1s burst 20".
//
// The window is a Go duration, in which d (24 hours) and w (7 days) may come
// before the other units; s, m, h, d or w alone is one of it. The error is
// ErrInvalid, and names the text and the rule.
func ParseLimit(text string) (Limit, error) {
	rate, burst, hasBurst := strings.Cut(text, " burst ")
	quota, window, ok := strings.Cut(rate, "/")
	if !ok {
		return Limit{}, fmt.Errorf("%w: limit %q: want quota/window, as in 100/1m", ErrInvalid, text)
	}
	var l Limit
	var err error
	if l.Quota, err = parseUnits(quota); err != nil {
		return Limit{}, fmt.Errorf("%w: limit %q: quota %q: %w", ErrInvalid, text, quota, err)
	}
	if l.Window, err = parseWindow(window); err != nil {
		return Limit{}, fmt.Errorf("%w: limit %q: window %q: %w", ErrInvalid, text, window, err)
	}
	algorithm := SlidingLog
	if hasBurst {
		algorithm = TokenBucket
		if l.Burst, err = parseUnits(burst); err == nil && l.Burst == 0 {
			err = errNotUnits
		}
		if err != nil {
			return Limit{}, fmt.Errorf("%w: limit %q: burst %q: %w", ErrInvalid, text, burst, err)
		}
	}
	return l, l.validate(algorithm)
}

var errNotUnits = fmt.Errorf("must be a whole number up to %d", int64(MaxQuota))

func parseUnits(text string) (int64, error) {
	n, err := strconv.ParseUint(text, 10, 63)
	if err != nil || n > MaxQuota {
		return 0, errNotUnits
	}
	return int64(n), nil
}

func parseWindow(text string) (time.Duration, error) {
	switch text {
	case "s", "m", "h", "d", "w":
		text = "1" + text
	}
	total, rest := time.Duration(0), text
	for _, unit := range []struct {
		letter string
		length time.Duration
	}{{"w", week}, {"d", day}} {
		number, after, ok := strings.Cut(rest, unit.letter)
		if !ok {
			continue
		}
		n, err := strconv.ParseUint(number, 10, 16)
		if err != nil || n > uint64(MaxWindow/unit.length) {
			return 0, fmt.Errorf("%q is no whole number of %s within %s", number, unit.letter, formatWindow(MaxWindow))
		}
		total, rest = total+time.Duration(n)*unit.length, after
	}
	if rest == "" && total > 0 {
		return total, nil
	}
	d, err := time.ParseDuration(rest)
	if err != nil || d < 0 || strings.HasPrefix(rest, "+") || strings.HasPrefix(rest, "-") {
		return 0, errors.New("want a duration, as in 500ms, 1m, 1h30m, 7d or 2w")
	}
	if d > MaxWindow {
		return d, nil // for the range check to name
	}
	return total + d, nil
}

// formatWindow writes a window in the shortest way that ParseLimit reads.
func formatWindow(d time.Duration) string {
	var b strings.Builder
	for _, unit := range []struct {
		letter byte
		length time.Duration
	}{{'w', week}, {'d', day}, {'h', time.Hour}, {'m', time.Minute}} {
		// Two weeks are 2w, and eight days 8d.
		if n := d / unit.length; n > 0 && (unit.letter != 'w' || d%week == 0) {
			fmt.Fprintf(&b, "%d%c", n, unit.letter)
			d %= unit.length
		}
	}
	if d != 0 || b.Len() == 0 {
		b.WriteString(d.String())
	}
	return b.String()
}

// String is the limit as ParseLimit reads it.
func (l Limit) String() string {
	text := strconv.FormatInt(l.Quota, 10) + "/" + formatWindow(l.Window)
	if l.Burst != 0 {
		text += " burst " + strconv.FormatInt(l.Burst, 10)
	}
	return text
}

// MarshalText is String.
func (l Limit) MarshalText() ([]byte, error) { return []byte(l.String()), nil }

// UnmarshalText is ParseLimit.
func (l *Limit) UnmarshalText(text []byte) (err error) {
	*l, err = ParseLimit(string(text))
	return err
}
