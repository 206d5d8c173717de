package storetest

import "github.com/weirlimit/weir"

// timelines are takes and peeks under one limit, for each algorithm.
var timelines = []timeline{
	{"a take counts for its window, and no longer", weir.SlidingLog, 0, "5/10s", `
		0s         take 3  yes 3+2 reset 10s
		2s         take 3  no 3+2 retry 8s reset 8s
		2s         take 2  yes 5+0 next 8s reset 10s
		9.999999s  take 1  no 5+0 retry 1us next 1us reset 2.000001s
		10s        take 1  yes 3+2 reset 10s
		12s        take 3  yes 4+1 reset 10s
		12s        peek 2  no 4+1 retry 8s reset 10s
		20s        peek 2  yes 3+2 reset 2s
		21.999999s peek 5  no 3+2 retry 1us reset 1us
		22s        peek 5  yes 0+5
	`},
	{"a burst at a boundary passes once", weir.SlidingLog, 0, "50/10s", `
		9.9s   take 50 yes 50+0 next 10s reset 10s
		10s    take 1  no 50+0 retry 9.9s next 9.9s reset 9.9s
		10.1s  take 50 no 50+0 retry 9.8s next 9.8s reset 9.8s
		19.9s  take 50 yes 50+0 next 10s reset 10s
	`},
	{"each cost is decided by itself", weir.SlidingLog, 0, "5/10s", `
		0s  take 2  yes 2+3 reset 10s
		0s  take 5  no 2+3 retry 10s reset 10s
		0s  take 1  yes 3+2 reset 10s
		0s  take 1  yes 4+1 reset 10s
		0s  take 6  exceeds quota
		0s  take 1  yes 5+0 next 10s reset 10s
	`},
	{"the retry time is that of the cost", weir.SlidingLog, 0, "6/10s", `
		0s  take 1  yes 1+5 reset 10s
		1s  take 2  yes 3+3 reset 10s
		2s  take 3  yes 6+0 next 8s reset 10s
		3s  peek 1  no 6+0 retry 7s next 7s reset 9s
		3s  peek 2  no 6+0 retry 8s next 7s reset 9s
		3s  peek 3  no 6+0 retry 8s next 7s reset 9s
		3s  peek 4  no 6+0 retry 9s next 7s reset 9s
		3s  peek 6  no 6+0 retry 9s next 7s reset 9s
	`},
	{"microseconds apart", weir.SlidingLog, 0, "3/1ms", `
		0s     take 1  yes 1+2 reset 1ms
		1us    take 1  yes 2+1 reset 1ms
		2us    take 1  yes 3+0 next 998us reset 1ms
		3us    take 1  no 3+0 retry 997us next 997us reset 999us
		1ms    take 1  yes 3+0 next 1us reset 1ms
		1ms    take 1  no 3+0 retry 1us next 1us reset 1ms
		1001us take 1  yes 3+0 next 1us reset 1ms
		2000us peek 2  yes 1+2 reset 1us
	`},
	{"the largest quota and window", weir.SlidingLog, 0, "4503599627370496/366d", `
		0s     take 4503599627370495  yes 4503599627370495+1 reset 8784h
		1h     take 2                 no 4503599627370495+1 retry 8783h reset 8783h
		1h     take 1                 yes 4503599627370496+0 next 8783h reset 8784h
		8784h  take 4503599627370495  yes 4503599627370496+0 next 1h reset 8784h
		8785h  take 1                 yes 4503599627370496+0 next 8783h reset 8784h
		17568h take 4503599627370495  yes 4503599627370496+0 next 1h reset 8784h
		26353h peek 4503599627370496  yes 0+4503599627370496
	`},
	{"the window before fades", weir.SlidingCounter, 0, "10/10s", `
		0s         take 6  yes 6+4 reset 20s
		5s         take 5  no 6+4 retry 6.666667s reset 15s
		5s         take 4  yes 10+0 next 6s reset 15s
		10s        peek 1  no 10+0 retry 1s next 1s reset 10s
		10.999999s take 1  no 10+0 retry 1us next 1us reset 9.000001s
		11s        take 1  yes 10+0 next 1s reset 19s
		15s        peek 5  no 6+4 retry 1s reset 15s
		16s        take 5  yes 10+0 next 1s reset 14s
		20s        peek 4  yes 6+4 reset 10s
		30s        peek 10 yes 0+10
	`},
	{"usage is rounded up", weir.SlidingCounter, 0, "3/9s", `
		0s         take 2  yes 2+1 reset 18s
		9.000001s  peek 2  no 2+1 retry 4.499999s reset 8.999999s
		13.5s      peek 2  yes 1+2 reset 4.5s
		17.999999s peek 3  no 1+2 retry 1us reset 1us
		18s        peek 3  yes 0+3
	`},
	{"the largest quota and window", weir.SlidingCounter, 0, "4503599627370496/366d", `
		0s     take 4503599627370496  yes 4503599627370496+0 next 8784h0m0.000001s reset 17568h
		8784h  peek 1                 no 4503599627370496+0 retry 1us next 1us reset 8784h
		13176h take 2251799813685248  yes 4503599627370496+0 next 1us reset 13176h
		35136h peek 4503599627370496  yes 0+4503599627370496
	`},
	{"all that is used ends with its window", weir.FixedWindow, 0, "5/10s", `
		9s         take 5  yes 5+0 next 1s reset 1s
		9.999999s  take 1  no 5+0 retry 1us next 1us reset 1us
		10s        take 5  yes 5+0 next 10s reset 10s
		19s        take 1  no 5+0 retry 1s next 1s reset 1s
		20s        peek 5  yes 0+5
		20s        take 2  yes 2+3 reset 10s
		21s        take 4  no 2+3 retry 9s reset 9s
		21s        take 6  exceeds quota
	`},
	{"windows start with the epoch", weir.FixedWindow, 0, "2/1d", `
		6h   take 2  yes 2+0 next 18h reset 18h
		23h  take 1  no 2+0 retry 1h next 1h reset 1h
		24h  take 1  yes 1+1 reset 24h
	`},
	{"a bucket refills at its rate", weir.TokenBucket, 0, "2/1s burst 4", `
		0s         take 4  yes 4+0 next 500ms reset 2s
		0s         take 1  no 4+0 retry 500ms next 500ms reset 2s
		0.499999s  take 1  no 4+0 retry 1us next 1us reset 1.500001s
		0.5s       take 1  yes 4+0 next 500ms reset 2s
		2s         peek 3  yes 1+3 reset 500ms
		2s         peek 4  no 1+3 retry 500ms reset 500ms
		2s         take 5  exceeds quota
		2.5s       peek 4  yes 0+4
	`},
	{"a third of a second is no whole microsecond", weir.TokenBucket, 0, "3/1s", `
		0s         take 1  yes 1+2 reset 333.334ms
		0s         take 1  yes 2+1 reset 666.667ms
		0s         take 1  yes 3+0 next 333.334ms reset 1s
		333.333ms  take 1  no 3+0 retry 1us next 1us reset 666.667ms
		333.334ms  take 1  yes 3+0 next 333.333ms reset 1s
		1333.333ms peek 3  no 1+2 retry 1us reset 1us
		1333.334ms peek 3  yes 0+3
	`},
	{"a burst of 1 leaks evenly", weir.TokenBucket, 0, "10/1s burst 1", `
		0s    take 1  yes 1+0 next 100ms reset 100ms
		50ms  take 1  no 1+0 retry 50ms next 50ms reset 50ms
		100ms take 1  yes 1+0 next 100ms reset 100ms
		200ms take 1  yes 1+0 next 100ms reset 100ms
	`},
	{"the largest quota and window", weir.TokenBucket, 0, "4503599627370496/366d", `
		0s     take 4503599627370496  yes 4503599627370496+0 next 1us reset 8784h
		0s     take 1                 no 4503599627370496+0 retry 1us next 1us reset 8784h
		4392h  take 2251799813685248  yes 4503599627370496+0 next 1us reset 8784h
		13176h peek 4503599627370496  yes 0+4503599627370496
	`},
	{"a quota of 0 blocks", weir.SlidingLog, 0, "0/10s", blocked},
	{"a quota of 0 blocks", weir.SlidingCounter, 0, "0/10s", blocked},
	{"a quota of 0 blocks", weir.FixedWindow, 0, "0/10s", blocked},
	{"a quota of 0 blocks", weir.TokenBucket, 0, "0/10s", blocked},
}

