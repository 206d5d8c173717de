package storetest

import "github.com/weirlimit/weir"

// settles are settles of one key's takes.
var settles = []timeline{
	{"down frees units at once", weir.SlidingLog, 0, "5/10s", `
		0s   take 4      yes 4+1 reset 10s
		1s   take 2      no 4+1 retry 9s reset 9s
		1s   settle 1 1
		1s   take 4      yes 5+0 next 9s reset 10s
		10s  peek 1      yes 4+1 reset 1s
	`},
	{"up may exceed the quota", weir.SlidingLog, 0, "5/10s", `
		0s   take 2      yes 2+3 reset 10s
		1s   take 1      yes 3+2 reset 10s
		2s   settle 1 9
		2s   peek 1      no 10+0 retry 8s next 8s reset 9s
		9s   peek 5      no 10+0 retry 2s next 1s reset 2s
		10s  peek 4      yes 1+4 reset 1s
	`},
	{"to the same cost", weir.SlidingLog, 0, "5/10s", `
		0s   take 2      yes 2+3 reset 10s
		1s   settle 1 2
		1s   peek 3      yes 2+3 reset 9s
	`},
	{"twice acts once", weir.SlidingLog, 0, "5/10s", `
		0s   take 4      yes 4+1 reset 10s
		1s   settle 1 3
		1s   settle 1 0
		1s   peek 2      yes 3+2 reset 9s
	`},
	{"to nothing leaves nothing", weir.SlidingLog, 0, "5/10s", `
		0s   take 3      yes 3+2 reset 10s
		2s   take 2      yes 5+0 next 8s reset 10s
		3s   settle 2 0
		3s   peek 2      yes 3+2 reset 7s
		3s   settle 1 0
		3s   peek 5      yes 0+5
	`},
	{"one of several in one step", weir.SlidingLog, 0, "9/10s", `
		0s   take 2      yes 2+7 reset 10s
		0s   take 3      yes 5+4 reset 10s
		0s   take 4      yes 9+0 next 10s reset 10s
		1s   settle 2 1
		1s   peek 2      yes 7+2 reset 9s
		1s   settle 1 0
		1s   settle 3 0
		1s   peek 8      yes 1+8 reset 9s
	`},
	{"after a reset does nothing", weir.SlidingLog, 0, "5/10s", `
		0s   take 3      yes 3+2 reset 10s
		0s   reset
		0s   take 2      yes 2+3 reset 10s
		1s   settle 1 0
		1s   peek 3      yes 2+3 reset 9s
	`},
	{"after a reset upwards does nothing", weir.SlidingLog, 0, "5/10s", `
		0s   take 3      yes 3+2 reset 10s
		0s   reset
		1s   settle 1 5
		1s   peek 5      yes 0+5
	`},
	{"after its window does nothing", weir.SlidingLog, 0, "5/10s", `
		0s   take 3      yes 3+2 reset 10s
		0s   take 1      yes 4+1 reset 10s
		9s   take 1      yes 5+0 next 1s reset 10s
		10s  settle 1 0
		10s  settle 2 5
		10s  peek 4      yes 1+4 reset 9s
	`},
	{"of a denial does nothing", weir.SlidingLog, 0, "5/10s", `
		0s   take 3      yes 3+2 reset 10s
		1s   take 3      no 3+2 retry 9s reset 9s
		1s   settle 2 0
		1s   peek 2      yes 3+2 reset 9s
		1s   settle 2 5
		1s   peek 2      yes 3+2 reset 9s
	`},
	{"up puts back what was credited away", weir.SlidingLog, 0, "5/10s", `
		0s   take 3      yes 3+2 reset 10s
		1s   take 1      yes 4+1 reset 10s
		2s   refund 3
		2s   peek 4      yes 1+4 reset 9s
		3s   settle 1 4
		3s   peek 1      no 5+0 retry 7s next 7s reset 8s
	`},
	{"down after a refund gives back no more than is there", weir.SlidingLog, 0, "5/10s", `
		0s   take 3      yes 3+2 reset 10s
		1s   take 2      yes 5+0 next 9s reset 10s
		2s   refund 2
		2s   settle 1 0
		2s   peek 3      yes 2+3 reset 9s
	`},
	{"for every window", weir.SlidingLog, 0, "5/1s, 9/10s", `
		0s   take 5      yes 5+0 next 1s reset 1s; 5+4 reset 10s
		0.5s settle 1 2
		0.5s peek 3      yes 2+3 reset 500ms; 2+7 reset 9.5s
		2s   take 5      yes 5+0 next 1s reset 1s; 7+2 reset 10s
		4s   settle 2 7
		4s   peek 1      no 0+5; 9+0 retry 6s next 6s reset 8s
	`},
	{"down, in this window and the one before", weir.SlidingCounter, 0, "10/10s", `
		1s   take 8      yes 8+2 reset 19s
		2s   settle 1 3
		2s   take 7      yes 10+0 next 9s reset 18s
		15s  peek 5      yes 5+5 reset 5s
		15s  settle 2 1
		15s  peek 5      yes 2+8 reset 5s
	`},
	{"up, twice, and too late", weir.SlidingCounter, 0, "10/10s", `
		0s   take 4      yes 4+6 reset 20s
		1s   settle 1 20
		1s   peek 1      no 20+0 retry 14.5s next 14.5s reset 19s
		1s   settle 1 0
		1s   peek 1      no 20+0 retry 14.5s next 14.5s reset 19s
		15s  take 1      no 10+0 retry 500ms next 500ms reset 5s
		20s  take 1      yes 1+9 reset 20s
		20s  settle 1 0
		20s  peek 9      yes 1+9 reset 20s
	`},
	{"down, up, and after its window", weir.FixedWindow, 0, "10/10s", `
		1s   take 8      yes 8+2 reset 9s
		2s   take 2      yes 10+0 next 8s reset 8s
		3s   settle 1 3
		3s   peek 5      yes 5+5 reset 7s
		4s   settle 2 12
		4s   peek 1      no 15+0 retry 6s next 6s reset 6s
		10s  take 6      yes 6+4 reset 10s
		11s  take 1      yes 7+3 reset 9s
		20s  take 1      yes 1+9 reset 10s
		20s  settle 3 0
		20s  peek 9      yes 1+9 reset 10s
	`},
	{"down returns what the take still holds", weir.TokenBucket, 0, "1/1s burst 5", `
		0s   take 4      yes 4+1 reset 4s
		1s   settle 1 1
		1s   peek 5      yes 0+5
		2s   take 5      yes 5+0 next 1s reset 5s
		4s   settle 2 0
		4s   peek 5      yes 0+5
	`},
	{"down never returns what refilled", weir.TokenBucket, 0, "1/1s burst 5", `
		0s   take 2      yes 2+3 reset 2s
		2s   take 3      yes 3+2 reset 3s
		2s   settle 1 0
		2s   peek 2      yes 3+2 reset 3s
		2s   settle 2 1
		2s   peek 4      yes 1+4 reset 1s
	`},
	{"up may exceed the burst", weir.TokenBucket, 0, "1/1s burst 5", `
		0s   take 2      yes 2+3 reset 2s
		0s   settle 1 9
		0s   peek 1      no 9+0 retry 5s next 5s reset 9s
		5s   peek 1      yes 4+1 reset 4s
	`},
	{"after a reset does nothing", weir.SlidingCounter, 0, "5/10s", `
		0s   take 3      yes 3+2 reset 20s
		0s   reset
		0s   take 2      yes 2+3 reset 20s
		0s   settle 1 0
		0s   peek 3      yes 2+3 reset 20s
	`},
	{"after a reset does nothing", weir.FixedWindow, 0, "5/10s", `
		0s   take 3      yes 3+2 reset 10s
		0s   reset
		0s   take 2      yes 2+3 reset 10s
		0s   settle 1 0
		0s   peek 3      yes 2+3 reset 10s
	`},
	{"after a reset does nothing", weir.TokenBucket, 0, "1/1s burst 5", `
		0s   take 3      yes 3+2 reset 3s
		0s   reset
		0s   take 2      yes 2+3 reset 2s
		0s   settle 1 0
		0s   peek 3      yes 2+3 reset 2s
	`},
}

