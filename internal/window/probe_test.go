package window

import (
	"reflect"
	"slices"
)

// peek asks a copy of the state, so that nothing of the question stays.
func peek(s *State, r *Rule, q Query) (Verdict, []Status) {
	c := s.Clone()
	q.Record = false
	statuses := make([]Status, len(r.Limits))
	return c.decide(r, q, statuses), statuses
}

// truths checks what a verdict says of the future against that future: s is
// the state after it, and nothing else is recorded.
func truths(fail func(format string, args ...any), s *State, r *Rule, q Query, v Verdict, statuses []Status) {
	at := func(wait int64) (Verdict, []Status) {
		later := q
		later.Now += wait
		return peek(s, r, later)
	}
	if v.Allowed != (v.DeniedBy == -1) || v.Allowed != (v.Retry == 0) {
		fail("allowed %t, denied by %d, retry %d", v.Allowed, v.DeniedBy, v.Retry)
	}
	if v.Retry > 0 && v.Retry != Never {
		if then, _ := at(v.Retry); !then.Allowed {
			fail("denied again after retry %d: retry %d", v.Retry, then.Retry)
		}
		if before, _ := at(v.Retry - 1); before.Allowed {
			fail("allowed a microsecond before retry %d", v.Retry)
		}
	}
	var longest int64
	for i, st := range statuses {
		capacity := r.Limits[i].capacity(r.Algorithm)
		if st.Remaining != max(0, capacity-st.Used) {
			fail("limit %d: remaining %d of %d, used %d", i, st.Remaining, capacity, st.Used)
		}
		if longest = max(longest, st.Retry); int(v.DeniedBy) == i && st.Retry != v.Retry {
			fail("limit %d denies for %d, not %d", i, st.Retry, v.Retry)
		}
		if (st.Next > 0) != (st.Remaining == 0) || (st.Reset > 0) != (st.Used > 0) {
			fail("limit %d: remaining %d, next %d; used %d, reset %d", i, st.Remaining, st.Next, st.Used, st.Reset)
		}
		if st.Next > 0 && st.Next != Never {
			_, then := at(st.Next)
			_, before := at(st.Next - 1)
			if then[i].Remaining == 0 || before[i].Remaining != 0 {
				fail("limit %d: next %d: remaining %d then, %d before", i, st.Next, then[i].Remaining, before[i].Remaining)
			}
		}
		if st.Reset > 0 {
			_, then := at(st.Reset)
			_, before := at(st.Reset - 1)
			if then[i].Used != 0 || before[i].Used == 0 {
				fail("limit %d: reset %d: used %d then, %d before", i, st.Reset, then[i].Used, before[i].Used)
			}
		}
	}
	if longest != v.Retry {
		fail("retry %d, the longest of the limits' %d", v.Retry, longest)
	}
	q.Now = max(s.Expires(), q.Now)
	if q.Now == s.Expires() {
		gotV, got := peek(s, r, q)
		wantV, want := peek(new(State), r, q)
		if gotV != wantV || !slices.Equal(got, want) {
			fail("expired: %+v %+v\nfresh:   %+v %+v", gotV, got, wantV, want)
		}
	}
}

// unchanged checks that a peek or a denial left nothing in the state that a
// later question could tell, but what it learnt of the clock and of the rule.
func unchanged(fail func(format string, args ...any), before, after *State, r *Rule, q Query, waits ...int64) {
	if before.offset != after.offset || before.log.horizon != after.log.horizon {
		return
	}
	for _, w := range waits {
		later := q
		later.Now += w
		wantV, want := peek(before, r, later)
		if gotV, got := peek(after, r, later); gotV != wantV || !slices.Equal(got, want) {
			fail("not recorded, but %d later: %+v %+v\nwithout it:   %+v %+v", w, gotV, got, wantV, want)
		}
	}
}

// shares says whether two states have memory in common.
func shares(a, b *State) bool {
	common := func(x, y any) bool {
		vx, vy := reflect.ValueOf(x), reflect.ValueOf(y)
		return vx.Cap() > 0 && vy.Cap() > 0 && vx.Pointer() == vy.Pointer()
	}
	return common(a.log.entries.words, b.log.entries.words) ||
		common(a.counters, b.counters) || common(a.buckets, b.buckets)
}
