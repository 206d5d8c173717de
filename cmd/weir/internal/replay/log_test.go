package replay

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"time"
)

// logLine is a line of a log.
func logLine(host string, at int64) string {
	return fmt.Sprintf("%s - - [%s] \"GET / HTTP/1.1\" 200 1\n", host, time.Unix(at, 0).UTC().Format("02/Jan/2006:15:04:05 -0700"))
}

func read(t *testing.T, text string) *Log {
	t.Helper()
	l, err := Read("test", strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// zipped is the parts as a gzip member each.
func zipped(t *testing.T, parts ...string) string {
	t.Helper()
	var b bytes.Buffer
	for _, part := range parts {
		z := gzip.NewWriter(&b)
		if _, err := io.WriteString(z, part); err != nil {
			t.Fatal(err)
		}
		if err := z.Close(); err != nil {
			t.Fatal(err)
		}
	}
	return b.String()
}

func TestReadOrders(t *testing.T) {
	l := read(t, logLine("c", 1030)+logLine("a", 1000)+logLine("b", 1030)+logLine("c", 1029)+logLine("a", 1030))
	var got []string
	for _, q := range l.requests {
		got = append(got, fmt.Sprint(q.at, l.keys[q.key]))
	}
	if want := []string{"1000a", "1029c", "1030c", "1030b", "1030a"}; !slices.Equal(got, want) {
		t.Errorf("read %v, want %v", got, want)
	}
}

func TestReadOrdersStably(t *testing.T) {
	var b strings.Builder
	for i := range 1000 {
		b.WriteString(logLine(fmt.Sprintf("%03d", i), 2000-int64(i%3)))
	}
	l := read(t, b.String())
	if len(l.requests) != 1000 || !slices.IsSortedFunc(l.requests, func(a, b request) int {
		return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.key, b.key)) // keys are numbered as they come
	}) {
		t.Error("requests of one second have changed places")
	}
}

func TestReadForms(t *testing.T) {
	one, two := logLine("a", 1), logLine("b", 2)
	for name, text := range map[string]string{
		"plain":                   one + two,
		"without a last newline":  one + strings.TrimSuffix(two, "\n"),
		"with carriage returns":   strings.ReplaceAll(one+two, "\n", "\r\n"),
		"gzip":                    zipped(t, one+two),
		"gzip of several members": zipped(t, one, two),
		"gzip cut within a line":  zipped(t, one+two[:5], two[5:]),
	} {
		for _, from := range []io.Reader{strings.NewReader(text), iotest.OneByteReader(strings.NewReader(text)), iotest.DataErrReader(strings.NewReader(text))} {
			l, err := Read(name, from)
			if err != nil || len(l.requests) != 2 || len(l.keys) != 2 || l.skipped != 0 {
				t.Errorf("%s: %d requests of %d keys, %d skipped (%v)", name, len(l.requests), len(l.keys), l.skipped, err)
			}
		}
	}
}

func TestReadNothing(t *testing.T) {
	for name, text := range map[string]string{"empty": "", "empty gzip": zipped(t, ""), "one byte": "\x1f"} {
		l, err := Read(name, strings.NewReader(text))
		if err != nil || len(l.requests) != 0 || l.skipped != min(len(text), 1) && name == "one byte" {
			t.Errorf("%s: %d requests, %d skipped (%v)", name, len(l.requests), l.skipped, err)
		}
	}
}

func TestSkipped(t *testing.T) {
	text := logLine("a", 1) +
		"\x1b[2Jclear the screen\n" +
		"\n" +
		logLine("b", 2) +
		strings.Repeat("x", 300) + "\n" +
		"\xff\xfe\n" +
		"1\n" + "2\n" + "3\n"
	l := read(t, text)
	if len(l.requests) != 2 || l.skipped != 7 {
		t.Errorf("%d requests, %d skipped", len(l.requests), l.skipped)
	}
	var b bytes.Buffer
	if err := l.WriteSkipped(&b); err != nil {
		t.Fatal(err)
	}
	want := `weir: test: line 2 skipped: it does not start with an address: "\x1b[2Jclear the screen"
weir: test: line 3 skipped: the line is empty: ""
weir: test: line 5 skipped: there is no "request": "` + strings.Repeat("x", 100) + `"
weir: test: line 6 skipped: it does not start with an address: "\xff\xfe"
weir: test: line 7 skipped: there is no "request": "1"
weir: test: 2 more skipped
`
	if b.String() != want {
		t.Errorf("wrote\n%swant\n%s", b.String(), want)
	}
}

