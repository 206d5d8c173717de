package memory_test

import (
	"fmt"
	"strconv"
	"testing"
	"time"

	"github.com/weirlimit/weir"
	"github.com/weirlimit/weir/memory"
)

// slots is how many overflow slots a policy has.
const slots = 4096

// fill takes every place for keys of their own, under a policy of its own, for
// an hour.
func (r *rig) fill(keys int) *weir.Limiter {
	r.Helper()
	l := r.limiter(weir.SlidingLog, "5/1h")
	for i := range keys {
		r.allowed(l, "filler "+strconv.Itoa(i), 1)
	}
	if got := r.store.Stats().Keys; got != keys {
		r.Fatalf("%d keys, want %d", got, keys)
	}
	return l
}

// sharing is a key that shares its overflow slot with one that has used some,
// and strange is one that does not.
func (r *rig) sharing(l *weir.Limiter) (key, strange string) {
	r.Helper()
	for i := range 100 * slots {
		if other := "other " + strconv.Itoa(i); r.used(l, other) > 0 {
			return other, strange
		} else if strange == "" {
			strange = other
		}
	}
	r.Fatal("no key shares the slot")
	return "", ""
}

// TestFlood: a million one-off keys. What was used stays used, no slot admits
// more than the quota in a window, and when the flood has ended and a window
// has passed a newcomer has a state of its own again.
func TestFlood(t *testing.T) {
	const (
		keys  = 10_000
		flood = 1_000_000
		quota = 5
	)
	r := newRig(t, memory.Config{MaxKeys: keys})
	l := r.limiter(weir.SlidingLog, "5/10s")
	r.allowed(l, "spent before", quota)
	var own, shared int64
	late, ctx := false, t.Context()
	for i := range flood {
		r.clock.advance(9 * time.Microsecond) // 9 s in all
		d, err := l.Take(ctx, "one-off "+strconv.Itoa(i), 1)
		if err != nil {
			t.Fatal(err)
		}
		if d.Allowed {
			if own < keys-1 {
				own++
			} else {
				shared++
			}
		}
		if i == 2*keys {
			late = r.take(l, "spent late", quota-1)
		}
		if i%1000 == 0 {
			r.denied(l, "spent before", 1)
			if late && i > 2*keys {
				r.denied(l, "spent late", quota-1)
			}
		}
	}
	s := r.store.Stats()
	if s.Keys != keys || s.Slots > slots {
		t.Errorf("%d keys and %d slots, want %d and at most %d", s.Keys, s.Slots, keys, slots)
	}
	if most := int64(slots * quota); shared > most || shared < most*99/100 {
		t.Errorf("%d takes admitted in slots, want at most %d, and nearly all of them", shared, most)
	}
	if s.Overflowed < flood-keys || s.OverflowDenied < s.Overflowed-slots*quota {
		t.Errorf("%d takes in slots, %d denied", s.Overflowed, s.OverflowDenied)
	}
	r.wantUsed(l, "spent before", quota)
	r.denied(l, "spent late", 1)

	// The very first may look for a place in a part of their shard where nothing
	// is, and share a slot, so they are of another policy.
	r.clock.advance(10 * time.Second)
	others := r.limiter(weir.SlidingLog, "5/10s")
	for i := range 50 {
		r.allowed(others, "first "+strconv.Itoa(i), 1)
	}
	s = r.store.Stats()
	for i := range 2000 {
		newcomer := "newcomer " + strconv.Itoa(i)
		for range quota {
			r.allowed(l, newcomer, 1)
		}
		r.denied(l, newcomer, 1)
	}
	if after := r.store.Stats(); after.Overflowed != s.Overflowed || after.Keys < 2000 {
		t.Errorf("%d takes in slots after the flood, and %d keys", after.Overflowed-s.Overflowed, after.Keys)
	}
}

// TestFloodOfWindows: over several windows, the slots admit in each what their
// algorithm does.
func TestFloodOfWindows(t *testing.T) {
	const quota = 2
	for a, most := range map[weir.Algorithm]int64{
		weir.SlidingLog: quota, weir.SlidingCounter: 2*quota - 1, weir.FixedWindow: 2 * quota, weir.TokenBucket: 2 * quota,
	} {
		t.Run(a.String(), func(t *testing.T) {
			r := newRig(t, memory.Config{MaxKeys: 1})
			l := r.limiter(a, "2/1s")
			r.fill(1)
			var takes []admitted
			for i := range 60_000 {
				r.clock.advance(50 * time.Microsecond) // 3 s in all
				if r.take(l, "one-off "+strconv.Itoa(i), 1) {
					takes = append(takes, admitted{r.clock.read(), 1})
				}
			}
			if err := overrun(takes, time.Second, slots*most); err != nil {
				t.Error(err)
			}
			if len(takes) < 2*slots*quota {
				t.Errorf("%d takes admitted: the slots do not pass their quota", len(takes))
			}
		})
	}
}

