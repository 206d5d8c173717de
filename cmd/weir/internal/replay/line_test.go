package replay

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/weirlimit/weir"
)

const stamp = "[10/Oct/2000:13:55:36 -0700]"

var stamped = time.Date(2000, time.October, 10, 20, 55, 36, 0, time.UTC).Unix()

func TestParseLine(t *testing.T) {
	longest := strings.Repeat("h", weir.MaxKeyBytes)
	for _, c := range []struct {
		text string
		host string
		err  error
	}{
		{`127.0.0.1 - frank ` + stamp + ` "GET /apache_pb.gif HTTP/1.0" 200 2326`, "127.0.0.1", nil},
		{`127.0.0.1 - frank ` + stamp + ` "GET / HTTP/1.0" 200 2326 "http://e.org/s.html" "Mozilla/4.08 [en] (Win98; I ;Nav)"`, "127.0.0.1", nil},
		{`2001:db8::1 - - ` + stamp + ` "GET / HTTP/1.1" 304 -`, "2001:db8::1", nil},
		{`host.example.org - - ` + stamp + ` "-" 408 -`, "host.example.org", nil},
		{`1.2.3.4 - - ` + stamp + ` "" 400 0`, "1.2.3.4", nil},
		{`1.2.3.4 - - ` + stamp + ` "\x16\x03\x01" 400 226 "-" "-"`, "1.2.3.4", nil},
		{`1.2.3.4 - - ` + stamp + ` "GET /\"quoted\" HTTP/1.1" 200 1`, "1.2.3.4", nil},
		{`1.2.3.4 - - ` + stamp + ` "GET /\\" 200 1`, "1.2.3.4", nil},
		{`1.2.3.4 - - ` + stamp + ` "\\\"" 200 1`, "1.2.3.4", nil},
		{`1.2.3.4 - - ` + stamp + ` "GET / HTTP/1.1" 200 1 "-" "cut off`, "1.2.3.4", nil},
		{`1.2.3.4 - - ` + stamp + ` "GET / HTTP/1.1" 200 1 0.003 upstream=x`, "1.2.3.4", nil},
		{`1.2.3.4 - john smith ` + stamp + ` "GET / HTTP/1.1" 401 1`, "1.2.3.4", nil},
		{`1.2.3.4 - [01/Jan/1999:00:00:00 +0000] ` + stamp + ` "GET / HTTP/1.1" 401 1`, "1.2.3.4", nil},
		{`1.2.3.4 ident user ` + stamp + ` "GET / HTTP/1.1" 200 1`, "1.2.3.4", nil},
		{longest + ` - - ` + stamp + ` "GET / HTTP/1.1" 200 1`, longest, nil},

		{``, "", errEmpty},
		{`garbage`, "", errRequest},
		{` 1.2.3.4 - - ` + stamp + ` "GET / HTTP/1.1" 200 1`, "", errHost},
		{"\x00\x00\x001.2.3.4 - - " + stamp + ` "GET / HTTP/1.1" 200 1`, "", errHost},
		{longest + `h - - ` + stamp + ` "GET / HTTP/1.1" 200 1`, "", errHost},
		{`{"json": "GET / HTTP/1.1"}`, "", errHost},
		{`1.2.3.4 - - "GET / HTTP/1.1" 200 1`, "", errTime},
		{`1.2.3.4 ` + stamp + ` "GET / HTTP/1.1" 200 1`, "", errTime},
		{`1.2.3.4 - ` + stamp + ` "GET / HTTP/1.1" 200 1`, "", errTime},
		{`1.2.3.4 - -` + stamp + ` "GET / HTTP/1.1" 200 1`, "", errTime},
		{`1.2.3.4 - - ` + stamp + `"GET / HTTP/1.1" 200 1`, "", errTime},
		{`www.example.org:80 1.2.3.4 - - ` + stamp + ` "GET / HTTP/1.1" 200 1`, "", errTime}, // a virtual host goes first
		{`1.2.3.4 - - [10/Oct/2000 13:55:36 -0700] "GET / HTTP/1.1" 200 1`, "", errStamp},
		{`1.2.3.4 - - [2000-10-10T13:55:36.123Z....] "GET / HTTP/1.1" 200 1`, "", errTime},
		{`1.2.3.4 - - [10/Oct/1969:13:55:36 -0700] "GET / HTTP/1.1" 200 1`, "", errOld},
		{`1.2.3.4 - - ` + stamp + ` GET / 200 1`, "", errRequest},
		{`1.2.3.4 - - ` + stamp + ` "GET / HTTP/1.1 200 1`, "", errRequest},
		{`1.2.3.4 - - ` + stamp + ` "GET /\" 200 1`, "", errRequest},
		{`1.2.3.4 - - ` + stamp + ` "GET / HTTP/1.1"`, "", errStatus},
		{`1.2.3.4 - - ` + stamp + ` "GET / HTTP/1.1" 200`, "", errStatus},
		{`1.2.3.4 - - ` + stamp + ` "GET / HTTP/1.1" 200 `, "", errStatus},
		{`1.2.3.4 - - ` + stamp + ` "GET / HTTP/1.1" 2000 1`, "", errStatus},
		{`1.2.3.4 - - ` + stamp + ` "GET / HTTP/1.1" 200 1x`, "", errStatus},
		{`1.2.3.4 - - ` + stamp + ` "GET / HTTP/1.1"200 1`, "", errStatus},
	} {
		got, err := parseLine([]byte(c.text), new(clock))
		if !errors.Is(err, c.err) || string(got.host) != c.host || c.err == nil && got.at != stamped {
			t.Errorf("%.100s\n\tread as %.40q at %d (%v), want %.40q (%v)", c.text, got.host, got.at, err, c.host, c.err)
		}
	}
}

