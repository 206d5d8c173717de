// Package replay runs the requests of an access log through limiters, on the
// log's own clock, to say what limits would have done.
package replay

import (
	"bufio"
	"bytes"
	"cmp"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
)

const (
	// maxLine is the longest line, its end included.
	maxLine = 64 << 10
	// maxShown is how many skipped lines are shown, and maxShownBytes how much
	// of each.
	maxShown      = 5
	maxShownBytes = 100
)

// A Log is the requests of an access log, ordered by time.
type Log struct {
	name     string
	requests []request
	keys     []string
	skipped  int // lines
	shown    []skip
}

// A request is one at a time, in Unix seconds, of the key with an index.
type request struct {
	at  int64
	key uint32
}

// A skip is a line that was skipped, and why.
type skip struct {
	number int
	text   string
	why    error
}

// ReadFile reads the log in a file; "-" is in.
func ReadFile(name string, in io.Reader) (*Log, error) {
	if name == "-" {
		return Read("standard input", in)
	}
	file, err := os.Open(name) //nolint:gosec // The user names the file.
	if err != nil {
		return nil, err
	}
	defer file.Close() //nolint:errcheck // It was only read.
	return Read(name, file)
}

// Read reads a log, plain or gzip. Only what keeps it from being read is an
// error: lines that are none of a log are counted.
func Read(name string, from io.Reader) (*Log, error) {
	lines := bufio.NewReaderSize(from, maxLine)
	if magic, _ := lines.Peek(2); string(magic) == "\x1f\x8b" {
		plain, err := gzip.NewReader(lines)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		lines = bufio.NewReaderSize(plain, maxLine)
	}
	r := reader{log: &Log{name: name}, known: make(map[string]uint32), keys: make(map[string]uint32)}
	for number := 1; ; number++ {
		text, err := lines.ReadSlice('\n')
		if errors.Is(err, bufio.ErrBufferFull) {
			r.skip(number, text, fmt.Errorf("it has more than %d bytes", maxLine))
			err = discardLine(lines)
		} else if len(text) > 0 {
			r.read(number, text)
		}
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("%s: line %d: %w", name, number, err)
		}
	}
	r.log.order()
	return r.log, nil
}

// discardLine reads on to the end of a line that is too long.
func discardLine(lines *bufio.Reader) error {
	for {
		_, err := lines.ReadSlice('\n')
		if !errors.Is(err, bufio.ErrBufferFull) {
			return err
		}
	}
}

// A reader makes a log.
type reader struct {
	log   *Log
	clock clock
	known map[string]uint32 // index of the key by host, as the log has it
	keys  map[string]uint32 // index of the key
}

// read reads one line.
func (r *reader) read(number int, text []byte) {
	text = bytes.TrimSuffix(text, []byte{'\n'})
	text = bytes.TrimSuffix(text, []byte{'\r'})
	l, err := parseLine(text, &r.clock)
	if err != nil {
		r.skip(number, text, err)
		return
	}
	index, ok := r.known[string(l.host)]
	if !ok {
		index = r.learn(string(l.host))
	}
	r.log.requests = append(r.log.requests, request{l.at, index})
}

// learn is the index of a host's key.
func (r *reader) learn(host string) uint32 {
	key := keyOf(host)
	index, ok := r.keys[key]
	if !ok {
		index = uint32(len(r.log.keys))
		r.keys[key] = index
		r.log.keys = append(r.log.keys, key)
	}
	r.known[host] = index
	return index
}

// skip counts a line, and keeps it if it is one of the first.
func (r *reader) skip(number int, text []byte, why error) {
	r.log.skipped++
	if len(r.log.shown) < maxShown {
		r.log.shown = append(r.log.shown, skip{number, string(text[:min(len(text), maxShownBytes)]), why})
	}
}

// order sorts the requests by time; those of one second stay as they were.
func (l *Log) order() {
	earlier := func(a, b request) int { return cmp.Compare(a.at, b.at) }
	if !slices.IsSortedFunc(l.requests, earlier) {
		slices.SortStableFunc(l.requests, earlier)
	}
}

// WriteSkipped writes the first lines that were skipped, escaped, since a log
// holds what strangers sent.
func (l *Log) WriteSkipped(w io.Writer) error {
	var b bytes.Buffer
	for _, s := range l.shown {
		fmt.Fprintf(&b, "weir: %s: line %d skipped: %v: %s\n", l.name, s.number, s.why, strconv.QuoteToASCII(s.text))
	}
	if more := l.skipped - len(l.shown); more > 0 {
		fmt.Fprintf(&b, "weir: %s: %d more skipped\n", l.name, more)
	}
	_, err := w.Write(b.Bytes())
	return err
}
