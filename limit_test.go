package weir_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/weirlimit/weir"
)

func TestParseLimit(t *testing.T) {
	const day = 24 * time.Hour
	for _, row := range []struct {
		text string
		want weir.Limit
		back string // how it is written, if not as it was
	}{
		{"100/1m", weir.PerMinute(100), ""},
		{"0/1s", weir.PerSecond(0), ""},
		{"5/s", weir.PerSecond(5), "5/1s"},
		{"5/m", weir.PerMinute(5), "5/1m"},
		{"5/h", weir.PerHour(5), "5/1h"},
		{"5/d", weir.PerDay(5), "5/1d"},
		{"5/w", weir.Per(5, 7*day), "5/1w"},
		{"5/2w", weir.Per(5, 14*day), ""},
		{"5/8d", weir.Per(5, 8*day), ""},
		{"5/1w1d", weir.Per(5, 8*day), "5/8d"},
		{"5/366d", weir.Per(5, 366*day), ""},
		{"5/1d12h", weir.Per(5, 36*time.Hour), ""},
		{"5/1h30m", weir.Per(5, 90*time.Minute), ""},
		{"5/90s", weir.Per(5, 90*time.Second), "5/1m30s"},
		{"5/1.5s", weir.Per(5, 1500*time.Millisecond), ""},
		{"5/1ms", weir.Per(5, time.Millisecond), ""},
		{"5/1m1us", weir.Per(5, time.Minute+time.Microsecond), "5/1m1µs"},
		{"4503599627370496/1d", weir.PerDay(1 << 52), ""},
		{"10/1s burst 20", weir.Limit{Quota: 10, Window: time.Second, Burst: 20}, ""},
		{"1/183d burst 2", weir.Limit{Quota: 1, Window: 183 * day, Burst: 2}, ""},
	} {
		got, err := weir.ParseLimit(row.text)
		if err != nil || got != row.want {
			t.Errorf("ParseLimit(%q) = %+v, %v; want %+v", row.text, got, err, row.want)
			continue
		}
		back := row.back
		if back == "" {
			back = row.text
		}
		if got.String() != back {
			t.Errorf("ParseLimit(%q) is written %q, want %q", row.text, got, back)
		}
	}
}

func TestParseLimitRefuses(t *testing.T) {
	for text, wants := range map[string]string{
		"":                        "want quota/window",
		"100":                     "want quota/window",
		"/1m":                     `quota ""`,
		"-1/1m":                   `quota "-1"`,
		"+1/1m":                   `quota "+1"`,
		"1.5/1m":                  `quota "1.5"`,
		"1e3/1m":                  `quota "1e3"`,
		"4503599627370497/1m":     "up to 4503599627370496",
		"99999999999999999999/1m": "up to 4503599627370496",
		"5/":                      `window ""`,
		"5/0s":                    "must be from 1ms to 366d",
		"5/1":                     "want a duration",
		"5/-1s":                   "want a duration",
		"5/+1s":                   "want a duration",
		"5/1d-1h":                 "want a duration",
		"5/999us":                 "must be from 1ms to 366d",
		"5/1ms1ns":                "whole number of microseconds",
		"5/367d":                  "within 366d",
		"5/366d1h":                "must be from 1ms to 366d",
		"5/366d1us":               "must be from 1ms to 366d",
		"5/65536w":                `"65536" is no whole number of w within 366d`,
		"5/53w":                   "within 366d",
		"5/30501w616ns":           "within 366d",
		"5/2000000h":              "must be from 1ms to 366d",
		"5/1d1w":                  "no whole number of w",
		"5/1dd":                   "want a duration",
		"5/ 1m":                   "want a duration",
		"5/1m ":                   "want a duration",
		"5/1m burst ":             `burst ""`,
		"5/1m burst 0":            `burst "0"`,
		"5/1m burst -1":           `burst "-1"`,
		"0/1m burst 1":            "never refills",
		"1/183d burst 3":          "must refill within 366d",
	} {
		_, err := weir.ParseLimit(text)
		if !errors.Is(err, weir.ErrInvalid) || !strings.Contains(err.Error(), wants) {
			t.Errorf("ParseLimit(%q): %v; want ErrInvalid with %q", text, err, wants)
		}
	}
}

func TestLimitText(t *testing.T) {
	text, err := weir.PerMinute(100).MarshalText()
	if err != nil || string(text) != "100/1m" {
		t.Errorf("MarshalText: %q, %v", text, err)
	}
	var l weir.Limit
	if err := l.UnmarshalText(text); err != nil || l != weir.PerMinute(100) {
		t.Errorf("UnmarshalText: %v, %v", l, err)
	}
	if err := l.UnmarshalText([]byte("x")); err == nil {
		t.Error("UnmarshalText took x")
	}
}

// What is read is written in a way that reads the same, and is written the
// same again.
func FuzzParseLimit(f *testing.F) {
	for _, text := range []string{"100/1m", "5/w", "1/1d12h", "10/1s burst 20", "5/1w2d3h4m5.000006s", "0/366d", "5/1µs"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		l, err := weir.ParseLimit(text)
		if err != nil {
			if !errors.Is(err, weir.ErrInvalid) {
				t.Fatalf("ParseLimit(%q): %v is not ErrInvalid", text, err)
			}
			return
		}
		again, err := weir.ParseLimit(l.String())
		if err != nil || again != l {
			t.Fatalf("ParseLimit(%q) is %+v, written %q, which reads %+v, %v", text, l, l, again, err)
		}
	})
}
