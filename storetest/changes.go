package storetest

import (
	"time"

	"github.com/weirlimit/weir"
)

// changedLimits are limits that change while there is usage. It is events that
// are used, not tokens: a changed quota applies to them at once.
var changedLimits = []timeline{
	{"quota", weir.SlidingLog, 0, "5/10s", `
		0s   take 5  yes 5+0 next 10s reset 10s
		1s   limits 8/10s
		1s   take 3  yes 8+0 next 9s reset 10s
		2s   limits 6/10s
		2s   peek 1  no 8+0 retry 8s next 8s reset 9s
		10s  take 3  yes 6+0 next 1s reset 10s
		11s  limits 0/10s
		11s  take 1  no 3+0 retry never next never reset 9s
		11s  limits 5/10s
		11s  take 2  yes 5+0 next 9s reset 10s
	`},
	{"narrower, and back", weir.SlidingLog, 0, "5/10s", `
		0s   take 3  yes 3+2 reset 10s
		3s   take 2  yes 5+0 next 7s reset 10s
		4s   limits 5/4s
		4s   take 3  yes 5+0 next 3s reset 4s
		5s   limits 5/10s
		5s   peek 1  no 8+0 retry 8s next 8s reset 9s
		13s  take 2  yes 5+0 next 1s reset 10s
	`},
	{"wider", weir.SlidingLog, 0, "5/4s", `
		0s   take 3  yes 3+2 reset 4s
		3s   limits 5/10s
		3s   take 3  no 3+2 retry 7s reset 7s
		3s   take 2  yes 5+0 next 7s reset 10s
		10s  peek 3  yes 2+3 reset 3s
	`},
	{"wider, when all had expired", weir.SlidingLog, 0, "5/4s", `
		0s   take 3  yes 3+2 reset 4s
		4s   limits 5/10s
		4s   take 5  yes 5+0 next 10s reset 10s
	`},
	{"one more, and one less", weir.SlidingLog, 0, "5/10s", `
		0s   take 3  yes 3+2 reset 10s
		0.5s limits 2/1s, 5/10s
		0.5s take 1  no 3+0 retry 500ms next 500ms reset 500ms; 3+2 reset 9.5s
		1s   take 2  yes 2+0 next 1s reset 1s; 5+0 next 9s reset 10s
		1s   limits 5/10s
		1s   peek 1  no 5+0 retry 9s next 9s reset 10s
	`},
	{"quota", weir.SlidingCounter, 0, "10/10s", `
		0s   take 10 yes 10+0 next 11s reset 20s
		1s   limits 15/10s
		1s   take 5  yes 15+0 next 9.666667s reset 19s
		2s   limits 5/10s
		2s   peek 1  no 15+0 retry 15.333334s next 15.333334s reset 18s
		3s   limits 0/10s
		3s   peek 1  no 15+0 retry never next never reset 17s
	`},
	{"narrower", weir.SlidingCounter, 0, "10/10s", `
		0s   take 6  yes 6+4 reset 20s
		1s   limits 10/5s
		1s   take 2  yes 8+2 reset 9s
		5s   take 3  no 8+2 retry 625ms reset 5s
		7.5s peek 6  yes 4+6 reset 2.5s
	`},
	{"wider", weir.SlidingCounter, 0, "10/5s", `
		0s   take 6  yes 6+4 reset 10s
		3s   limits 10/10s
		3s   peek 4  yes 6+4 reset 7s
		3s   take 4  yes 10+0 next 8s reset 17s
		10s  peek 1  no 10+0 retry 1s next 1s reset 10s
	`},
	{"one more", weir.SlidingCounter, 0, "10/10s", `
		0s   take 6  yes 6+4 reset 20s
		0.5s limits 5/1s, 10/10s
		0.5s take 1  no 6+0 retry 833.334ms next 833.334ms reset 1.5s; 6+4 reset 19.5s
		2s   take 4  yes 4+1 reset 2s; 10+0 next 9s reset 18s
	`},
	{"quota", weir.FixedWindow, 0, "5/10s", `
		0s   take 5  yes 5+0 next 10s reset 10s
		1s   limits 8/10s
		1s   take 3  yes 8+0 next 9s reset 9s
		2s   limits 6/10s
		2s   take 1  no 8+0 retry 8s next 8s reset 8s
		3s   limits 0/10s
		3s   take 1  no 8+0 retry never next never reset 7s
		10s  limits 6/10s
		10s  take 6  yes 6+0 next 10s reset 10s
	`},
	{"narrower", weir.FixedWindow, 0, "10/10s", `
		0s   take 6  yes 6+4 reset 10s
		1s   limits 10/5s
		1s   take 5  no 6+4 retry 4s reset 4s
		1s   take 4  yes 10+0 next 4s reset 4s
		5s   take 10 yes 10+0 next 5s reset 5s
	`},
	{"wider", weir.FixedWindow, 0, "10/5s", `
		4s   take 6  yes 6+4 reset 1s
		4.5s limits 10/10s
		4.5s peek 5  no 6+4 retry 500ms reset 500ms
		4.5s take 4  yes 10+0 next 5.5s reset 5.5s
		9s   peek 1  no 10+0 retry 1s next 1s reset 1s
	`},
	{"one more", weir.FixedWindow, 0, "10/10s", `
		0s   take 6  yes 6+4 reset 10s
		0.5s limits 5/1s, 10/10s
		0.5s take 1  no 6+0 retry 500ms next 500ms reset 500ms; 6+4 reset 9.5s
		1s   take 4  yes 4+1 reset 1s; 10+0 next 9s reset 9s
	`},
	{"slower", weir.TokenBucket, 0, "2/1s burst 4", `
		0s   take 4  yes 4+0 next 500ms reset 2s
		0s   limits 1/1s burst 4
		0s   peek 1  no 4+0 retry 1s next 1s reset 2s
		1s   take 1  yes 4+0 next 1s reset 4s
		2s   limits 0/1s
		2s   take 1  no 0+0 retry never next never
	`},
	{"faster", weir.TokenBucket, 0, "1/1s burst 4", `
		0s   take 4  yes 4+0 next 1s reset 4s
		1s   limits 4/1s
		1s   take 4  yes 4+0 next 250ms reset 1s
	`},
	{"burst", weir.TokenBucket, 0, "1/1s burst 4", `
		0s   take 4  yes 4+0 next 1s reset 4s
		1s   limits 1/1s burst 6
		1s   take 3  yes 6+0 next 1s reset 6s
		1s   limits 1/1s burst 3
		1s   peek 1  no 6+0 retry 4s next 4s reset 6s
		5s   peek 1  yes 2+1 reset 2s
	`},
	{"one more", weir.TokenBucket, 0, "1/1s burst 4", `
		0s   take 4  yes 4+0 next 1s reset 4s
		1s   limits 1/1s burst 4, 6/1m
		1s   take 1  yes 4+0 next 1s reset 4s; 5+1 reset 49s
	`},
}

