package window

import "math"

// A ring is the entries of a log, oldest first: each a time and the running
// total of cost up to and with it, both strictly increasing. So the cost
// between two times is one subtraction, and "which entry" a binary search.
//
// A narrow entry is one word, 32 bits of time and 32 of total; a wide one is
// two. Times are counted in units; a narrow one is told from its lower 32 bits
// by how far it lies before top, so all that live together lie within 2^32
// units. A ring widens when units differ or totals outgrow 31 bits, and is
// narrow again when it has been empty.
type ring struct {
	words []uint64
	head  uint32 // where the oldest entry is, in entries
	n     uint32 // entries
	wide  bool
	unit  int64 // microseconds
	top   int64 // units: the newest time that was ever pushed
	base  int64 // running total before the oldest entry
	sum   int64 // running total at the newest entry
}

// narrowTotal bounds the totals that a narrow ring starts from after a rebase,
// so that the next rebase is at least as many units away.
const narrowTotal = 1 << 31

// capacity is how many entries fit.
func (g *ring) capacity() int {
	if g.wide {
		return len(g.words) / 2
	}
	return len(g.words)
}

func (g *ring) place(i int) int {
	p := int(g.head) + i
	if c := g.capacity(); p >= c {
		p -= c
	}
	return p
}

// at is entry i: its time in units, and the running total.
func (g *ring) at(i int) (units, total int64) {
	p := g.place(i)
	if g.wide {
		return int64(g.words[2*p]), int64(g.words[2*p+1])
	}
	return g.narrow(g.words[p])
}

// narrow is an entry of a narrow ring: its time in units, and the running total.
func (g *ring) narrow(w uint64) (units, total int64) {
	return g.top - int64(uint32(g.top)-uint32(w>>32)), int64(uint32(w))
}

func (g *ring) set(i int, units, total int64) {
	p := g.place(i)
	if g.wide {
		g.words[2*p], g.words[2*p+1] = uint64(units), uint64(total)
		return
	}
	g.words[p] = uint64(uint32(units))<<32 | uint64(uint32(total))
}

// time is when entry i was recorded.
func (g *ring) time(i int) int64 {
	units, _ := g.at(i)
	return units * g.unit
}

// before is the running total before entry i, which may be one past the last.
func (g *ring) before(i int) int64 {
	if i == 0 {
		return g.base
	}
	_, total := g.at(i - 1)
	return total
}

// push appends an entry, for which there must be room.
func (g *ring) push(units, total int64) {
	g.top = max(g.top, units)
	g.n++
	g.set(int(g.n)-1, units, total)
	g.sum = total
}

// drop forgets the oldest k entries.
func (g *ring) drop(k int) {
	if k == 0 {
		return
	}
	g.base = g.before(k)
	g.skip(k)
}

// skip takes the oldest k entries away and leaves their cost to the next one.
func (g *ring) skip(k int) {
	g.head = uint32(g.place(k))
	g.n -= uint32(k)
	if g.n == 0 {
		g.head, g.base, g.sum = 0, 0, 0
	}
}

// firstAfter is the first entry later than time, in microseconds. Most often
// it is one of the oldest few.
func (g *ring) firstAfter(time int64) int {
	n := int(g.n)
	for i := range min(n, 3) {
		if units, _ := g.at(i); units*g.unit > time {
			return i
		}
	}
	if n <= 3 {
		return n
	}
	limit := floorDiv(time, g.unit)
	lo, hi := 3, n
	for lo < hi {
		mid := int(uint(lo+hi) >> 1)
		if units, _ := g.at(mid); units > limit {
			hi = mid
		} else {
			lo = mid + 1
		}
	}
	return lo
}

// firstTotal is the first entry whose running total is at least total.
func (g *ring) firstTotal(total int64) int {
	lo, hi := 0, int(g.n)
	for lo < hi {
		mid := int(uint(lo+hi) >> 1)
		if _, t := g.at(mid); t >= total {
			hi = mid
		} else {
			lo = mid + 1
		}
	}
	return lo
}

// add adds delta to the running totals from entry i on.
func (g *ring) add(i int, delta int64) {
	for ; i < int(g.n); i++ {
		units, total := g.at(i)
		g.set(i, units, total+delta)
	}
	g.sum += delta
}

// remove takes entry i away; its cost must be nothing.
func (g *ring) remove(i int) {
	for ; i+1 < int(g.n); i++ {
		units, total := g.at(i + 1)
		g.set(i, units, total)
	}
	g.n--
	if g.n == 0 {
		g.head, g.base, g.sum = 0, 0, 0
	}
}

// insert puts an entry of no cost at place i; there must be room.
func (g *ring) insert(i int, units int64) {
	total := g.before(i)
	g.n++
	for j := int(g.n) - 1; j > i; j-- {
		u, t := g.at(j - 1)
		g.set(j, u, t)
	}
	g.set(i, units, total)
}

// rebase makes the totals count from the oldest entry.
func (g *ring) rebase() {
	if base := g.base; base != 0 {
		g.base = 0
		g.add(0, -base)
	}
}

// outgrown says whether delta more needs wider totals than the ring has, and
// says so until it is wide. Otherwise it makes the room that a rebase can make.
func (g *ring) outgrown(delta int64) bool {
	switch {
	case g.wide && g.sum > math.MaxInt64/2:
		g.rebase()
	case !g.wide && g.sum+delta > math.MaxUint32:
		if g.sum-g.base+delta > narrowTotal {
			return true
		}
		g.rebase()
	}
	return false
}

// reshape moves the entries to other words, wide or narrow.
func (g *ring) reshape(words []uint64, wide bool) {
	to := *g
	to.words, to.wide, to.head, to.n = words, wide, 0, 0
	if wide && !g.wide {
		to.unit, to.top = 1, g.top*g.unit
	}
	for i := range int(g.n) {
		units, total := g.at(i)
		to.push(units*(g.unit/to.unit), total)
	}
	to.sum = g.sum
	*g = to
}

// halve merges the entries in pairs, the later time winning.
func (g *ring) halve() {
	n, kept := int(g.n), 0
	for i := (n + 1) % 2; i < n; i += 2 {
		units, total := g.at(i)
		g.set(kept, units, total)
		kept++
	}
	g.n = uint32(kept)
}