const blocked = `
	0s   take 1  no 0+0 retry never next never
	0s   peek 1  no 0+0 retry never next never
	20s  take 7  no 0+0 retry never next never
`

// severalWindows are policies of more than one limit.
var severalWindows = []timeline{
	{"all allow, or nothing is recorded", weir.SlidingLog, 0, "2/1s, 3/10s", `
		0s    take 1  yes 1+1 reset 1s; 1+2 reset 10s
		0.2s  take 1  yes 2+0 next 800ms reset 1s; 2+1 reset 10s
		0.5s  take 1  no 2+0 retry 500ms next 500ms reset 700ms; 2+1 reset 9.7s
		0.5s  peek 2  no 2+0 retry 700ms next 500ms reset 700ms; 2+1 retry 9.5s reset 9.7s
		0.5s  take 3  exceeds quota
		1s    take 1  yes 2+0 next 200ms reset 1s; 3+0 next 9s reset 10s
		2s    take 1  no 0+2; 3+0 retry 8s next 8s reset 9s
		2s    take 2  no 0+2; 3+0 retry 8.2s next 8s reset 9s
		10s   take 1  yes 1+1 reset 1s; 3+0 next 200ms reset 10s
	`},
	{"the longest window may come first", weir.SlidingLog, 0, "3/10s, 2/1s", `
		0s  take 2  yes 2+1 reset 10s; 2+0 next 1s reset 1s
		1s  take 1  yes 3+0 next 9s reset 10s; 1+1 reset 1s
		2s  take 1  no 3+0 retry 8s next 8s reset 9s; 0+2
	`},
	{"three windows", weir.SlidingLog, 0, "1/1s, 2/1m, 3/1h", `
		0s   take 1  yes 1+0 next 1s reset 1s; 1+1 reset 1m; 1+2 reset 1h
		1s   take 1  yes 1+0 next 1s reset 1s; 2+0 next 59s reset 1m; 2+1 reset 1h
		2s   take 1  no 0+1; 2+0 retry 58s next 58s reset 59s; 2+1 reset 59m59s
		1m   take 1  yes 1+0 next 1s reset 1s; 2+0 next 1s reset 1m; 3+0 next 59m reset 1h
		2m   take 1  no 0+1; 0+2; 3+0 retry 58m next 58m reset 59m
		1h   take 1  yes 1+0 next 1s reset 1s; 1+1 reset 1m; 3+0 next 1s reset 1h
	`},
	{"all allow, or nothing is recorded", weir.SlidingCounter, 0, "2/1s, 3/10s", `
		0s    take 2  yes 2+0 next 1.5s reset 2s; 2+1 reset 20s
		0.5s  take 1  no 2+0 retry 1s next 1s reset 1.5s; 2+1 reset 19.5s
		1.5s  take 1  yes 2+0 next 500ms reset 1.5s; 3+0 next 11.833334s reset 18.5s
		2.5s  take 1  no 1+1 reset 500ms; 3+0 retry 10.833334s next 10.833334s reset 17.5s
		3s    peek 2  no 0+2; 3+0 retry 13.666667s next 10.333334s reset 17s
	`},
	{"all allow, or nothing is recorded", weir.FixedWindow, 0, "2/1s, 3/10s", `
		0s    take 2  yes 2+0 next 1s reset 1s; 2+1 reset 10s
		0.5s  take 1  no 2+0 retry 500ms next 500ms reset 500ms; 2+1 reset 9.5s
		1s    take 2  no 0+2; 2+1 retry 9s reset 9s
		1s    take 1  yes 1+1 reset 1s; 3+0 next 9s reset 9s
		2s    take 1  no 0+2; 3+0 retry 8s next 8s reset 8s
		10s   take 2  yes 2+0 next 1s reset 1s; 2+1 reset 10s
	`},
	{"all allow, or nothing is recorded", weir.TokenBucket, 0, "2/1s, 3/10s burst 3", `
		0s    take 2  yes 2+0 next 500ms reset 1s; 2+1 reset 6.666667s
		0s    take 1  no 2+0 retry 500ms next 500ms reset 1s; 2+1 reset 6.666667s
		1s    take 1  yes 1+1 reset 500ms; 3+0 next 2.333334s reset 9s
		2s    take 1  no 0+2; 3+0 retry 1.333334s next 1.333334s reset 8s
	`},
}