func TestLongLines(t *testing.T) {
	line := func(size int) string { // its newline included
		l := logLine("a", 1)
		return strings.Replace(l, "GET /", "GET /"+strings.Repeat("x", size-len(l)), 1)
	}
	for _, c := range []struct {
		text              string
		requests, skipped int
	}{
		{line(maxLine), 1, 0},
		{line(maxLine + 1), 0, 1},
		{strings.TrimSuffix(line(maxLine+1), "\n"), 0, 1}, // no room to see that it ends
		{line(maxLine) + line(maxLine+1) + line(maxLine), 2, 1},
		{line(2 * maxLine), 0, 1},
		{line(2*maxLine) + logLine("b", 1), 1, 1},
		{line(10*maxLine+7) + logLine("b", 1) + line(3*maxLine+1) + logLine("c", 1), 2, 2},
		{strings.Repeat("\x00", 5*maxLine), 0, 1},
		{logLine("b", 1) + strings.Repeat("\x00", 5*maxLine) + "\n" + logLine("b", 2), 2, 1},
	} {
		for _, text := range []string{c.text, zipped(t, c.text)} {
			l := read(t, text)
			if len(l.requests) != c.requests || l.skipped != c.skipped {
				t.Errorf("%d bytes: %d requests and %d skipped, want %d and %d", len(c.text), len(l.requests), l.skipped, c.requests, c.skipped)
			}
		}
	}
}

func TestReadFails(t *testing.T) {
	broken := errors.New("broken disk")
	for name, c := range map[string]struct {
		from io.Reader
		want error
	}{
		"a reader":      {io.MultiReader(strings.NewReader(logLine("a", 1)), iotest.ErrReader(broken)), broken},
		"at once":       {iotest.ErrReader(broken), broken},
		"a long line":   {io.MultiReader(strings.NewReader(strings.Repeat("x", 2*maxLine)), iotest.ErrReader(broken)), broken},
		"a cut gzip":    {strings.NewReader(zipped(t, logLine("a", 1))[:30]), io.ErrUnexpectedEOF},
		"a broken gzip": {strings.NewReader("\x1f\x8bnothing of the kind"), gzip.ErrHeader},
	} {
		if _, err := Read(name, c.from); !errors.Is(err, c.want) || !strings.HasPrefix(err.Error(), name) {
			t.Errorf("%s: %v, want %v", name, err, c.want)
		}
	}
}

func TestReadFile(t *testing.T) {
	name := filepath.Join(t.TempDir(), "access.log")
	if _, err := ReadFile(name, nil); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a missing file: %v", err)
	}
	if err := os.WriteFile(name, []byte(logLine("a", 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name string
		in   io.Reader
		keys []string
	}{
		{name, nil, []string{"a"}},
		{"-", strings.NewReader(logLine("b", 1)), []string{"b"}},
	} {
		l, err := ReadFile(c.name, c.in)
		if err != nil || !slices.Equal(l.keys, c.keys) {
			t.Errorf("%s: %+v, %v", c.name, l, err)
		}
	}
}

func TestKeysOfSpellings(t *testing.T) {
	l := read(t, logLine("1.2.3.4", 1)+logLine("::ffff:1.2.3.4", 1)+logLine("2001:db8::1", 1)+logLine("2001:DB8::0:1", 1))
	if want := []string{"1.2.3.4", "2001:db8::1"}; !slices.Equal(l.keys, want) || len(l.requests) != 4 {
		t.Errorf("keys %v of %d requests, want %v", l.keys, len(l.requests), want)
	}
}
