package storetest_test

import (
	"errors"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/weirlimit/weir"
	"github.com/weirlimit/weir/storetest"
)

// inside is set in the process in which the broken stores are tested.
const inside = "STORETEST_BROKEN"

// careless takes any name twice.
type careless struct{ weir.Store }

func (c *careless) Register(p *weir.Policy) error {
	if err := c.Store.Register(p); !errors.Is(err, weir.ErrNameTaken) {
		return err
	}
	return nil
}

// specials are broken in ways that a breaker cannot be.
var specials = []struct {
	name, behaviour string
	open            func(tb testing.TB) storetest.Subject
}{
	{"unbroken", "", openMemory},
	{"name taken twice", "names", func(tb testing.TB) storetest.Subject {
		tb.Helper()
		s := openMemory(tb)
		s.Store = &careless{s.Store}
		return s
	}},
	{"clock kept from going back", "clock", func(tb testing.TB) storetest.Subject {
		tb.Helper()
		s := openMemory(tb)
		var last time.Time
		return storetest.Subject{Store: s.Store, SetClock: func(t time.Time) {
			if t.After(last) {
				last = t
				s.SetClock(t)
			}
		}}
	}},
	{"all forgotten when the clock goes back", "clock", func(tb testing.TB) storetest.Subject {
		tb.Helper()
		s := openMemory(tb)
		b := newBreaker(s.Store, ignore(99))
		var last time.Time
		return storetest.Subject{Store: b, SetClock: func(t time.Time) {
			if t.Before(last) {
				fresh := openMemory(tb)
				b.Store, s.SetClock = fresh.Store, fresh.SetClock
			}
			last = t
			s.SetClock(t)
		}}
	}},
	{"more algorithms than declared", "algorithms", func(tb testing.TB) storetest.Subject {
		tb.Helper()
		s := openMemory(tb)
		s.Algorithms = []weir.Algorithm{weir.SlidingLog}
		return s
	}},
}

// TestBrokenStores runs the suite against the broken stores in a process of
// its own, where it must fail: each behaviour for at least one store.
func TestBrokenStores(t *testing.T) {
	if os.Getenv(inside) != "" {
		runBroken(t)
		return
	}
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestBrokenStores$", "-test.v", "-test.timeout=2m")
	cmd.Env = append(os.Environ(), inside+"=1")
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != 1 || strings.Contains(string(out), "panic:") {
		t.Fatalf("the suite passed all stores, or did not end: %v\n%s", err, out)
	}
	failed, noticed := make(map[string]bool), make(map[string]bool)
	for _, match := range regexp.MustCompile(`--- (PASS|FAIL): TestBrokenStores/([^/\n]+)/([^/\n]+) \(`).FindAllStringSubmatch(string(out), -1) {
		fail, store, behaviour := match[1] == "FAIL", unescape(match[2]), unescape(match[3])
		noticed[behaviour] = noticed[behaviour] || fail
		if fail {
			failed[store], failed[store+"/"+behaviour] = true, true
		}
	}
	want := func(store, behaviour string) {
		if !failed[store+"/"+behaviour] {
			t.Errorf("store with %s: the suite's %q passed", store, behaviour)
		}
	}
	for _, b := range breakages {
		want(b.name, b.behaviour)
	}
	for _, s := range specials[1:] {
		want(s.name, s.behaviour)
	}
	if failed[specials[0].name] {
		t.Errorf("the suite fails a store that is not broken:\n%s", out)
	}
	for behaviour, ok := range noticed {
		if !ok {
			t.Errorf("no store is broken in the way that the suite's %q is for", behaviour)
		}
	}
}

// unescape is the name of a test as it was given.
func unescape(name string) string { return strings.ReplaceAll(name, "_", " ") }

func runBroken(t *testing.T) {
	t.Helper()
	for _, b := range breakages {
		t.Run(b.name, func(t *testing.T) {
			t.Parallel()
			storetest.Run(t, func(tb testing.TB) storetest.Subject {
				tb.Helper()
				s := openMemory(tb)
				s.Store = newBreaker(s.Store, b.do)
				return s
			})
		})
	}
	for _, s := range specials {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			storetest.Run(t, s.open)
		})
	}
}
