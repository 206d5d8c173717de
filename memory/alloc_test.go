//go:build !race

package memory_test

import (
	"testing"
	"time"

	"github.com/weirlimit/weir"
	"github.com/weirlimit/weir/memory"
)

// TestAllocNothing: a take under one limit of a key that is there allocates
// nothing. Pools are leaky under the race detector, so it runs without.
func TestAllocNothing(t *testing.T) {
	for _, a := range algorithms {
		for _, test := range []struct {
			name    string
			limit   string
			pause   time.Duration // between takes
			allowed bool
		}{
			{"allowed", "1000000/1h", 0, true},
			{"allowed, and time passes", "1000000/1h", time.Millisecond, true},
			{"allowed, when the last has expired", "2/1s", time.Minute, true},
			{"denied", "1/1h", 0, false},
			{"blocked", "0/1h", 0, false},
		} {
			t.Run(a.String()+"/"+test.name, func(t *testing.T) {
				r := newRig(t, memory.Config{})
				l := r.limiter(a, test.limit)
				charge := l.Charge("user:42", 1)
				// A log that has taken 10,000 grows at most once in the next 1,000.
				for range 10_000 {
					r.clock.advance(test.pause)
					r.take(l, "user:42", 1)
				}
				thousand := func(f func() (weir.Decision, error)) func() {
					return func() {
						for range 1000 {
							r.clock.advance(test.pause)
							if d, err := f(); err != nil || d.Allowed != test.allowed {
								t.Fatalf("allowed %t: %v", d.Allowed, err)
							}
						}
					}
				}
				for what, f := range map[string]func() (weir.Decision, error){
					"take": func() (weir.Decision, error) { return l.Take(t.Context(), "user:42", 1) },
					"peek": func() (weir.Decision, error) { return charge.Peek(t.Context()) },
				} {
					if n := testing.AllocsPerRun(1, thousand(f)); n > 1 {
						t.Errorf("1,000 %ss allocate %v times", what, n)
					}
				}
			})
		}
	}
}
