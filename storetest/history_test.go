package storetest

import (
	"testing"
	"time"
)

func TestOverrun(t *testing.T) {
	history := func(seconds ...int) (takes []admitted) {
		for _, s := range seconds {
			takes = append(takes, admitted{origin.Add(time.Duration(s) * time.Second), 1})
		}
		return takes
	}
	for _, test := range []struct {
		name  string
		takes []admitted
		over  bool
	}{
		{"none", nil, false},
		{"the quota at once", history(0, 0, 0), false},
		{"one more at once", history(0, 0, 0, 0), true},
		{"one more when the first leaves", history(0, 1, 2, 10), false},
		{"one more a second before", history(0, 1, 2, 9), true},
		{"in any order", history(9, 2, 0, 1), true},
		{"across a boundary", history(8, 9, 10, 11), true},
		{"a flow", history(0, 4, 8, 12, 16, 20, 24), false},
		{"a cost above the quota", []admitted{{origin, 4}}, true},
	} {
		if err := overrun(test.takes, 10*time.Second, 3); (err != nil) != test.over {
			t.Errorf("%s: %v, want an overrun: %t", test.name, err, test.over)
		}
	}
}
