package weir_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/weirlimit/weir"
	"github.com/weirlimit/weir/memory"
)

// config is a policy that is right, but for what change makes of it.
func config(change func(c *weir.Config)) weir.Config {
	c := weir.Config{
		Name:   "test",
		Store:  memory.New(memory.Config{}),
		Limits: []weir.Limit{weir.PerMinute(10)},
	}
	if change != nil {
		change(&c)
	}
	return c
}

// limiter is the limiter of such a policy.
func limiter(t *testing.T, change func(c *weir.Config)) *weir.Limiter {
	t.Helper()
	l, err := weir.New(config(change))
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// distinct is n limits whose windows differ.
func distinct(n int) []weir.Limit {
	limits := make([]weir.Limit, n)
	for i := range limits {
		limits[i] = weir.Per(int64(i), time.Duration(i+1)*time.Second)
	}
	return limits
}

func TestConfig(t *testing.T) {
	day := 24 * time.Hour
	for name, row := range map[string]struct {
		change func(c *weir.Config)
		wants  string // in the error; empty if it is right
	}{
		"right":                    {func(*weir.Config) {}, ""},
		"no name":                  {func(c *weir.Config) { c.Name = "" }, "of 0 bytes"},
		"longest name":             {func(c *weir.Config) { c.Name = strings.Repeat("n", 128) }, ""},
		"name too long":            {func(c *weir.Config) { c.Name = strings.Repeat("n", 129) }, "of 129 bytes: must have 1 to 128"},
		"odd name":                 {func(c *weir.Config) { c.Name = "~ {a}:b/c|*" }, ""},
		"name with a quote":        {func(c *weir.Config) { c.Name = `a"b` }, "without quotes"},
		"name with an apostrophe":  {func(c *weir.Config) { c.Name = "a'b" }, "without quotes"},
		"name with a backslash":    {func(c *weir.Config) { c.Name = `a\b` }, "without quotes"},
		"name with a control":      {func(c *weir.Config) { c.Name = "a\nb" }, "printable ASCII"},
		"name beyond ASCII":        {func(c *weir.Config) { c.Name = "é" }, "printable ASCII"},
		"no store":                 {func(c *weir.Config) { c.Store = nil }, "Store is nil"},
		"unknown algorithm":        {func(c *weir.Config) { c.Algorithm = 4 }, "algorithm 4"},
		"unknown on-error choice":  {func(c *weir.Config) { c.OnError = 2 }, "choice 2"},
		"no limits":                {func(c *weir.Config) { c.Limits = nil }, "has 0 limits: must have 1 to 16"},
		"most limits":              {func(c *weir.Config) { c.Limits = distinct(16) }, ""},
		"too many limits":          {func(c *weir.Config) { c.Limits = distinct(17) }, "has 17 limits"},
		"negative quota":           {func(c *weir.Config) { c.Limits[0].Quota = -1 }, "quota -1 of limit -1/1m"},
		"blocked":                  {func(c *weir.Config) { c.Limits[0].Quota = 0 }, ""},
		"largest quota":            {func(c *weir.Config) { c.Limits[0].Quota = 1 << 52 }, ""},
		"quota too large":          {func(c *weir.Config) { c.Limits[0].Quota = 1<<52 + 1 }, "must be from 0 to 4503599627370496"},
		"shortest window":          {func(c *weir.Config) { c.Limits[0].Window = time.Millisecond }, ""},
		"window too short":         {func(c *weir.Config) { c.Limits[0].Window = 999 * time.Microsecond }, "from 1ms to 366d"},
		"longest window":           {func(c *weir.Config) { c.Limits[0].Window = 366 * day }, ""},
		"window too long":          {func(c *weir.Config) { c.Limits[0].Window = 366*day + 1 }, "from 1ms to 366d"},
		"part of a microsecond":    {func(c *weir.Config) { c.Limits[0].Window += 500 }, "whole number of microseconds"},
		"burst of a log":           {func(c *weir.Config) { c.Limits[0].Burst = 1 }, "only a token bucket has a burst, not a sliding log"},
		"same window":              {func(c *weir.Config) { c.Limits = append(c.Limits, weir.PerMinute(9)) }, "limits 10/1m and 9/1m have the same window"},
		"negative precision":       {func(c *weir.Config) { c.Precision = -1 }, "precision -1ns"},
		"coarsest precision":       {func(c *weir.Config) { c.Precision = 6 * time.Second }, ""},
		"precision too coarse":     {func(c *weir.Config) { c.Precision = 6*time.Second + time.Microsecond }, "at most a tenth of the shortest window, 1m"},
		"precision of a counter":   {func(c *weir.Config) { c.Algorithm, c.Precision = weir.SlidingCounter, 1000 }, "not a sliding counter"},
		"finest precision of day":  {func(c *weir.Config) { c.Limits[0].Window, c.Precision = day, 41*time.Microsecond }, ""},
		"precision too fine":       {func(c *weir.Config) { c.Limits[0].Window, c.Precision = day, 40*time.Microsecond }, "at least 41µs"},
		"windows just near enough": {func(c *weir.Config) { c.Limits = apart(214_748_364_800 * time.Microsecond) }, ""},
		"windows too far apart":    {func(c *weir.Config) { c.Limits = apart(214_748_364_801 * time.Microsecond) }, "too far apart for one sliding log"},
		"counter, far apart":       {func(c *weir.Config) { c.Algorithm, c.Limits = weir.SlidingCounter, apart(366*day) }, ""},
		"bucket":                   {func(c *weir.Config) { c.Algorithm, c.Limits[0].Burst = weir.TokenBucket, 30 }, ""},
		"bucket refills in time": {func(c *weir.Config) {
			c.Algorithm, c.Limits[0] = weir.TokenBucket, weir.Limit{Quota: 1, Window: day, Burst: 366}
		}, ""},
		"bucket refills too late": {func(c *weir.Config) {
			c.Algorithm, c.Limits[0] = weir.TokenBucket, weir.Limit{Quota: 1, Window: day, Burst: 367}
		}, "must refill within 366d"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := weir.New(config(row.change))
			if row.wants == "" {
				if err != nil {
					t.Error(err)
				}
				return
			}
			if !errors.Is(err, weir.ErrInvalid) || !strings.Contains(err.Error(), row.wants) {
				t.Errorf("%v; want ErrInvalid with %q", err, row.wants)
			}
		})
	}
}