// precisions are logs whose times are rounded up to a step.
var precisions = []timeline{
	{"takes of one step leave together", weir.SlidingLog, time.Second, "3/10s", `
		0.3s       take 1  yes 1+2 reset 10.7s
		0.9s       take 1  yes 2+1 reset 10.1s
		1s         take 1  yes 3+0 next 10s reset 10s
		10.3s      take 1  no 3+0 retry 700ms next 700ms reset 700ms
		10.999999s take 1  no 3+0 retry 1us next 1us reset 1us
		11s        take 1  yes 1+2 reset 10s
		11.000001s take 1  yes 2+1 reset 10.999999s
		21s        take 2  yes 3+0 next 1s reset 10s
	`},
	{"for every window", weir.SlidingLog, 100 * time.Millisecond, "2/1s, 3/10s", `
		0.01s  take 1  yes 1+1 reset 1.09s; 1+2 reset 10.09s
		0.05s  take 1  yes 2+0 next 1.05s reset 1.05s; 2+1 reset 10.05s
		1.05s  take 1  no 2+0 retry 50ms next 50ms reset 50ms; 2+1 reset 9.05s
		1.1s   take 1  yes 1+1 reset 1s; 3+0 next 9s reset 10s
	`},
	{"settle finds its step", weir.SlidingLog, time.Second, "5/10s", `
		0.3s  take 2      yes 2+3 reset 10.7s
		0.6s  take 2      yes 4+1 reset 10.4s
		1.5s  take 1      yes 5+0 next 9.5s reset 10.5s
		2s    settle 1 0
		2s    peek 2      yes 3+2 reset 10s
		2s    settle 2 5
		2s    peek 1      no 6+0 retry 9s next 9s reset 10s
	`},
	{"of a year", weir.SlidingLog, time.Hour, "3/365d", `
		30m    take 2  yes 2+1 reset 8760h30m
		8760h  take 2  no 2+1 retry 1h reset 1h
		8761h  take 2  yes 2+1 reset 8760h
	`},
	{"the finest of a day is 50us", weir.SlidingLog, 0, "2/1d", `
		1us    take 1  yes 1+1 reset 24h0m0.000049s
		49us   take 1  yes 2+0 next 24h0m0.000001s reset 24h0m0.000001s
		24h    take 1  no 2+0 retry 50us next 50us reset 50us
	`},
}

