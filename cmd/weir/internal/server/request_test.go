package server

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/weirlimit/weir"
)

func TestRefused(t *testing.T) {
	const bad, over, unknown = http.StatusBadRequest, http.StatusUnprocessableEntity, http.StatusNotFound
	long := strings.Repeat("k", weir.MaxKeyBytes+1)
	for _, c := range []struct {
		body   string
		status int
		detail string // a part of it
	}{
		{``, bad, `the body is empty`},
		{` `, bad, `not JSON`},
		{`{"key":"a"`, bad, `not JSON: byte 10`},
		{`{"key":"a"} x`, bad, `not JSON: byte 13: invalid character 'x'`},
		{`{"key":"a"}{"key":"a"}`, bad, `not JSON: byte 12`},
		{`{"key":"a",}`, bad, `not JSON`},
		{`{'key':'a'}`, bad, `not JSON`},
		{`{"key":"a" "cost":1}`, bad, `not JSON`},
		{`{"key":"a","cost":01}`, bad, `not JSON`},
		{`{"key":"a","cost":+1}`, bad, `not JSON`},
		{`{"key":"a","cost":NaN}`, bad, `not JSON`},
		{"{\"key\":\"a\nb\"}", bad, `not JSON`},
		{"\xef\xbb\xbf" + `{"key":"a"}`, bad, `not JSON`},
		{strings.Repeat("[", 60_000), bad, `exceeded max depth`},
		{`{"key":` + strings.Repeat(`{"a":`, 9_000) + "1" + strings.Repeat("}", 9_001), bad, `"key" is an object`},
		{`null`, bad, `must be an object`},
		{`[]`, bad, `must be an object`},
		{`"key"`, bad, `must be an object`},
		{`1`, bad, `must be an object`},
		{`{}`, bad, `"key" is missing`},
		{`{"cost":1}`, bad, `"key" is missing`},
		{`{"key":null}`, bad, `"key" is null: it must be a string`},
		{`{"key":1}`, bad, `"key" is 1: it must be a string`},
		{`{"key":true}`, bad, `"key" is true`},
		{`{"key":["a"]}`, bad, `"key" is an array`},
		{`{"key":""}`, bad, `"key" is empty: it must have 1 to 1024 bytes`},
		{`{"key":"` + long + `"}`, bad, `has 1025 bytes: it must have 1 to 1024`},
		{`{"key":"` + strings.Repeat("é", 513) + `"}`, bad, `has 1026 bytes`},
		{"{\"key\":\"\xff\"}", bad, `not valid UTF-8`},
		{"{\"key\":\"\xed\xa0\x80\"}", bad, `not valid UTF-8`},
		{`{"key":"\ud800"}`, bad, `\ud800 is half of a character`},
		{`{"key":"\uDC00"}`, bad, `\udc00 is half`},
		{`{"key":"\ud800\ud800"}`, bad, `\ud800 is half`},
		{`{"key":"\ud800x"}`, bad, `\ud800 is half`},
		{`{"key":"\ud800\n"}`, bad, `\ud800 is half`},
		{`{"key":"a","policy":"\\\ud800"}`, bad, `\ud800 is half`},
		{`{"key":"a","policy":null}`, bad, `"policy" is null`},
		{`{"key":"a","policy":1}`, bad, `"policy" is 1`},
		{`{"key":"a","policy":""}`, unknown, `policy "" is unknown: there is "default"`},
		{`{"key":"a","policy":"Default"}`, unknown, `policy "Default" is unknown`},
		{`{"key":"a","policy":"` + long + `"}`, unknown, `kkk"... is unknown`},
		{`{"key":"a","kee":"b"}`, bad, `field "kee" is unknown`},
		{`{"key":"a","Key":"b"}`, bad, `field "Key" is unknown`},
		{`{"key":"a","\u0007":"b"}`, bad, `field "\a" is unknown`},
		{`{"key":"a","` + long + `":1}`, bad, `kkk"... is unknown`},
		{`{"key":"a","key":"a"}`, bad, `field "key" is there twice`},
		{`{"key":"a","\u006bey":"a"}`, bad, `field "key" is there twice`},
		{`{"key":"a","cost":1,"cost":1}`, bad, `field "cost" is there twice`},
		{`{"key":"a","cost":0}`, bad, `"cost" is 0: it must be a whole number of at least 1`},
		{`{"key":"a","cost":-1}`, bad, `"cost" is -1`},
		{`{"key":"a","cost":-0}`, bad, `"cost" is -0`},
		{`{"key":"a","cost":0.5}`, bad, `"cost" is 0.5`},
		{`{"key":"a","cost":1.0}`, bad, `"cost" is 1.0`},
		{`{"key":"a","cost":1e2}`, bad, `"cost" is 1e2`},
		{`{"key":"a","cost":null}`, bad, `"cost" is null`},
		{`{"key":"a","cost":"1"}`, bad, `"cost" is the string "1"`},
		{`{"key":"a","cost":true}`, bad, `"cost" is true`},
		{`{"key":"a","cost":[1]}`, bad, `"cost" is an array`},
		{`{"key":"a","cost":{}}`, bad, `"cost" is an object`},
		{`{"key":"a","cost":9223372036854775808}`, bad, `"cost" is 9223372036854775808: it must be at most 4503599627370496`},
		{`{"key":"a","cost":-9223372036854775809}`, bad, `at least 1`},
		{`{"key":"a","cost":1` + strings.Repeat("0", 5000) + `}`, bad, `000...: it must be at most`},
		{`{"key":"a","cost":101}`, over, `cost 101 is above what policy "default" (100/1m) could ever admit`},
		{`{"key":"a","cost":9223372036854775807}`, over, `cost 9223372036854775807 is above`},
	} {
		s := limited(t, weir.PerMinute(100))
		w, text := s.take(c.body)
		want(t, w, c.status, "application/problem+json")
		var p problem
		strict := json.NewDecoder(strings.NewReader(text))
		strict.DisallowUnknownFields()
		if err := strict.Decode(&p); err != nil {
			t.Errorf("%.80s: %v", c.body, err)
		}
		if p.Type != "about:blank" || p.Title != http.StatusText(c.status) || p.Status != c.status || !strings.Contains(p.Detail, c.detail) {
			t.Errorf("%.80s: %+v, want a detail with %s", c.body, p, c.detail)
		}
		if len(text) > 500 {
			t.Errorf("%.80s: the answer has %d bytes", c.body, len(text))
		}
		if used := s.used("a"); used != 1 {
			t.Errorf("%.80s: %d units are used after it and one take", c.body, used)
		}
	}
}

