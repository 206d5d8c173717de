// Package storetest is the conformance suite of weir's stores. A store that
// passes it keeps the promises that package weir makes for it.
//
// # For the author of a store
//
// Call [Run] from a test of the store, with a function that opens a fresh one:
//
//	func TestStore(t *testing.T) {
//		storetest.Run(t, func(tb testing.TB) storetest.Subject {
//			clock := newFakeClock()
//			store := open(tb, clock) // and close it in tb.Cleanup
//			return storetest.Subject{Store: store, SetClock: clock.Set}
//		})
//	}
//
// The suite opens a store for each behaviour, over a hundred in all; each must
// be empty, and none may share usage with another. It sleeps nowhere: time
// passes because Subject.SetClock says so. Declare what the store cannot do in
// the [Subject]: then the suite asks for it nowhere, and where a policy would
// need it, that the store refuses the policy.
//
// Behaviours that one key can show are timelines: a line for each request with
// the time, the verb, the cost and the whole answer. A failure prints the
// line, what was wanted and what the store said.
//
// [Bench] measures the same subject.
package storetest

import (
	"testing"
	"time"

	"github.com/weirlimit/weir"
)

// A Subject is a fresh store, and what it can do.
type Subject struct {
	Store weir.Store

	// SetClock makes the store's clock stand at a time until the next call. The
	// suite sets it forward and back, from one goroutine at a time, while
	// others may be using the store. If it is nil, the store's clock must run;
	// then only what does not depend on the time is tested, and that no
	// trailing window holds too much.
	SetClock func(now time.Time)

	// Algorithms are those that the store supports; none means all. A policy
	// with another one must be refused when it is made.
	Algorithms []weir.Algorithm

	// OneGroup says that a TakeAll works only within one group, as on a Redis
	// Cluster. All others are then left out.
	OneGroup bool
}

// Run tests a store. It calls open for every behaviour.
func Run(t *testing.T, open func(tb testing.TB) Subject) {
	t.Helper()
	s := &suite{open: open, can: open(t)}
	for _, b := range []struct {
		name  string
		timed bool // needs a clock that can be set
		test  func(t *testing.T)
	}{
		{"algorithms", false, s.algorithms},
		{"names", false, s.names},
		{"keys", false, s.keys},
		{"groups", false, s.groups},
		{"costs", false, s.costs},
		{"blocked", false, s.blocked},
		{"nothing recorded", false, s.nothingRecorded},
		{"take all", false, s.takeAll},
		{"settle all", false, s.settleAll},
		{"reset", false, s.reset},
		{"shadow", false, s.shadow},
		{"concurrent takers", false, s.concurrentTakers},
		{"concurrent charges", false, s.concurrentCharges},
		{"timelines", true, s.timelines(timelines)},
		{"several windows", true, s.timelines(severalWindows)},
		{"settle", true, s.timelines(settles)},
		{"refund", true, s.timelines(refunds)},
		{"changed limits", true, s.timelines(changedLimits)},
		{"precision", true, s.timelines(precisions)},
		{"clock", true, s.timelines(clockSteps)},
		{"shared resource", true, s.sharedResource},
		{"retry after", true, s.retryAfter},
		{"phase", true, s.phase},
	} {
		if s.can.SetClock != nil || !b.timed {
			t.Run(b.name, b.test)
		}
	}
}

// A suite is the behaviours of one kind of store.
type suite struct {
	open func(tb testing.TB) Subject
	can  Subject // for what it declares
}

// rig opens a fresh subject.
func (s *suite) rig(t *testing.T) *rig {
	t.Helper()
	r := &rig{T: t, Subject: s.open(t), origin: origin}
	r.at(0)
	return r
}

// each runs a test for each algorithm of the store, with a fresh subject.
func (s *suite) each(t *testing.T, test func(r *rig, a weir.Algorithm)) {
	t.Helper()
	for _, a := range allAlgorithms {
		if s.can.supports(a) {
			t.Run(a.String(), func(t *testing.T) { test(s.rig(t), a) })
		}
	}
}
