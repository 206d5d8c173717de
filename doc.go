// Package weir decides whether a request may happen now, under limits that
// slide: at most 100 in any 60 seconds, never 100 per calendar minute.
//
// A [Limiter] is one policy: a name, a set of limits that apply together to a
// key, and an algorithm. Its usage is in a [Store]: package memory's for one
// process. [Limiter.Take] decides and records:
//
//	limiter, err := weir.New(weir.Config{
//		Name:   "search",
//		Store:  memory.New(memory.Config{}),
//		Limits: []weir.Limit{weir.PerSecond(10), weir.PerMinute(600)},
//	})
//	...
//	d, err := limiter.Take(ctx, "user:42", 1)
//	if err == nil && !d.Allowed {
//		// Try again after d.RetryAfter; d.DeniedBy() says which limit of whom.
//	}
//
// # Words
//
// A limit is at most Quota units in any Window. A policy is a named set of
// limits that apply together to one key. A key is who is counted; a group is
// keys that must be decidable together. A cost is the units that one request
// consumes. To take is to decide and record, to peek to decide only; to settle
// is to replace a take's cost by the actual one, to refund to settle to 0; to
// reset is to forget a key. A shadow policy never blocks, and tells its
// observer what it would have done.
//
// # Promises
//
// They are stated over the store's recorded time, which is Decision.At, and
// the settled cost of takes.
//
//  1. Never over. With the sliding log, at every instant t the settled cost of
//     the takes recorded in (t-Window, t] is at most the quota. Only settling
//     upward can exceed it, and then no take passes until it is below again.
//  2. Never needlessly denied. With Precision 0 the sliding log denies only
//     what would break promise 1, to one step of its clock: a microsecond for
//     windows of up to 35 minutes, 50 of them for a day.
//  3. A denial records nothing, in no limit and for no key.
//  4. All or nothing. The limits of a policy, and the charges of a [TakeAll],
//     are decided as one: all are recorded, or none.
//  5. RetryAfter is the truth: the earliest instant at which this same
//     request, with its cost, would be admitted if nothing else is.
//  6. One clock per store. The memory store reads the monotonic clock once a
//     decision. Callers' clocks never matter.
//  7. Bounded memory, in keys and in bytes. An idle key costs nothing soon
//     after its window. At the ceiling nothing is forgotten and nobody is
//     locked out; see package memory.
//  8. A sick store never makes a caller wait past its timeout, and what then
//     happens was chosen in advance: see [OnError]. The memory store cannot
//     fail.
//
// # What suspends a promise
//
//   - A clock that steps back stands still for a key, up to a second or its
//     shortest window, and is then followed with the last take as of now:
//     that admits no more, and blocks for at most one window. Until the key has
//     emptied, its recorded time then runs ahead of the clock; afterwards it is
//     the clock's again, so that At may name the same instants twice. A clock
//     that jumps forward forgets that much usage. The memory store's own clock
//     does neither.
//   - A window that is widened knows what is still there of the time before:
//     what an older, longer window had to keep, and no more.
//   - At a ceiling of the memory store, keys that share a slot, and takes that
//     were merged, are denied longer than they must be (promises 2 and 5), and
//     what settling a merged take down would free stays used.
//   - A refund without a decision credits the oldest usage: when what it
//     refunds has left the window, it over-admits its amount.
//   - A settle whose take has more than 65,536 later entries of its key is
//     recorded as a take now, if it is up, and dropped, if it is down. With a
//     Precision of a thousandth of the window or coarser it never has so many.
//   - Counts saturate at 2^53 - 1 units in a window.
//
// # Which algorithm
//
// [SlidingLog], the zero value, is exact and costs 8 bytes for each take that
// is still in a window: 800 bytes for a key at the end of its 100/1m. Where
// quotas are large, a Precision bounds that by the window instead: with
// 1,000,000/1h to the second, 3,601 entries, at the price of a denial that is
// up to a second too long.
//
// [SlidingCounter] costs 32 bytes a limit at any quota, and assumes that the
// window before this one was evenly used. That is wrong by at most quota - 1:
// it may admit 2 x quota - 1 in a trailing window, and may deny up to a window
// longer than it must.
//
// [FixedWindow] lets up to 2 x quota pass around each boundary: for quotas
// that really reset. [TokenBucket] is for shaping: it admits bursts of Burst,
// and up to Burst + Quota in a window.
//
// Their promises 1 and 2 are these bounds; 3 to 8 are theirs too.
//
// # What a changed limit does
//
// Usage is events, not tokens: what was recorded stays, and a changed quota
// applies to it at once. With the sliding log a narrower window counts less of
// it at once, and forgets nothing for a wider one. A counter's new window
// takes over all that the next longer one (or else the longest) had counted at
// the last take, as if it had all been then; a token bucket whose rate changed
// keeps the units that were missing then. Of both, takes from before can no
// longer be settled once one has been recorded since, and a wider window takes
// over only what was still kept.
//
// # Which store
//
// Package memory is for one process: a program, or the service in front of
// several. More stores are to come, behind the same interface.
package weir
