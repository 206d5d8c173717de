package window

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
)

// A program drives a state and its oracle through the same operations, which
// it reads from a tape, and compares all they say.
type program struct {
	t       *testing.T
	tape    tape
	state   State
	model   model
	rules   []Rule
	rule    *Rule
	hash    uint64
	reading int64
	queries uint64
	wait    int64 // what the latest verdict said
	squeeze bool  // instead of growing
	taken   []taken
	said    []string // the operations so far, for whoever has to read a failure

	// History, for a check that knows no oracle.
	history []Receipt // of the state that is; costs settled
	unsound bool      // something happened that suspends promise 1
	longest int64     // window of the state that is
}

type taken struct {
	receipt  Receipt
	statuses []Status
	history  int // place, if it is in there
	settled  bool
}

// run reads a program for an algorithm from bytes, and runs it.
func run(t *testing.T, a Algorithm, bytes []byte) {
	t.Helper()
	p := &program{t: t, tape: tape{bytes}}
	p.rules = p.tape.rules(a)
	p.rule = &p.rules[0]
	for range 8 {
		p.hash = p.hash<<8 | uint64(p.tape.byte())
	}
	p.reading = p.tape.pick(1_700_000_000_000_000, 0, 1, 999, 60_000_000) + p.tape.byte()
	switch a {
	case SlidingLog:
		p.model = new(logModel)
	case TokenBucket:
		p.model = new(bucketModel)
	default:
		p.model = &counterModel{algorithm: a, hash: p.hash}
	}
	for !p.tape.done() {
		p.step()
	}
}

func (p *program) sayf(format string, args ...any) {
	p.said = append(p.said, fmt.Sprintf("%d: ", p.reading)+fmt.Sprintf(format, args...))
}

func (p *program) failf(format string, args ...any) {
	p.t.Helper()
	var rules strings.Builder
	for i := range p.rules {
		fmt.Fprintf(&rules, "rule %d: %+v\n", i, p.rules[i])
	}
	p.t.Fatalf("%s%s\n%s", rules.String(), strings.Join(p.said[max(0, len(p.said)-40):], "\n"), fmt.Sprintf(format, args...))
}

func (p *program) step() {
	switch p.tape.below(20) {
	default:
		p.pass()
		p.decide(p.tape.cost(p.rule), true)
	case 8:
		p.decide(p.tape.cost(p.rule), false)
	case 9, 10:
		p.pass()
	case 11, 12:
		p.settle()
	case 13:
		p.refund()
	case 14:
		p.rule = &p.rules[p.tape.below(len(p.rules))]
		p.sayf("rule %d", slices.IndexFunc(p.rules, func(r Rule) bool { return &r.Limits[0] == &p.rule.Limits[0] }))
	case 15:
		p.goBack()
	case 16:
		p.crowd()
		p.pass()
	case 17:
		p.squeeze = p.tape.below(4) == 3
		p.sayf("squeeze %t", p.squeeze)
	case 18:
		p.state.Shrink()
		p.sayf("shrink")
	case 19:
		if p.tape.below(8) == 7 {
			p.sayf("reset")
			p.state = State{}
			p.model.forget()
			p.fresh()
		}
	}
}

func (p *program) fresh() { p.history, p.unsound, p.longest = nil, false, 0 }

// pass lets time pass.
func (p *program) pass() {
	w := p.rule.Limits[p.tape.below(len(p.rule.Limits))].Window
	wait := p.wait
	if wait == Never || wait > 2*MaxWindow {
		wait = 0
	}
	p.reading += p.tape.pick(0, 0, 0, 1, max(p.rule.Step, 1), p.tape.byte(), w/p.tape.pick(1, 2, 3, 7, 100),
		p.tape.part(w), p.tape.part(w), w, w-1, w+1, wait, max(wait-1, 0), 2*w, w/50)
}

// goBack sets the clock back.
func (p *program) goBack() {
	back := p.tape.pick(1, 999, 1000, p.rule.Shortest-1, p.rule.Shortest, p.rule.Shortest+1, p.tape.part(p.rule.Longest),
		1_000_000, 1_000_001, 2*p.rule.Longest, p.tape.part(p.rule.Shortest), p.tape.byte())
	p.reading = max(0, p.reading-back)
	p.sayf("back %d", back)
}

// crowd records many takes, a little time apart.
func (p *program) crowd() {
	n, apart := 10*p.tape.below(12), p.tape.pick(1, p.rule.Step, p.rule.Shortest/100, p.rule.Longest/100)
	for range n {
		p.reading += apart
		p.decide(1, true)
	}
}

func (p *program) query(cost int64, record bool) Query {
	p.queries++
	return Query{Now: p.reading, Cost: cost, Hash: p.hash, Generation: p.queries, Record: record}
}

func (p *program) tell() {
	p.model.tell(p.rule, p.reading)
	if !p.model.clock().live {
		p.fresh()
	}
}

// ask decides, making room where there is none, and returns what the state was
// before, with that room.
func (p *program) ask(q Query, statuses []Status) (v Verdict, before State) {
	for range 2 {
		before = p.state.Clone()
		if v = p.state.decide(p.rule, q, statuses); !v.Full {
			return v, before
		}
		p.room(q.Cost)
	}
	p.failf("no room for %+v", q)
	return v, before
}

