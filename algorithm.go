package weir

import "github.com/weirlimit/weir/internal/window"

// An Algorithm says how a policy counts.
type Algorithm uint8

// The algorithms. All slide but FixedWindow.
const (
	// SlidingLog keeps the time of every take: exact in every trailing window,
	// at 8 bytes for each take that is still in one, or 16 where its times or
	// totals do not fit in 32 bits. The default.
	SlidingLog Algorithm = Algorithm(window.SlidingLog)
	// SlidingCounter keeps two counts a limit and assumes that the previous
	// window's takes were spread evenly. Its memory does not depend on the
	// quota; at worst it admits 2 x quota - 1 in a trailing window.
	SlidingCounter Algorithm = Algorithm(window.SlidingCounter)
	// FixedWindow counts per calendar window, from multiples of its length in
	// UTC: twice the quota passes around each boundary. For quotas that really
	// reset, and for comparison.
	FixedWindow Algorithm = Algorithm(window.FixedWindow)
	// TokenBucket refills at Quota a Window up to Burst: for shaping a flow.
	// In the first window after a pause it admits up to Burst + Quota. A burst
	// of 1 is a leaky bucket.
	TokenBucket Algorithm = Algorithm(window.TokenBucket)
)

var algorithmNames = [...]string{"sliding log", "sliding counter", "fixed window", "token bucket"}

// String is the name in words, such as "sliding log".
func (a Algorithm) String() string {
	if int(a) < len(algorithmNames) {
		return algorithmNames[a]
	}
	return "unknown algorithm"
}
