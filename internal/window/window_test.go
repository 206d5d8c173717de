package window

import (
	"math"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"
)

func TestFinestStep(t *testing.T) {
	for _, c := range []struct{ window, step int64 }{
		{MinWindow, 1},
		{minute, 1},
		{MaxSteps, 1},
		{MaxSteps + 1, 2},
		{hour, 2},
		{2 * MaxSteps, 2},
		{2*MaxSteps + 1, 5},
		{3 * hour, 10},
		{day, 50},
		{7 * day, 500},
		{30 * day, 2 * ms},
		{MaxWindow, 20 * ms},
	} {
		if step := FinestStep(c.window); step != c.step {
			t.Errorf("a window of %d: step %d, want %d", c.window, step, c.step)
		}
	}
}

// Other languages rely on these.
func TestHash(t *testing.T) {
	for text, want := range map[string]uint64{
		"":                        0xfdbdf6ac4fc52e7f,
		"a":                       0x2ef7d1316eb86f71,
		"user:42":                 0xada6f91eb721cc8c,
		"tenant:7/search":         0xcb89b4b4a2c957bd,
		"zażółć":                  0xcc76857175f4ace4,
		"\x00\xff":                0x113845c591e989e0,
		strings.Repeat("x", 1024): 0x84cd285b7604bc34,
	} {
		if hash := Hash(text); hash != want {
			t.Errorf("%.20q: %#x, want %#x", text, hash, want)
		}
	}
}

func TestNewRule(t *testing.T) {
	limits := []Limit{{Quota: 7, Window: minute}, {Quota: 5, Window: hour}, {Quota: 9, Window: second}}
	r := NewRule(SlidingLog, limits, 0)
	if r.Longest != hour || r.Shortest != second || r.Step != 2 || r.mostQuota != 5 {
		t.Errorf("%+v", r)
	}
	if r = NewRule(SlidingLog, limits, 100*ms); r.Step != 100*ms {
		t.Errorf("step %d", r.Step)
	}
}

// The limit that denies is the one that denies longest.
func TestDeniedBy(t *testing.T) {
	for name, c := range map[string]struct {
		cost     int64
		deniedBy int
	}{"the longest": {1, 1}, "the one that never allows": {2, 2}} {
		t.Run(name, func(t *testing.T) {
			k := &key{t: t, rule: logOf(Limit{Quota: 2, Window: second}, Limit{Quota: 2, Window: hour}, Limit{Quota: 1, Window: minute})}
			k.decide(0, 1, true)
			k.rule.Limits = []Limit{{Quota: 1, Window: second}, {Quota: 1, Window: hour}, {Quota: 1, Window: minute}}
			if c.cost == 2 {
				k.rule.Limits[0].Quota, k.rule.Limits[1].Quota = 2, 2
			}
			if v := k.decide(0, c.cost, true); int(v.DeniedBy) != c.deniedBy || v.Retry != k.statuses[c.deniedBy].Retry {
				t.Errorf("%+v", v)
			}
		})
	}
}

func TestArithmetic(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	number := func() int64 { return random.Int64() >> random.IntN(63) }
	for range 20_000 {
		a, b, c, d := number(), number(), number(), number()+1
		if d <= 0 {
			continue
		}
		want, rest := new(big.Int), new(big.Int)
		want.Mul(big.NewInt(a), big.NewInt(b)).Add(want, big.NewInt(c)).QuoRem(want, big.NewInt(d), rest)
		if !want.IsInt64() {
			want.SetInt64(math.MaxInt64)
			rest.SetInt64(0)
		}
		if q, r := mulDiv(a, b, c, d); q != want.Int64() || r != rest.Int64() {
			t.Fatalf("(%d*%d+%d)/%d = %d rest %d, want %v rest %v", a, b, c, d, q, r, want, rest)
		}
	}
	for _, c := range []struct{ a, b, floor, ceil int64 }{
		{7, 2, 3, 8}, {-7, 2, -4, -6}, {8, 2, 4, 8}, {-8, 2, -4, -8}, {0, 5, 0, 0}, {1, 5, 0, 5}, {-1, 5, -1, 0},
	} {
		if got := floorDiv(c.a, c.b); got != c.floor {
			t.Errorf("%d/%d down: %d", c.a, c.b, got)
		}
		if got := ceilTo(c.a, c.b); got != c.ceil {
			t.Errorf("%d up to a multiple of %d: %d", c.a, c.b, got)
		}
	}
}