func TestAccepted(t *testing.T) {
	for _, c := range []struct {
		body string
		want request
	}{
		{`{"key":"a"}`, request{key: "a", cost: 1}},
		{" {\n\t\"cost\" : 7 , \"key\" : \"a\" }\r\n", request{key: "a", cost: 7}},
		{`{"policy":"default","key":"a"}`, request{policy: "default", named: true, key: "a", cost: 1}},
		{`{"k\u0065y":"\ud83d\ude00\u0000\\ud800\"\ufffd"}`, request{key: "😀\x00\\ud800\"\ufffd", cost: 1}},
		{`{"key":"` + strings.Repeat("k", weir.MaxKeyBytes) + `"}`, request{key: strings.Repeat("k", weir.MaxKeyBytes), cost: 1}},
		{`{"key":"a","cost":9223372036854775807}`, request{key: "a", cost: 1<<63 - 1}},
	} {
		got, refused := parseRequest([]byte(c.body))
		if refused != nil || got != c.want {
			t.Errorf("%.80s: %+v (%v), want %+v", c.body, got, refused, c.want)
		}
	}
}

// Keys that differ as text are different keys, and are told as they came.
func TestKeysStayWhatTheyAre(t *testing.T) {
	s := limited(t, weir.PerMinute(1))
	for _, key := range []string{"a", "A", "a ", "é", "e\u0301", "<&>", "\u2028", "\ufffd", "a\x00", "😀", `"`, `\`} {
		quoted, err := json.Marshal(key)
		if err != nil {
			t.Fatal(err)
		}
		w, text := s.take(fmt.Sprintf(`{"key":%s}`, quoted))
		var d decision
		if err := json.Unmarshal([]byte(text), &d); err != nil {
			t.Fatal(err)
		}
		if w.status != http.StatusOK || d.Limits[0].Key != key {
			t.Errorf("key %q: answered %d for key %q", key, w.status, d.Limits[0].Key)
		}
		if key == "<&>" && !strings.Contains(text, `"key":"<&>"`) {
			t.Errorf("key %q is escaped as if for HTML: %s", key, text)
		}
	}
}

func TestBodySize(t *testing.T) {
	body := func(size int) string {
		const object = `{"key":"a"}`
		return object + strings.Repeat(" ", size-len(object))
	}
	for _, c := range []struct {
		size   int
		status int
	}{
		{maxBodyBytes, http.StatusOK},
		{maxBodyBytes + 1, http.StatusRequestEntityTooLarge},
		{10 * maxBodyBytes, http.StatusRequestEntityTooLarge},
	} {
		for _, chunked := range []bool{false, true} {
			s := limited(t, weir.PerMinute(100))
			var from io.Reader = strings.NewReader(body(c.size))
			if chunked {
				from = io.MultiReader(from) // hides its length
			}
			r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.url+path, from)
			if err != nil {
				t.Fatal(err)
			}
			r.Header.Set("Content-Type", "text/plain; charset=utf-16") // is not looked at
			r.Header.Set("Expect", "100-continue")
			w, err := (&http.Client{Transport: &http.Transport{ExpectContinueTimeout: patience, DisableKeepAlives: true}}).Do(r)
			if err != nil {
				t.Fatal(err)
			}
			_ = w.Body.Close()
			if w.StatusCode != c.status {
				t.Errorf("%d bytes, chunked %v: answered %d, want %d", c.size, chunked, w.StatusCode, c.status)
			}
			if used := s.used("a"); c.status != http.StatusOK && used != 1 {
				t.Errorf("%d bytes, chunked %v: %d units are used after it and one take", c.size, chunked, used)
			}
		}
	}
}

// What is accepted is what encoding/json reads too, and every text that it
// would have replaced is refused.
func FuzzParseRequest(f *testing.F) {
	for _, seed := range []string{
		`{"policy":"default","key":"user:42","cost":1}`, `{"key":"\ud83d\ude00"}`, `{"key":"\\\ud800"}`,
		`{"key":"a","cost":9223372036854775807}`, `{"key":"a","cost":-1e400}`, "{\"key\":\"\xff\"}", `{"key":"\ufffd"}`, `[[[`, `{"":0}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		got, refused := parseRequest(body)
		if refused != nil {
			if refused.Status != http.StatusBadRequest || len(refused.Detail) > 400 || !utf8.ValidString(refused.Detail) {
				t.Fatalf("refused with %+v", refused)
			}
			return
		}
		var oracle struct {
			Policy *string `json:"policy"`
			Key    string  `json:"key"`
			Cost   *int64  `json:"cost"`
		}
		strict := json.NewDecoder(bytes.NewReader(body))
		strict.DisallowUnknownFields()
		if err := strict.Decode(&oracle); err != nil {
			t.Fatalf("accepted what encoding/json does not: %v", err)
		}
		again := request{key: oracle.Key, cost: 1}
		if oracle.Policy != nil {
			again.policy, again.named = *oracle.Policy, true
		}
		if oracle.Cost != nil {
			again.cost = *oracle.Cost
		}
		if got != again || got.cost < 1 || got.key == "" || len(got.key) > weir.MaxKeyBytes {
			t.Fatalf("read %+v, encoding/json %+v", got, again)
		}
		written := strings.Count(strings.ToLower(string(body)), `\ufffd`) + bytes.Count(body, []byte("\ufffd"))
		if read := strings.Count(got.key+got.policy, "\ufffd"); read > written {
			t.Fatalf("%d characters were replaced", read-written)
		}
	})
}
