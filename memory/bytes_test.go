package memory_test

import (
	"math/rand/v2"
	"strconv"
	"testing"
	"time"

	"github.com/weirlimit/weir"
	"github.com/weirlimit/weir/memory"
)

// TestByteCeiling: logs that find no room merge their takes: never more than
// the quota is admitted, and memory stays near its ceiling.
func TestByteCeiling(t *testing.T) {
	const (
		keys     = 50
		maxBytes = 16 << 10 // 40 entries a key
		quota    = 200
	)
	r := newRig(t, memory.Config{MaxBytes: maxBytes})
	l := r.limiter(weir.SlidingLog, "200/1s", "700/5s")
	random := rand.New(rand.NewPCG(1, 2))
	takes := make([][]admitted, keys)
	for range 200_000 {
		r.clock.advance(50 * time.Microsecond) // 10 s in all
		k := random.IntN(keys)
		cost := random.Int64N(3) + 1
		if r.take(l, "key "+strconv.Itoa(k), cost) {
			takes[k] = append(takes[k], admitted{r.clock.read(), cost})
		}
	}
	s := r.store.Stats()
	if s.Squeezed == 0 || s.EntryBytes > maxBytes+keys*32 || s.EntryBytes < maxBytes/2 {
		t.Errorf("%+v: want many squeezes, and about %d bytes", s, maxBytes)
	}
	for k := range takes {
		for _, limit := range []struct {
			window time.Duration
			quota  int64
		}{{time.Second, quota}, {5 * time.Second, 700}} {
			if err := overrun(takes[k], limit.window, limit.quota); err != nil {
				t.Errorf("key %d: %v", k, err)
			}
		}
		var sum int64
		for _, take := range takes[k] {
			sum += take.cost
		}
		if sum < 700 {
			t.Errorf("key %d: %d units in two windows of 700: it is locked out", k, sum)
		}
	}

	// And after a window all is as before.
	r.clock.advance(10 * time.Second)
	for k := range keys {
		key := "key " + strconv.Itoa(k)
		r.wantUsed(l, key, 0)
		r.allowed(l, key, quota)
		r.denied(l, key, 1)
	}
}

// TestSlotIsBounded: an overflow slot keeps no more than 2 KiB of takes,
// however large its quota.
func TestSlotIsBounded(t *testing.T) {
	r := newRig(t, memory.Config{MaxKeys: 1})
	l := r.limiter(weir.SlidingLog, "3000/1s")
	r.fill(1)
	var takes []admitted
	for range 10_000 {
		r.clock.advance(300 * time.Microsecond) // 3 s in all
		if r.take(l, "key", 1) {
			takes = append(takes, admitted{r.clock.read(), 1})
		}
	}
	if err := overrun(takes, time.Second, 3000); err != nil {
		t.Error(err)
	}
	if s := r.store.Stats(); s.EntryBytes > 2048+32 || s.Squeezed == 0 || s.Slots != 1 {
		t.Errorf("%+v: want at most 2 KiB in one slot", s)
	}
	if len(takes) < 4500 {
		t.Errorf("%d takes admitted of 9,000 that fit: want half of them", len(takes))
	}
}

// TestTinyBounds: the least that may be asked for is one key, and no room for
// any take: then every key shares a slot, which may use 32 bytes.
func TestTinyBounds(t *testing.T) {
	for _, c := range []memory.Config{{MaxKeys: 1}, {MaxBytes: 1}, {MaxBytes: 32}, {MaxBytes: 33, MaxKeys: 1}, {MaxKeys: 1 << 62}} {
		for _, a := range algorithms {
			r := newRig(t, c)
			l := r.limiter(a, "5/10d")
			taken := map[bool]int{}
			for i := range 100 {
				key := strconv.Itoa(i)
				taken[r.take(l, key, 5)]++
				r.denied(l, key, 1)
			}
			if taken[true] < 80 { // of 4096 slots
				t.Errorf("%+v, %s: %d of 100 keys have their quota", c, a, taken[true])
			}
			s := r.store.Stats()
			if c.MaxKeys > 0 && s.Keys > c.MaxKeys || s.Keys+s.Slots != taken[true] {
				t.Errorf("%+v, %s: %d keys and %d slots for %d keys", c, a, s.Keys, s.Slots, taken[true])
			}
			if most := c.MaxBytes + int64(s.Keys+s.Slots)*48; c.MaxBytes > 0 && s.EntryBytes > most {
				t.Errorf("%+v, %s: %d bytes, want at most %d", c, a, s.EntryBytes, most)
			}
		}
	}
}

// TestShrink: a log gives back what one burst needed, while its key lives on.
func TestShrink(t *testing.T) {
	r := newRig(t, memory.Config{})
	l := r.limiter(weir.SlidingLog, "100000/1s")
	for range 20_000 {
		r.clock.advance(40 * time.Microsecond)
		r.allowed(l, "key", 1)
	}
	full := r.store.Stats().EntryBytes
	if full < 20_000*8 || full > 20_000*10 {
		t.Errorf("%d bytes for 20,000 takes, want 8 to 10 each", full)
	}
	other := r.limiter(weir.SlidingLog, "1/1s")
	for i := range 20_000 { // each sweeps a part of its shard
		r.clock.advance(time.Millisecond)
		r.allowed(l, "key", 1)
		r.allowed(other, strconv.Itoa(i), 1)
	}
	if s := r.store.Stats(); s.EntryBytes > full/2 {
		t.Errorf("%d bytes of %d are left for 1,000 takes in 1,000 others", s.EntryBytes, full)
	}
}
