package window

// A tape is a byte string that a program is read from; one that has run out
// reads as zeros.
type tape struct{ bytes []byte }

func (p *tape) done() bool { return len(p.bytes) == 0 }

func (p *tape) byte() int64 {
	if p.done() {
		return 0
	}
	b := p.bytes[0]
	p.bytes = p.bytes[1:]
	return int64(b)
}

// below is a number from 0 to n-1, for n up to 256.
func (p *tape) below(n int) int { return int(p.byte()) % n }

// pick is one of the choices.
func (p *tape) pick(choices ...int64) int64 { return choices[p.below(len(choices))] }

// part is a part of all.
func (p *tape) part(all int64) int64 {
	return all/65_536*(p.byte()<<8|p.byte()) + p.byte()%max(1, min(all, 256))
}

var (
	smallQuotas = []int64{1, 2, 3, 5, 8, 13, 100, 200, 500}
	bigQuotas   = []int64{
		1, 1000, narrowTotal - 1, narrowTotal, narrowTotal + 1, 3e9, 1<<32 - 1, 1 << 32, 1<<32 + 1, 1 << 40, MaxQuota - 1, MaxQuota,
	}
	windowGroups = [][]int64{
		{1000, 1024, 1500, 4096, 10_000},
		{1000, 5000, 1_000_000, 1_500_000},
		{1_000_000, 60_000_000, 3_600_000_000},
		{3_600_000_000, 86_400_000_000, MaxWindow},
	}
)

// rules reads one rule, and others that somebody may make of it.
func (p *tape) rules(a Algorithm) []Rule {
	quotas := smallQuotas
	if p.below(4) == 3 {
		quotas = bigQuotas
	}
	windows := windowGroups[p.below(len(windowGroups))]
	rules := make([]Rule, 1+p.below(4))
	for i := range rules {
		if i > 0 && p.below(3) == 0 { // the same windows, other quotas
			limits := append([]Limit(nil), rules[0].Limits...)
			for j := range limits {
				limits[j] = p.limit(a, quotas, limits[j].Window)
			}
			rules[i] = NewRule(a, limits, rules[0].Step)
			continue
		}
		limits := make([]Limit, 0, len(windows))
		for _, w := range windows {
			if p.below(3) == 0 {
				limits = append(limits, p.limit(a, quotas, w))
			}
		}
		if len(limits) == 0 {
			limits = append(limits, p.limit(a, quotas, windows[p.below(len(windows))]))
		}
		rules[i] = p.ruleOf(a, limits)
	}
	return rules
}

func (p *tape) limit(a Algorithm, quotas []int64, window int64) Limit {
	l := Limit{Quota: p.pick(quotas...), Window: window}
	switch {
	case p.below(32) == 31:
		l.Quota = 0
	case a == TokenBucket:
		if l.Burst = p.pick(quotas...); !refillsInTime(l) {
			l.Burst = l.Quota
		}
	}
	return l
}

// refillsInTime is burst x window <= quota x MaxWindow, roughly.
func refillsInTime(l Limit) bool {
	return float64(l.Burst)*float64(l.Window) <= 0.99*float64(l.Quota)*MaxWindow
}

// ruleOf reads a precision, for a log. Precisions that a policy may not have
// become the finest.
func (p *tape) ruleOf(a Algorithm, limits []Limit) Rule {
	finest := NewRule(a, limits, 0)
	precision := p.pick(0, 0, 0, 7, 10, 100, 100_000, finest.Shortest/10)
	if a != SlidingLog || precision > finest.Shortest/10 || finest.Longest > precision*MaxSteps {
		return finest
	}
	return NewRule(a, limits, precision)
}

// cost reads a cost, which may be more than the quotas.
func (p *tape) cost(r *Rule) int64 {
	capacity := r.Limits[p.below(len(r.Limits))].capacity(r.Algorithm)
	c := p.pick(1, 1, 1, 2, 3, capacity, capacity-1, capacity/2, capacity/3, capacity/2+1, capacity+1)
	return min(max(c, 1), MaxQuota)
}
