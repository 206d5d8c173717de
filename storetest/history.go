package storetest

import (
	"fmt"
	"slices"
	"time"
)

// An admitted take is when it was recorded, and its cost.
type admitted struct {
	at   time.Time
	cost int64
}

// overrun is the trailing window (t-window, t] in which the takes cost more
// than quota, or nil. It looks at each take's own t, the only ones at which
// usage rises.
func overrun(takes []admitted, window time.Duration, quota int64) error {
	takes = slices.Clone(takes)
	slices.SortFunc(takes, func(a, b admitted) int { return a.at.Compare(b.at) })
	used, oldest := int64(0), 0
	for i, take := range takes {
		used += take.cost
		for !takes[oldest].at.After(take.at.Add(-window)) {
			used -= takes[oldest].cost
			oldest++
		}
		if used > quota {
			return fmt.Errorf("%d units, with a quota of %d, in the %v until %v (takes %d to %d of %d)",
				used, quota, window, take.at.UTC().Format(time.RFC3339Nano), oldest, i, len(takes))
		}
	}
	return nil
}
