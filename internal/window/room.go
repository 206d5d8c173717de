package window

import "slices"

// MinBytes is what any log may grow to: an owner that refuses growth must
// still grant this much, since Squeeze cannot do with less, and takes it.
const MinBytes = 32

const (
	minEntries = MinBytes / 8
	// From here on a log grows by an eighth and no longer doubles, so that at
	// most a fifth of a long one is spare: the allocator rounds up, too.
	doubleUpTo = 1024
)

// Bytes is the memory that the state's entries hold, in use or spare.
func (s *State) Bytes() int {
	return 8*len(s.log.entries.words) + counterBytes*cap(s.counters) + bucketBytes*cap(s.buckets)
}

// Growth is how many bytes Grow would add, to make room for cost more. The
// allocator may round up; Grow then uses what it gives.
func (s *State) Growth(r *Rule, cost int64) int {
	words, _ := s.log.grown(r, cost)
	return 8 * (words - len(s.log.entries.words))
}

// Grow makes room for one more entry of cost by taking more memory.
func (s *State) Grow(r *Rule, cost int64) {
	words, wide := s.log.grown(r, cost)
	bigger := slices.Grow([]uint64(nil), words)
	s.log.entries.reshape(bigger[:cap(bigger)], wide)
}

// Squeeze makes room for one more entry of cost within the memory that there
// is, or MinBytes if that is more, by merging entries in pairs: the later time
// wins, so that usage stays longer than it must, and never too short.
func (s *State) Squeeze(r *Rule, cost int64) {
	g := &s.log.entries
	if len(g.words) < minEntries {
		g.reshape(make([]uint64, minEntries), g.wide)
	}
	wide := g.wide || s.log.mustWiden(r, min(cost, MaxQuota))
	room := len(g.words)
	if wide {
		room /= 2
	}
	for g.n > 1 && int(g.n) >= room {
		g.halve()
	}
	if wide != g.wide {
		g.reshape(make([]uint64, len(g.words)), wide)
	}
}

// Shrink gives back memory that the entries have not needed for long.
func (s *State) Shrink() {
	g := &s.log.entries
	if spare := g.capacity() - int(g.n); g.capacity() > minEntries && spare > g.capacity()*3/4 {
		words := 2 * max(int(g.n), minEntries/2)
		if g.wide {
			words *= 2
		}
		g.reshape(make([]uint64, words), g.wide)
	}
}

// grown is how many words, and whether wide, the log would have after growing.
func (l *log) grown(r *Rule, cost int64) (words int, wide bool) {
	g := &l.entries
	n := int64(g.n)
	wide = g.wide || n > 0 && l.mustWiden(r, min(cost, MaxQuota))
	most := min(r.mostQuota, r.Longest/r.Step+2)
	if l.horizon > r.Longest {
		most += maxOld
	}
	entries := max(2*n, minEntries)
	if n >= doubleUpTo {
		entries = n + n/8
	}
	entries = max(min(entries, most), n+1)
	if wide {
		entries *= 2
	}
	return max(int(entries), len(g.words)), wide
}
