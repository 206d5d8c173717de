package replay

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/weirlimit/weir"
)

func replayed(t *testing.T, l *Log, limits ...weir.Limit) *Result {
	t.Helper()
	r, err := Run(l, limits)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// naive is how many requests of each key are denied, by a slice a key of the
// times of what was admitted, and a look at all of it for every request.
// inWindow says whether what was admitted at one time counts at another.
func naive(l *Log, limits []weir.Limit, inWindow func(then, now int64, l weir.Limit) bool) []int {
	admitted, denied := make([][]int64, len(l.keys)), make([]int, len(l.keys))
	for _, q := range l.requests {
		allowed := true
		for _, limit := range limits {
			used := int64(0)
			for _, then := range admitted[q.key] {
				if inWindow(then, q.at, limit) {
					used++
				}
			}
			allowed = allowed && used < limit.Quota
		}
		if allowed {
			admitted[q.key] = append(admitted[q.key], q.at)
		} else {
			denied[q.key]++
		}
	}
	return denied
}

func sliding(then, now int64, l weir.Limit) bool {
	return time.Duration(now-then)*time.Second < l.Window
}

func fixed(then, now int64, l weir.Limit) bool {
	return time.Duration(then)*time.Second/l.Window == time.Duration(now)*time.Second/l.Window
}

func checkAgainstNaive(t *testing.T, name string, l *Log, limits []weir.Limit) {
	t.Helper()
	r := replayed(t, l, limits...)
	for _, c := range []struct {
		algorithm string
		got       Denied
		want      []int
	}{
		{"log", r.Log, naive(l, limits, sliding)},
		{"fixed", r.Fixed, naive(l, limits, fixed)},
	} {
		requests, keys := 0, 0
		for _, n := range c.want {
			requests += n
			keys += min(n, 1)
		}
		if c.got.Requests != requests || c.got.Keys != keys || !slices.Equal(c.got.each, c.want) {
			t.Errorf("%s, %v, %s: %d requests of %d keys denied, naively %d of %d",
				name, limits, c.algorithm, c.got.Requests, c.got.Keys, requests, keys)
		}
	}
	if r.Counter.Requests > r.Requests || r.Counter.Keys > r.Keys {
		t.Errorf("%s, %v: the counter denies %d of %d requests", name, limits, r.Counter.Requests, r.Requests)
	}
}

var manyLimits = [][]weir.Limit{
	{weir.PerMinute(20)},
	{weir.Per(10, 10*time.Second)},
	{weir.PerHour(100)},
	{weir.PerSecond(1)},
	{weir.Per(5, 1500*time.Millisecond)},
	{weir.PerSecond(2), weir.PerMinute(15), weir.PerHour(60)},
	{weir.PerMinute(0)},
	{weir.PerDay(1)},
}

// generated is a log of some keys of very different rates, out of order.
func generated(seed uint64) string {
	random := rand.New(rand.NewPCG(seed, 0))
	var b strings.Builder
	at := int64(1_700_000_000)
	for range 4000 {
		at += int64(random.IntN(4))
		if random.IntN(200) == 0 {
			at += int64(random.IntN(7200))
		}
		key := int(random.ExpFloat64() * 3)
		b.WriteString(logLine(fmt.Sprintf("10.0.0.%d", key), at+int64(random.IntN(60))))
	}
	return b.String()
}

func TestAgainstNaive(t *testing.T) {
	for seed := range uint64(4) {
		l := read(t, generated(seed))
		for _, limits := range manyLimits {
			checkAgainstNaive(t, fmt.Sprint("seed ", seed), l, limits)
		}
	}
}

// The same on a real log, where there is one beside the repository.
func TestRealLogAgainstNaive(t *testing.T) {
	name := filepath.FromSlash("../../../../../shared/data/apache_access.log")
	if _, err := os.Stat(name); err != nil {
		t.Skip("there is no real log: ", err)
	}
	l, err := ReadFile(name, nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(l.requests) != 10_000 || l.skipped != 0 {
		t.Errorf("%d requests, %d skipped", len(l.requests), l.skipped)
	}
	for _, limits := range manyLimits {
		checkAgainstNaive(t, "real log", l, limits)
	}
}

// Each algorithm by hand: 3/10s, and bursts of 3 around a boundary.
func TestRunByHand(t *testing.T) {
	var b strings.Builder
	for _, at := range []int64{1009, 1009, 1009, 1010, 1010, 1010, 1019} {
		b.WriteString(logLine("a", at))
	}
	b.WriteString(logLine("b", 1009))
	r := replayed(t, read(t, b.String()), weir.Per(3, 10*time.Second))
	if r.Log.Requests != 3 || r.Log.Keys != 1 { // 1019 is a window after 1009
		t.Errorf("the log denies %d requests of %d keys", r.Log.Requests, r.Log.Keys)
	}
	if r.Fixed.Requests != 1 || r.Fixed.Keys != 1 { // the fourth from 1010 on
		t.Errorf("the fixed window denies %d requests of %d keys", r.Fixed.Requests, r.Fixed.Keys)
	}
	if r.Counter.Keys != 1 {
		t.Errorf("the counter denies %d keys", r.Counter.Keys)
	}
	if got := r.Last.Sub(r.First); got != 10*time.Second || r.Requests != 8 || r.Keys != 2 {
		t.Errorf("%d requests of %d keys in %v", r.Requests, r.Keys, got)
	}
}

// Nothing overflows and nothing is merged, or Run would fail: with many keys
// of as many limits as there may be, and with one key that does it all.
func TestRoomForAll(t *testing.T) {
	const at = 1_700_000_000
	many, heavy := &Log{}, &Log{keys: []string{"a"}}
	for i := range 10_000 {
		many.keys = append(many.keys, strconv.Itoa(i))
		many.requests = append(many.requests, request{at, uint32(i)})
	}
	for i := range int64(50_000) {
		heavy.requests = append(heavy.requests, request{at + i, 0})
	}
	var limits []weir.Limit
	for i := range weir.MaxLimits {
		limits = append(limits, weir.Per(1, time.Duration(i+1)*time.Hour))
	}
	if r := replayed(t, many, limits...); r.Log.Requests+r.Counter.Requests+r.Fixed.Requests != 0 {
		t.Errorf("denied %d, %d and %d of keys that come once", r.Log.Requests, r.Counter.Requests, r.Fixed.Requests)
	}
	if r := replayed(t, heavy, weir.PerDay(40_000), weir.Per(45_000, 366*24*time.Hour)); r.Log.Requests != 10_000 {
		t.Errorf("the log denied %d of 50,000 with 40,000 allowed", r.Log.Requests)
	}
	// As many keys as a store has by default are not the ceiling.
	huge := &Log{keys: make([]string, 1_100_000)}
	if b := huge.bounds(); b.MaxKeys <= len(huge.keys) {
		t.Errorf("%d keys: room for %d", len(huge.keys), b.MaxKeys)
	}
}

func TestReports(t *testing.T) {
	var text strings.Builder
	text.WriteString("nonsense\n")
	for i := range 13 {
		for range i + 1 {
			text.WriteString(logLine(fmt.Sprintf("192.0.2.%d", i), 1_700_000_000))
		}
	}
	text.WriteString(logLine("last", 1_700_086_400))
	for _, c := range []struct {
		log    string
		limits []weir.Limit
		text   string
		json   string
	}{
		{
			text.String(),
			[]weir.Limit{weir.PerMinute(2), weir.PerHour(100)},
			`92 requests of 14 keys, 1 lines skipped
2023-11-14 22:13:20 to 2023-11-15 22:13:20 UTC (24h0m0s)

With 2/1m and 100/1h for each key, these would have been denied:

                             requests                keys
  sliding log              66  71.74%          11  78.57%
  sliding counter          66  71.74%          11  78.57%
  fixed window             66  71.74%          11  78.57%

Most denied by the sliding log:

      denied    requests  key
          11          13  192.0.2.12
          10          12  192.0.2.11
           9          11  192.0.2.10
           8          10  192.0.2.9
           7           9  192.0.2.8
           6           8  192.0.2.7
           5           7  192.0.2.6
           4           6  192.0.2.5
           3           5  192.0.2.4
           2           4  192.0.2.3
`,
			`{"requests":92,"skipped":1,"keys":14,"algorithms":{"log":{"denied_requests":66,"denied_keys":11},"counter":{"denied_requests":66,"denied_keys":11},"fixed":{"denied_requests":66,"denied_keys":11}},"seconds":86400}`,
		},
		{
			"",
			[]weir.Limit{weir.PerMinute(2)},
			`0 requests of 0 keys, 0 lines skipped

With 2/1m for each key, these would have been denied:

                             requests                keys
  sliding log               0       -           0       -
  sliding counter           0       -           0       -
  fixed window              0       -           0       -
`,
			`{"requests":0,"skipped":0,"keys":0,"algorithms":{"log":{"denied_requests":0,"denied_keys":0},"counter":{"denied_requests":0,"denied_keys":0},"fixed":{"denied_requests":0,"denied_keys":0}},"seconds":0}`,
		},
	} {
		r := replayed(t, read(t, c.log), c.limits...)
		var b bytes.Buffer
		if err := r.WriteText(&b); err != nil {
			t.Fatal(err)
		}
		if b.String() != c.text {
			t.Errorf("wrote\n%swant\n%s", b.String(), c.text)
		}
		b.Reset()
		if err := r.WriteJSON(&b); err != nil {
			t.Fatal(err)
		}
		if b.String() != c.json+"\n" {
			t.Errorf("wrote\n%swant\n%s", b.String(), c.json)
		}
	}
}

func TestReportFitsATerminal(t *testing.T) {
	long := strings.Repeat("h", weir.MaxKeyBytes)
	var b bytes.Buffer
	r := replayed(t, read(t, logLine(long, 1)+logLine(long, 1)), weir.PerMinute(1))
	if err := r.WriteText(&b); err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(b.String()) {
		if len(line) > 81 {
			t.Errorf("a line of %d columns: %s", len(line)-1, line)
		}
	}
}

func TestCheck(t *testing.T) {
	for _, limits := range [][]weir.Limit{
		nil, {weir.PerMinute(1), weir.PerMinute(2)}, {{Quota: 1, Window: time.Second, Burst: 2}}, {weir.Per(-1, time.Second)},
	} {
		if Check(limits) == nil {
			t.Errorf("%v: no error", limits)
		}
		if _, err := Run(new(Log), limits); err == nil {
			t.Errorf("%v: replayed", limits)
		}
	}
}

func BenchmarkReplay(b *testing.B) {
	text := []byte(generated(1))
	for b.Loop() {
		l, err := Read("log", bytes.NewReader(text))
		if err != nil {
			b.Fatal(err)
		}
		if _, err := Run(l, manyLimits[0]); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(bytes.Count(text, []byte{'\n'})*b.N)/b.Elapsed().Seconds(), "lines/s")
}