// TestSlotIsShared: keys of one slot count together, under one policy.
func TestSlotIsShared(t *testing.T) {
	for _, a := range algorithms {
		t.Run(a.String(), func(t *testing.T) {
			r := newRig(t, memory.Config{MaxKeys: 1})
			l, beside := r.limiter(a, "5/10d"), r.limiter(a, "5/10d")
			r.fill(1)
			r.allowed(l, "a", 3)
			b, strange := r.sharing(l)
			r.wantUsed(l, b, 3)
			r.denied(l, b, 3)
			r.allowed(l, b, 2)
			r.denied(l, "a", 1)
			r.wantUsed(l, strange, 0)
			r.wantUsed(beside, "a", 0)
			r.allowed(beside, b, 5)
			r.wantUsed(l, "a", 5)
		})
	}
}

// TestMoveOutOfSlot: as soon as there is room a key has a state of its own,
// with a copy of its slot's usage, and its takes settle there.
func TestMoveOutOfSlot(t *testing.T) {
	for _, a := range algorithms {
		t.Run(a.String(), func(t *testing.T) {
			r := newRig(t, memory.Config{MaxKeys: 1})
			l := r.limiter(a, "9/10d")
			filler := r.fill(1)
			r.allowed(l, "a", 1)
			b, _ := r.sharing(l)
			d, err := l.Take(t.Context(), b, 3)
			if err != nil {
				t.Fatal(err)
			}
			if err := filler.Reset(t.Context(), "filler 0"); err != nil {
				t.Fatal(err)
			}
			r.allowed(l, b, 2) // 4 of the slot, and 2
			if s := r.store.Stats(); s.Keys != 1 || s.Slots != 1 || s.Overflowed != 2 {
				t.Fatalf("%+v: the key has not moved", s)
			}
			r.wantUsed(l, b, 6)
			r.wantUsed(l, "a", 4)
			r.denied(l, b, 4)
			r.allowed(l, "a", 4) // still in the slot
			r.wantUsed(l, b, 6)
			if err := d.Settle(t.Context(), 1); err != nil {
				t.Fatal(err)
			}
			r.wantUsed(l, b, 4)
			r.wantUsed(l, "a", 8)

			// As time passes the copy ages as the slot does.
			r.allowed(l, b, 4)
			for range 25 {
				r.clock.advance(24 * time.Hour)
				r.wantUsed(l, b, r.used(l, "a"))
			}
			r.wantUsed(l, b, 0)
		})
	}
}

// TestPlaceOfExpired: a key gives up its place at the moment when nothing of
// it counts any longer, and not before.
func TestPlaceOfExpired(t *testing.T) {
	const newcomers = 5000 // one of them will look where the old key is
	for _, a := range []weir.Algorithm{weir.SlidingLog, weir.FixedWindow} {
		r := newRig(t, memory.Config{MaxKeys: 1})
		r.allowed(r.limiter(a, "1/10s"), "old", 1)
		l := r.limiter(a, "100/10s") // so that no slot denies a newcomer, who then would not look
		for _, test := range []struct {
			after time.Duration
			taken bool
		}{{10*time.Second - time.Microsecond, false}, {time.Microsecond, true}} {
			r.clock.advance(test.after)
			before := r.store.Stats().Overflowed
			for i := range newcomers {
				r.take(l, fmt.Sprint(test.taken, i), 1)
			}
			if n := r.store.Stats().Overflowed - before; (n < newcomers) != test.taken {
				t.Errorf("%s: %d of %d newcomers found no place, want the old one taken: %t", a, n, newcomers, test.taken)
			}
		}
	}
}