// refunds are credits without a receipt.
var refunds = []timeline{
	{"the oldest usage goes first", weir.SlidingLog, 0, "5/10s", `
		0s   take 2      yes 2+3 reset 10s
		4s   take 3      yes 5+0 next 6s reset 10s
		5s   refund 2
		5s   peek 2      yes 3+2 reset 9s
		5s   peek 3      no 3+2 retry 9s reset 9s
		5s   refund 1
		5s   peek 3      yes 2+3 reset 9s
		5s   refund 7
		5s   peek 5      yes 0+5
		5s   refund 1
		5s   peek 5      yes 0+5
	`},
	{"part of an entry", weir.SlidingLog, 0, "9/10s", `
		0s   take 4      yes 4+5 reset 10s
		1s   take 4      yes 8+1 reset 10s
		2s   refund 3
		2s   peek 5      no 5+4 retry 8s reset 9s
		10s  peek 5      yes 4+5 reset 1s
	`},
	{"only within the longest window", weir.SlidingLog, 0, "9/10s", `
		0s   take 4      yes 4+5 reset 10s
		5s   take 4      yes 8+1 reset 10s
		10s  refund 1
		10s  peek 6      yes 3+6 reset 5s
	`},
	{"of a key that was never seen", weir.SlidingLog, 0, "5/10s", `
		0s   refund 3
		0s   take 5      yes 5+0 next 10s reset 10s
		0s   take 1      no 5+0 retry 10s next 10s reset 10s
	`},
	{"the older window goes first", weir.SlidingCounter, 0, "10/10s", `
		0s   take 6      yes 6+4 reset 20s
		10s  take 4      yes 10+0 next 1.666667s reset 20s
		15s  refund 2
		15s  peek 4      yes 6+4 reset 15s
		15s  refund 5
		15s  peek 7      yes 3+7 reset 15s
		15s  refund 9
		15s  peek 10     yes 0+10
	`},
	{"within the window", weir.FixedWindow, 0, "10/10s", `
		0s   take 6      yes 6+4 reset 10s
		5s   refund 4
		5s   peek 8      yes 2+8 reset 5s
		5s   refund 4
		5s   peek 10     yes 0+10
		10s  take 3      yes 3+7 reset 10s
	`},
	{"a bucket is never more than full", weir.TokenBucket, 0, "1/1s burst 5", `
		0s   take 4      yes 4+1 reset 4s
		1s   refund 2
		1s   peek 4      yes 1+4 reset 1s
		1s   refund 9
		1s   take 5      yes 5+0 next 1s reset 5s
		1s   take 1      no 5+0 retry 1s next 1s reset 5s
	`},
}
