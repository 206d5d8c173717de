package storetest

import (
	"errors"
	"strings"
	"testing"

	"github.com/weirlimit/weir"
)

// algorithms: what the store does not support, it refuses when the policy is
// made.
func (s *suite) algorithms(t *testing.T) {
	t.Helper()
	for _, a := range allAlgorithms {
		t.Run(a.String(), func(t *testing.T) {
			r := s.rig(t)
			_, err := weir.New(weir.Config{Name: "policy", Store: r.Store, Algorithm: a, Limits: parseLimits(t, "5"+long)})
			if supported := r.supports(a); supported != (err == nil) {
				t.Errorf("New: %v, and the subject supports it: %t", err, supported)
			}
		})
	}
}

// names: a policy's name is its own in a store, and any name will do.
func (s *suite) names(t *testing.T) {
	t.Helper()
	s.each(t, func(r *rig, a weir.Algorithm) {
		c := weir.Config{Store: r.Store, Algorithm: a, Limits: parseLimits(r, "2"+long)}
		names := []string{"p", "P", "p:", ":p", "{p}", "p q", "%70", "~!@#$^&*()", strings.Repeat("n", weir.MaxNameBytes)}
		limiters := make([]*weir.Limiter, len(names))
		for i, name := range names {
			c.Name = name
			limiters[i] = r.limiterOf(c)
		}
		for _, c.Name = range names {
			if l, err := weir.New(c); !errors.Is(err, weir.ErrNameTaken) || l != nil {
				r.Errorf("a second policy %q: %v, want ErrNameTaken", c.Name, err)
			}
		}
		for i, l := range limiters {
			r.used(l.Charge(key, 1), 0)
			r.allowed(l.Charge(key, 2))
			r.used(l.Charge(key, 1), 2)
			if d := r.denied(l.Charge(key, 1)); d.DeniedBy().Policy != names[i] {
				r.Errorf("denied by %v, want policy %q", d.DeniedBy(), names[i])
			}
		}
		c.Name = names[0]
		other := &rig{T: r.T, Subject: s.open(r.T), origin: origin}
		other.at(0)
		other.used(other.limiterOf(c).Charge(key, 1), 0)
	})
}

// oddKeys differ from one another, if only a little.
func oddKeys() []string {
	long := strings.Repeat("k", weir.MaxKeyBytes-1)
	return []string{
		"k", "K", " k", "k ", "kk", "k\x00", "\x00k", "\x00", "k\n", "k\r\n", "\x1b[2J", "\x7f",
		"{k}", "{k", "k}", "}{", "{}", "{}k", "k:", ":k", "k:k", "k::k", ":", "%", "%6b", "k%00", "*", "k*", "?", "[k]",
		`"k"`, `'k'`, `\`, `k\`, `k\x00`, "\xff", "\xff\xfe", "k\xc3", "\u00e9", "e\u0301", "\u212a", "\u65e5\u672c", "0", "-1",
		long + "k", long + "l", long, long[1:],
	}
}

// keys: every key is its own, whatever bytes it has.
func (s *suite) keys(t *testing.T) {
	t.Helper()
	s.each(t, func(r *rig, a weir.Algorithm) {
		one, two := r.limiter(a, "2"+long), r.limiter(a, "3"+long)
		for _, k := range oddKeys() {
			r.allowed(one.Charge(k, 2))
			r.allowed(two.Charge(k, 3))
		}
		for _, k := range oddKeys() {
			r.denied(one.Charge(k, 1))
			if d := r.denied(two.Charge(k, 1)); d.DeniedBy().Key != k {
				r.Errorf("denied by %v, want key %q", d.DeniedBy(), k)
			}
		}
		for i, k := range oddKeys() {
			r.must(one.Reset(r.Context(), k))
			r.used(one.Charge(k, 1), 0)
			r.used(two.Charge(k, 1), 3)
			if i > 0 {
				r.allowed(one.Charge(k, 1))
				r.used(one.Charge(oddKeys()[i-1], 1), min(int64(i)-1, 1))
			}
		}
	})
}

// groups: a key in another group is another key; by default it is a group of
// its own.
func (s *suite) groups(t *testing.T) {
	t.Helper()
	s.each(t, func(r *rig, a weir.Algorithm) {
		l := r.limiter(a, "5"+long)
		pairs := []struct{ group, key string }{
			{"g", "k"},
			{"k", "g"},
			{"g", "g"},
			{"h", "k"},
			{"g:", "k"},
			{"g", ":k"},
			{"{g}", "k"},
			{"g}{", "k"},
			{"g", "{k}"},
			{"gk", "k"},
			{"g", "kk"},
			{"\x00", "k"},
			{strings.Repeat("g", weir.MaxKeyBytes), "k"},
			{"", "gk"},
		}
		for i, p := range pairs {
			c := l.Charge(p.key, int64(i%5)+1).In(p.group)
			r.used(c, 0)
			r.allowed(c)
		}
		for i, p := range pairs {
			r.used(l.Charge(p.key, 1).In(p.group), int64(i%5)+1)
		}
		r.used(l.Charge("k", 1), 0)
		r.allowed(l.Charge("k", 2).In("k"))
		r.used(l.Charge("k", 1), 2)

		d := r.allowed(l.Charge("k2", 3).In("g"))
		r.must(d.Settle(r.Context(), 1))
		r.used(l.Charge("k2", 1).In("g"), 1)
		r.allowed(l.Charge("k2", 4).In("g"))
		r.must(l.Charge("k2", 2).In("g").Refund(r.Context()))
		r.used(l.Charge("k2", 1).In("g"), 3)
		r.used(l.Charge("k2", 1), 0)
		r.must(l.Reset(r.Context(), "k2"))
		r.used(l.Charge("k2", 1).In("g"), 3)
		r.must(l.Charge("k2", 1).In("g").Reset(r.Context()))
		r.used(l.Charge("k2", 1).In("g"), 0)
	})
}

// reset: it forgets one key of one policy, all limits of it.
func (s *suite) reset(t *testing.T) {
	t.Helper()
	s.each(t, func(r *rig, a weir.Algorithm) {
		l, beside := r.limiter(a, "3/50d, 5"+long), r.limiter(a, "5"+long)
		r.allowed(l.Charge(key, 3))
		r.allowed(l.Charge("other", 2))
		r.allowed(beside.Charge(key, 4))
		r.must(l.Reset(r.Context(), key))
		for range 3 {
			r.allowed(l.Charge(key, 1))
		}
		r.denied(l.Charge(key, 1))
		r.used(l.Charge("other", 1), 2)
		r.used(beside.Charge(key, 1), 4)
		r.must(l.Reset(r.Context(), key))
		r.must(l.Reset(r.Context(), key))
		r.must(l.Reset(r.Context(), "never seen"))
		r.allowed(l.Charge(key, 3))
	})
}