// apart is a window of a millisecond, and one of 2^31/10 of them or so.
func apart(longest time.Duration) []weir.Limit {
	return []weir.Limit{weir.Per(5, time.Millisecond), weir.Per(50, longest)}
}

func TestNameTaken(t *testing.T) {
	c := config(nil)
	if _, err := weir.New(c); err != nil {
		t.Fatal(err)
	}
	if _, err := weir.New(c); !errors.Is(err, weir.ErrNameTaken) || !strings.Contains(err.Error(), `"test"`) {
		t.Errorf("the second of a name: %v", err)
	}
	c.Name = "another"
	if _, err := weir.New(c); err != nil {
		t.Error(err)
	}
}

// Limits of a key are checked like the policy's own, at each take, and fail it.
func TestLimitsFor(t *testing.T) {
	var limits []weir.Limit
	l := limiter(t, func(c *weir.Config) {
		c.LimitsFor = func(string) []weir.Limit { return limits }
	})
	take := func() (weir.Decision, error) { return l.Take(t.Context(), "k", 1) }

	if d, err := take(); err != nil || d.Remaining() != 9 {
		t.Errorf("no limits of its own: %d, %v; want 9 of the policy's 10", d.Remaining(), err)
	}
	limits = []weir.Limit{weir.PerMinute(3)}
	if d, err := take(); err != nil || d.Remaining() != 1 {
		t.Errorf("a quota of 3 after two takes: %d left, %v; want 1", d.Remaining(), err)
	}
	limits[0].Quota = -3
	if _, err := take(); !errors.Is(err, weir.ErrInvalid) || !strings.Contains(err.Error(), "quota -3") {
		t.Errorf("bad limits: %v; want ErrInvalid with the quota", err)
	}
	// More sets of limits than are kept ready still work, and still apply.
	for quota := range int64(200) {
		limits = []weir.Limit{weir.PerMinute(quota + 4)}
		d, err := l.Peek(t.Context(), "k", 1)
		if err != nil || d.Remaining() != quota+2 {
			t.Fatalf("quota %d: %d left, %v; want %d", quota+4, d.Remaining(), err, quota+2)
		}
	}
}
