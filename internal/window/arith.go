package window

import (
	"math"
	"math/bits"
)

// floorDiv is a/b rounded down, also below zero.
func floorDiv(a, b int64) int64 {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}

// ceilTo rounds t up to a multiple of step.
func ceilTo(t, step int64) int64 {
	if step == 1 {
		return t
	}
	return -floorDiv(-t, step) * step
}

// mulDiv is (a*b+c)/d and its remainder, for numbers that are not negative;
// what no int64 holds becomes the largest one, with no remainder.
func mulDiv(a, b, c, d int64) (quotient, remainder int64) {
	hi, lo := bits.Mul64(uint64(a), uint64(b))
	lo, carry := bits.Add64(lo, uint64(c), 0)
	hi += carry
	if hi >= uint64(d) {
		return math.MaxInt64, 0
	}
	q, r := bits.Div64(hi, lo, uint64(d))
	if q > math.MaxInt64 {
		return math.MaxInt64, 0
	}
	return int64(q), int64(r)
}

// mulDivCeil is (a*b+c)/d rounded up, as mulDiv.
func mulDivCeil(a, b, c, d int64) int64 {
	q, r := mulDiv(a, b, c, d)
	if r > 0 {
		q++
	}
	return q
}