func (p *program) room(cost int64) {
	growth, bytes := p.state.Growth(p.rule, cost), p.state.Bytes()
	if growth < 0 {
		p.failf("growth %d", growth)
	}
	if !p.squeeze {
		p.state.Grow(p.rule, cost)
		if grown := p.state.Bytes(); grown < bytes+growth {
			p.failf("grown from %d to %d, not by %d", bytes, grown, growth)
		}
		return
	}
	p.sayf("squeezed")
	p.model.squeezed(p.rule)
	p.state.Squeeze(p.rule, cost)
	if squeezed := p.state.Bytes(); squeezed > max(bytes, MinBytes) {
		p.failf("squeezed from %d to %d bytes", bytes, squeezed)
	}
}

func (p *program) decide(cost int64, record bool) {
	q := p.query(cost, record)
	p.sayf("cost %d, record %t", cost, record)
	p.tell()
	statuses := make([]Status, len(p.rule.Limits))
	v, before := p.ask(q, statuses)
	want := p.model.look(p.rule, cost)
	p.sayf("  allowed %t, retry %d, at %d, receipt %v", v.Allowed, v.Retry, v.At, v.Receipt)
	for _, st := range statuses {
		p.sayf("    used %d, retry %d, next %d, reset %d", st.Used, st.Retry, st.Next, st.Reset)
	}
	if shares(&before, &p.state) {
		p.failf("a clone shares memory")
	}
	p.compare(v, cost, want)
	if v.At != p.model.clock().now {
		p.failf("at %d, want %d", v.At, p.model.clock().now)
	}
	if v.Allowed && record {
		p.record(v, statuses)
		want = p.model.look(p.rule, cost)
		for i := range want {
			want[i].retry = point(0)
		}
	} else {
		if v.Receipt != (Receipt{}) {
			p.failf("a receipt for nothing")
		}
		unchanged(p.failf, &before, &p.state, p.rule, q, 0, 1, p.rule.Shortest/2, p.rule.Longest-1)
	}
	for i, st := range statuses {
		if w := want[i]; !w.used.has(st.Used) || !w.retry.has(st.Retry) || !w.next.has(st.Next) || !w.reset.has(st.Reset) {
			p.failf("limit %d: %+v\nwant %+v", i, st, w)
		}
	}
	truths(p.failf, &p.state, p.rule, q, v, statuses)
	p.wait = v.Retry
	if p.wait == 0 {
		p.wait = statuses[0].Next
	}
}

// compare checks who was allowed.
func (p *program) compare(v Verdict, cost int64, want []outlook) {
	must, may := true, true
	for i, w := range want {
		free := p.rule.Limits[i].capacity(p.rule.Algorithm) - cost
		must, may = must && w.used.hi <= free, may && w.used.lo <= free
	}
	if v.Allowed && !may || !v.Allowed && must {
		p.failf("allowed %t, want %+v", v.Allowed, want)
	}
}

// record tells the oracle, and checks promise 1 over what was recorded.
func (p *program) record(v Verdict, statuses []Status) {
	p.model.record(p.rule, v.Receipt.Cost, v.Receipt)
	p.taken = append(p.taken, taken{v.Receipt, statuses, len(p.history), false})
	p.history = append(p.history, v.Receipt)
	if p.rule.Longest > p.longest {
		p.unsound = p.unsound || p.longest > 0
		p.longest = p.rule.Longest
	}
	if p.rule.Algorithm != SlidingLog || p.unsound {
		return
	}
	for _, l := range p.rule.Limits {
		sum := int64(0)
		for _, take := range p.history {
			if take.At > v.Receipt.At-l.Window && take.At <= v.Receipt.At {
				sum += take.Cost
			}
		}
		if sum > l.Quota {
			p.failf("%d recorded in a window of %d, more than %d", sum, l.Window, l.Quota)
		}
	}
}

// settle settles one of the latest takes, or an old one.
func (p *program) settle() {
	if len(p.taken) == 0 {
		return
	}
	k := len(p.taken) - 1 - p.tape.below(min(len(p.taken), 64))
	take := &p.taken[k]
	cost := take.receipt.Cost
	actual := p.tape.pick(0, cost, cost-1, cost/2, cost+1, 2*cost, p.tape.byte(), math.MaxInt64)
	p.tell()
	gone := p.model.gone(k)
	if !gone && (take.settled || !p.model.settleable(k)) {
		p.decide(1, false) // the state must be told what its model was
		return
	}
	p.sayf("settle take %d, %+v, to %d", k, take.receipt, actual)
	q := p.query(actual, true)
	settled := p.state.settle(p.rule, q, take.receipt, take.statuses)
	if settled == NoRoom {
		p.room(actual)
		settled = p.state.settle(p.rule, q, take.receipt, take.statuses)
	}
	want := Gone
	actual = min(actual, MaxQuota)
	switch {
	case gone:
	case actual == cost:
		want = Done
	default:
		take.settled = true
		if p.model.settle(p.rule, k, actual) {
			want = Done
		}
		if take.history < len(p.history) && p.history[take.history].At == take.receipt.At {
			p.history[take.history].Cost = actual
		}
	}
	log, isLog := p.model.(*logModel)
	if vague := isLog && (log.slack > 0 || log.excess); settled != want && (!vague || settled == NoRoom) {
		p.failf("settled %d, want %d", settled, want)
	}
}

func (p *program) refund() {
	units := p.tape.cost(p.rule)
	p.sayf("refund %d", units)
	p.tell()
	p.state.refund(p.rule, p.query(units, true))
	p.model.refund(p.rule, units)
	p.unsound = true
}
