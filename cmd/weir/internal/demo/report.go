package demo

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/weirlimit/weir"
)

// cellsPerBurst keeps a line within 80 columns.
const cellsPerBurst = 20

// WriteText draws the result for a terminal of 80 columns.
func (r *Result) WriteText(w io.Writer) error {
	var b bytes.Buffer
	quota, window, burst := r.Limit.Quota, length(r.Limit.Window), length(r.Limit.Window/burstPart)
	fmt.Fprintf(&b, "Limit %s. A client spends its whole quota in the last %s\nof a window, and again in the first %s of the next one.\n\n",
		r.Limit, burst, burst)
	width := len(cells(r.Log.Before))
	fmt.Fprintf(&b, "  %-15s  %*s|%-*s  admitted\n", "", width, "before", width, "after")
	for _, row := range []struct {
		algorithm weir.Algorithm
		run       *Run
	}{
		{weir.FixedWindow, &r.Fixed},
		{weir.SlidingCounter, &r.Counter},
		{weir.SlidingLog, &r.Log},
	} {
		admitted := row.run.Admitted()
		fmt.Fprintf(&b, "  %-15s  %s|%s  %d", row.algorithm,
			cells(row.run.Before), cells(row.run.After), admitted)
		if over := admitted - int(quota); over > 0 {
			fmt.Fprintf(&b, " (%d over)", over)
		}
		b.WriteByte('\n')
	}
	fmt.Fprintf(&b, "\n  # admitted   + partly   . denied\n\n"+
		"A fixed window forgets everything at its boundary, a sliding counter estimates\n"+
		"(at worst it admits %d), and the sliding log is exact: never more than\n"+
		"%d in any %s.\n", 2*quota-1, quota, window)
	_, err := w.Write(b.Bytes())
	return err
}

// length is a duration as limits write it, such as 1m.
func length(d time.Duration) string {
	_, text, _ := strings.Cut(weir.Per(1, d).String(), "/")
	return text
}

// cells draws the requests of a burst: several to a character, or one to
// several, so that there are more than half of cellsPerBurst, and no more.
func cells(requests []bool) string {
	n := min(cellsPerBurst, len(requests))
	var b strings.Builder
	for i := range n {
		cell := requests[i*len(requests)/n : (i+1)*len(requests)/n]
		mark := "+"
		switch {
		case !slices.Contains(cell, true):
			mark = "."
		case !slices.Contains(cell, false):
			mark = "#"
		}
		b.WriteString(strings.Repeat(mark, cellsPerBurst/n))
	}
	return b.String()
}

// WriteJSON writes the admitted counts on a line.
func (r *Result) WriteJSON(w io.Writer) error {
	type admitted struct {
		Fixed   int `json:"fixed"`
		Counter int `json:"counter"`
		Log     int `json:"log"`
	}
	return json.NewEncoder(w).Encode(struct {
		Limit         int64    `json:"limit"`
		WindowSeconds float64  `json:"window_seconds"`
		Admitted      admitted `json:"admitted"`
	}{
		r.Limit.Quota, r.Limit.Window.Seconds(),
		admitted{r.Fixed.Admitted(), r.Counter.Admitted(), r.Log.Admitted()},
	})
}