func TestParseStamp(t *testing.T) {
	for _, c := range []struct {
		text string
		want string // as RFC 3339; empty if it is none
	}{
		{"10/Oct/2000:13:55:36 -0700", "2000-10-10T20:55:36Z"},
		{"17/May/2015:10:05:03 +0000", "2015-05-17T10:05:03Z"},
		{"17/May/2015:10:05:03 -0000", "2015-05-17T10:05:03Z"},
		{"01/Jan/2024:00:00:00 +0530", "2023-12-31T18:30:00Z"},
		{"31/Dec/2023:23:59:59 -0930", "2024-01-01T09:29:59Z"},
		{"29/Feb/2024:12:00:00 +0000", "2024-02-29T12:00:00Z"},
		{"29/Feb/2000:12:00:00 +0000", "2000-02-29T12:00:00Z"},
		{"31/Dec/2016:23:59:60 +0000", "2017-01-01T00:00:00Z"}, // a leap second
		{"01/Jan/1970:00:00:00 +0000", "1970-01-01T00:00:00Z"},
		{"31/Dec/9999:23:59:59 +0000", "9999-12-31T23:59:59Z"},
		{"01/Jan/1970:00:00:00 +0100", ""},
		{"29/Feb/2023:12:00:00 +0000", ""},
		{"29/Feb/2100:12:00:00 +0000", ""},
		{"31/Apr/2023:12:00:00 +0000", ""},
		{"00/Jan/2023:12:00:00 +0000", ""},
		{"32/Jan/2023:12:00:00 +0000", ""},
		{"01/jan/2023:12:00:00 +0000", ""},
		{"01/Foo/2023:12:00:00 +0000", ""},
		{"01/Jan/2023:24:00:00 +0000", ""},
		{"01/Jan/2023:12:60:00 +0000", ""},
		{"01/Jan/2023:12:00:61 +0000", ""},
		{"01/Jan/2023:12:00:00 +2400", ""},
		{"01/Jan/2023:12:00:00 +0060", ""},
		{"01/Jan/2023:12:00:00 00000", ""},
		{"01/Jan/2023:12:00:00  0000", ""},
		{"01/Jan/2023-12:00:00 +0000", ""},
		{" 1/Jan/2023:12:00:00 +0000", ""},
		{"-1/Jan/2023:12:00:00 +0000", ""},
		{"1/Jan/2023:12:00:00 +0000", ""},
		{"", ""},
	} {
		at, err := parseStamp([]byte(c.text))
		got := time.Unix(at, 0).UTC().Format(time.RFC3339)
		if err != nil {
			got = ""
		}
		if got != c.want {
			t.Errorf("%q: read as %q (%v), want %q", c.text, got, err, c.want)
		}
	}
}

// The remembered time is that of its own text.
func TestClockRemembers(t *testing.T) {
	var c clock
	for _, step := range []string{
		"17/May/2015:10:05:03 +0000", "17/May/2015:10:05:03 +0000", "17/May/2015:10:05:03 +0100",
		"bad", "17/May/2015:10:05:03 +0100", "17/May/2015:10:05:04 +0100", "17/May/2015:10:05:03 +0000",
	} {
		got, err := c.read([]byte(step))
		want, wantErr := parseStamp([]byte(step))
		if got != want || !errors.Is(err, wantErr) {
			t.Errorf("%s: %d (%v), want %d (%v)", step, got, err, want, wantErr)
		}
	}
}

func TestKeyOf(t *testing.T) {
	for host, want := range map[string]string{
		"1.2.3.4":              "1.2.3.4",
		"host.example.org":     "host.example.org",
		"2001:db8::1":          "2001:db8::1",
		"2001:DB8:0:0:0:0:0:1": "2001:db8::1",
		"fe80::1%eth0":         "fe80::1",
		"::ffff:1.2.3.4":       "1.2.3.4",
		"::ffff:102:304":       "1.2.3.4",
		"not:an:address":       "not:an:address",
	} {
		if got := keyOf(host); got != want {
			t.Errorf("%s: %s, want %s", host, got, want)
		}
	}
}

// What is read is what was written, whatever stands in the fields that
// strangers choose.
func FuzzParseLine(f *testing.F) {
	f.Add("1.2.3.4", "-", `GET /\" HTTP/1.1`, int64(971211336), int32(-7*60), []byte(`1.2.3.4 - - `+stamp+` "GET / HTTP/1.1" 200 1`))
	f.Add("::1", "john [smith]", "\\", int64(0), int32(0), []byte{})
	f.Fuzz(func(t *testing.T, host, user, target string, at int64, offset int32, raw []byte) {
		if l, err := parseLine(raw, new(clock)); err == nil && (len(l.host) == 0 || len(l.host) > weir.MaxKeyBytes || l.at < 0) {
			t.Fatalf("%q read as %q at %d", raw, l.host, l.at)
		}
		escape := strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`)
		if host, user = escape.Replace(host), escape.Replace(user); !isHost([]byte(host)) || user == "" || strings.Contains(user, `"`) {
			return
		}
		at, offset = (at%250_000_000_000+250_000_000_000)%250_000_000_000, offset%(24*60) // until the year 9892
		zone := time.FixedZone("", int(offset)*60)
		when := time.Unix(at, 0).In(zone)
		if when.Year() < 1970 {
			return
		}
		text := fmt.Sprintf("%s - %s [%s] \"%s\" 200 1", host, user, when.Format("02/Jan/2006:15:04:05 -0700"), escape.Replace(target))
		l, err := parseLine([]byte(text), new(clock))
		if err != nil || string(l.host) != host || l.at != at {
			t.Fatalf("%q read as %q at %d (%v), want %q at %d", text, l.host, l.at, err, host, at)
		}
	})
}