// clockSteps are steps of the store's clock. Back by a little, time stands
// still; by more, what was recorded last is now: never more is admitted, and
// less for at most a window. Forward forgets as much usage.
var clockSteps = []timeline{
	{"a little back", weir.SlidingLog, 0, "2/10s", `
		0s   take 1  yes 1+1 reset 10s
		5s   take 1  yes 2+0 next 5s reset 10s
		4.5s take 1  no 2+0 retry 5.5s next 5.5s reset 10.5s at 5s
		4s   take 1  no 2+0 retry 6s next 6s reset 11s at 5s
		9.999999s take 1  no 2+0 retry 1us next 1us reset 5.000001s
		10s  take 1  yes 2+0 next 5s reset 10s
		9.2s peek 1  no 2+0 retry 5.8s next 5.8s reset 10.8s at 10s
	`},
	{"a little back, and a take", weir.SlidingLog, 0, "3/10s", `
		5s    take 1  yes 1+2 reset 10s
		4.5s  take 1  yes 2+1 reset 10.5s at 5s
		14.9s take 2  no 2+1 retry 100ms reset 100ms
		15s   peek 3  yes 0+3
	`},
	{"more back", weir.SlidingLog, 0, "2/10s", `
		0s   take 1  yes 1+1 reset 10s
		5s   take 1  yes 2+0 next 5s reset 10s
		3s   take 1  no 2+0 retry 5s next 5s reset 10s at 5s
		7.999999s take 1  no 2+0 retry 1us next 1us reset 5.000001s at 9.999999s
		8s   take 1  yes 2+0 next 5s reset 10s at 10s
	`},
	{"far back blocks for a window", weir.SlidingLog, 0, "2/10s", `
		100s  take 2  yes 2+0 next 10s reset 10s
		0s    take 1  no 2+0 retry 10s next 10s reset 10s at 1m40s
		9.999999s take 1  no 2+0 retry 1us next 1us reset 1us at 1m49.999999s
		10s   take 2  yes 2+0 next 10s reset 10s
	`},
	{"back and back again", weir.SlidingLog, 0, "2/10s", `
		100s  take 2  yes 2+0 next 10s reset 10s
		90s   peek 1  no 2+0 retry 10s next 10s reset 10s at 1m40s
		95s   peek 1  no 2+0 retry 5s next 5s reset 5s at 1m45s
		50s   peek 1  no 2+0 retry 10s next 10s reset 10s at 1m40s
		60s   take 2  yes 2+0 next 10s reset 10s
	`},
	{"back in a short window", weir.SlidingLog, 0, "2/100ms", `
		1s     take 2  yes 2+0 next 100ms reset 100ms
		0.9s   take 1  no 2+0 retry 200ms next 200ms reset 200ms at 1s
		0.899s take 1  no 2+0 retry 100ms next 100ms reset 100ms at 1s
		0.998s take 1  no 2+0 retry 1ms next 1ms reset 1ms at 1.099s
		0.999s take 1  yes 1+1 reset 100ms
	`},
	{"back does not shift the steps", weir.SlidingLog, time.Second, "3/10s", `
		5.3s   take 1  yes 1+2 reset 10.7s
		3.3s   take 1  yes 2+1 reset 10.7s at 5.3s
		3.3s   settle 2 0
		3.3s   peek 2  yes 1+2 reset 10.7s at 5.3s
	`},
	{"forward forgets, and back again blocks", weir.SlidingLog, 0, "2/10s", `
		0s   take 2  yes 2+0 next 10s reset 10s
		1h   take 2  yes 2+0 next 10s reset 10s
		1s   take 1  no 2+0 retry 10s next 10s reset 10s at 1h
		11s  take 1  yes 1+1 reset 10s
	`},
	{"back", weir.SlidingCounter, 0, "10/10s", `
		5s   take 10 yes 10+0 next 6s reset 15s
		4.5s peek 1  no 10+0 retry 6.5s next 6.5s reset 15.5s at 5s
		2s   take 1  no 10+0 retry 6s next 6s reset 15s at 5s
		8s   take 1  yes 10+0 next 1s reset 19s at 11s
	`},
	{"back", weir.FixedWindow, 0, "5/10s", `
		12s   take 5  yes 5+0 next 8s reset 8s
		11.5s take 1  no 5+0 retry 8.5s next 8.5s reset 8.5s at 12s
		5s    take 1  no 5+0 retry 8s next 8s reset 8s at 12s
		12.999999s take 1  no 5+0 retry 1us next 1us reset 1us at 19.999999s
		13s   take 1  yes 1+4 reset 7s
	`},
	{"back", weir.TokenBucket, 0, "1/1s burst 5", `
		10s  take 5  yes 5+0 next 1s reset 5s
		9.5s take 1  no 5+0 retry 1.5s next 1.5s reset 5.5s at 10s
		2s   take 1  no 5+0 retry 1s next 1s reset 5s at 10s
		3s   take 1  yes 5+0 next 1s reset 5s at 11s
	`},
	{"forward", weir.SlidingCounter, 0, "10/10s", `
		0s   take 10 yes 10+0 next 11s reset 20s
		1h   take 10 yes 10+0 next 11s reset 20s
	`},
	{"forward", weir.FixedWindow, 0, "5/10s", `
		0s   take 5  yes 5+0 next 10s reset 10s
		1h   take 5  yes 5+0 next 10s reset 10s
	`},
	{"forward", weir.TokenBucket, 0, "1/1s burst 5", `
		0s   take 5  yes 5+0 next 1s reset 5s
		1h   take 5  yes 5+0 next 1s reset 5s
	`},
}
