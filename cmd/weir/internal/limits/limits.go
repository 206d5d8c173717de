// Package limits writes limits for people.
package limits

import (
	"strings"

	"github.com/weirlimit/weir"
)

// Join is limits in a sentence, as in 10/1s and 600/1m.
func Join(limits []weir.Limit) string {
	texts := make([]string, len(limits))
	for i, l := range limits {
		texts[i] = l.String()
	}
	return strings.Join(texts, " and ")
}