// TestTakeAllInOneSlot: two keys that would share a slot are taken as one, as if
// each had it to itself, or neither is, and nothing of those before them.
func TestTakeAllInOneSlot(t *testing.T) {
	for _, a := range algorithms {
		t.Run(a.String(), func(t *testing.T) {
			r := newRig(t, memory.Config{MaxKeys: 2})
			l, beside := r.limiter(a, "5/10d"), r.limiter(a, "9/10d")
			shadow := limiterOf(t, r.store, weir.Config{Name: "shadow", Algorithm: a, Shadow: true}, "5/10d")
			r.fill(1)
			own := beside.Charge("own", 1).In("group") // has a state of its own
			if d, err := own.Take(t.Context()); err != nil || !d.Allowed {
				t.Fatal(err)
			}
			r.allowed(l, "a", 1)
			b, _ := r.sharing(l)
			all := func(want bool, charges ...weir.Charge) {
				t.Helper()
				ds, err := weir.TakeAll(t.Context(), charges...)
				if err != nil {
					t.Fatal(err)
				}
				for i := range ds {
					if ds[i].Allowed != want || (ds[i].RetryAfter == 0) != want {
						t.Errorf("charge %d: allowed %t, RetryAfter %v, want allowed %t", i, ds[i].Allowed, ds[i].RetryAfter, want)
					}
				}
			}
			want := func(ofA, ofB, ofZ, ofOwn int64) {
				t.Helper()
				r.wantUsed(l, "a", ofA)
				r.wantUsed(l, b, ofB)
				r.wantUsed(beside, "z", ofZ)
				d, err := own.Peek(t.Context())
				if err != nil || 9-d.Remaining() != ofOwn {
					t.Errorf("%d of the key of its own used, want %d: %v", 9-d.Remaining(), ofOwn, err)
				}
			}
			z := beside.Charge("z", 2)
			want(1, 1, 0, 1)
			all(true, own, z, l.Charge("a", 2), l.Charge(b, 3)) // together more than the slot has left
			want(3, 4, 2, 2)
			all(false, own, z, l.Charge("a", 2), l.Charge(b, 2))
			all(false, l.Charge(b, 1), l.Charge("a", 3), z)
			want(3, 4, 2, 2)

			// A shadow policy that finds no room denies nobody.
			ds, err := weir.TakeAll(t.Context(), shadow.Charge("a", 6), shadow.Charge(b, 3), z)
			if err != nil || !ds[0].Allowed {
				t.Errorf("denied by a shadow policy: %v", err)
			}
			want(3, 4, 4, 2)
		})
	}
}

// TestTakeAllSqueezed: a take that is denied after all, since for want of
// memory takes were merged, leaves nothing of those before it.
func TestTakeAllSqueezed(t *testing.T) {
	r := newRig(t, memory.Config{MaxBytes: 64})
	first, second := r.limiter(weir.SlidingLog, "9/1h"), r.limiter(weir.SlidingLog, "3/1s", "100/1h")
	r.allowed(first, "a", 1)
	for _, after := range []time.Duration{0, 300 * time.Millisecond, 300 * time.Millisecond, 600 * time.Millisecond} {
		r.clock.advance(after)
		r.allowed(second, "b", 1)
	}
	r.clock.advance(450 * time.Millisecond) // of four entries the last is in the second
	r.wantUsed(second, "b", 1)
	ds, err := weir.TakeAll(t.Context(), first.Charge("a", 5), second.Charge("b", 2))
	if err != nil || ds[0].Allowed || ds[1].DeniedBy().Policy != second.Name() {
		t.Fatalf("%+v, %v; want a denial by the second", ds, err)
	}
	if got := r.store.Stats().Squeezed; got != 1 {
		t.Errorf("squeezed %d times", got)
	}
	r.wantUsed(first, "a", 1)
	r.wantUsed(second, "b", 2)
	r.clock.advance(ds[0].RetryAfter - time.Microsecond)
	for _, want := range []bool{false, true} {
		ds, err := weir.TakeAll(t.Context(), first.Charge("a", 5), second.Charge("b", 2))
		if err != nil || ds[0].Allowed != want {
			t.Errorf("at RetryAfter: %+v, %v; want allowed %t", ds[0], err, want)
		}
		r.clock.advance(time.Microsecond)
	}
}

// TestResetInSlot: a key that shares a slot is forgotten alone, and for as
// long as the slot remembers it.
func TestResetInSlot(t *testing.T) {
	r := newRig(t, memory.Config{MaxKeys: 1})
	l := r.limiter(weir.SlidingLog, "5/10s")
	filler := r.fill(1)
	r.allowed(l, "a", 3)
	b, _ := r.sharing(l)
	if err := l.Reset(t.Context(), "a"); err != nil {
		t.Fatal(err)
	}
	r.wantUsed(l, "a", 0)
	r.wantUsed(l, b, 3)
	r.clock.advance(9 * time.Second)
	for i := range 20_000 { // each sweeps a part of its shard
		r.take(filler, "one-off "+strconv.Itoa(i), 1)
	}
	r.wantUsed(l, "a", 0)
	r.allowed(l, "a", 5)
	r.wantUsed(l, b, 3)
	if err := l.Reset(t.Context(), "a"); err != nil { // it has its own state, and the slot
		t.Fatal(err)
	}
	r.wantUsed(l, "a", 0)
	r.wantUsed(l, b, 3)
	r.clock.advance(time.Second)
	r.wantUsed(l, b, 0)
	for i := range 20_000 {
		r.take(filler, "two-off "+strconv.Itoa(i), 1)
	}
	if keys := r.store.Stats().Keys; keys > 1 {
		t.Errorf("%d keys, when the slot has forgotten what was reset", keys)
	}
}
