package replay

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"time"

	"github.com/weirlimit/weir"
	"github.com/weirlimit/weir/cmd/weir/internal/limits"
)

// maxKeys is how many of the keys most denied are told.
const maxKeys = 10

// WriteText writes the result for a terminal of 80 columns.
func (r *Result) WriteText(w io.Writer) error {
	var b bytes.Buffer
	fmt.Fprintf(&b, "%d requests of %d keys, %d lines skipped\n", r.Requests, r.Keys, r.Skipped)
	if r.Requests > 0 {
		fmt.Fprintf(&b, "%s to %s UTC (%v)\n", r.First.Format(time.DateTime), r.Last.Format(time.DateTime), r.Last.Sub(r.First))
	}
	fmt.Fprintf(&b, "\nWith %s for each key, these would have been denied:\n\n", limits.Join(r.Limits))
	fmt.Fprintf(&b, "  %-15s  %18s  %18s\n", "", "requests", "keys")
	for _, row := range []struct {
		algorithm weir.Algorithm
		denied    *Denied
	}{
		{weir.SlidingLog, &r.Log},
		{weir.SlidingCounter, &r.Counter},
		{weir.FixedWindow, &r.Fixed},
	} {
		fmt.Fprintf(&b, "  %-15s  %18s  %18s\n", row.algorithm, share(row.denied.Requests, r.Requests), share(row.denied.Keys, r.Keys))
	}
	if most := r.mostDenied(maxKeys); len(most) > 0 {
		fmt.Fprintf(&b, "\nMost denied by the sliding log:\n\n  %10s  %10s  key\n", "denied", "requests")
		for _, key := range most {
			fmt.Fprintf(&b, "  %10d  %10d  %s\n", r.Log.each[key], r.charged[key], cut(r.keys[key]))
		}
	}
	_, err := w.Write(b.Bytes())
	return err
}

// share is a part, and its percentage.
func share(part, whole int) string {
	if whole == 0 {
		return fmt.Sprintf("%d  %6s", part, "-")
	}
	return fmt.Sprintf("%d  %5.2f%%", part, 100*float64(part)/float64(whole))
}

// cut keeps a key within its line. Keys are printable ASCII.
func cut(key string) string {
	const most = 50
	if len(key) <= most {
		return key
	}
	return key[:most-3] + "..."
}

// WriteJSON writes the counts on a line.
func (r *Result) WriteJSON(w io.Writer) error {
	type denied struct {
		Requests int `json:"denied_requests"`
		Keys     int `json:"denied_keys"`
	}
	type algorithms struct {
		Log     denied `json:"log"`
		Counter denied `json:"counter"`
		Fixed   denied `json:"fixed"`
	}
	return json.NewEncoder(w).Encode(struct {
		Requests   int        `json:"requests"`
		Skipped    int        `json:"skipped"`
		Keys       int        `json:"keys"`
		Algorithms algorithms `json:"algorithms"`
		Seconds    int64      `json:"seconds"`
	}{
		r.Requests, r.Skipped, r.Keys,
		algorithms{
			denied{r.Log.Requests, r.Log.Keys},
			denied{r.Counter.Requests, r.Counter.Keys},
			denied{r.Fixed.Requests, r.Fixed.Keys},
		},
		int64(r.Last.Sub(r.First).Seconds()),
	})
}
