package server

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/weirlimit/weir"
	"github.com/weirlimit/weir/memory"
)

// A service is a server on a port of its own and a clock that the test moves.
type service struct {
	t     *testing.T
	url   string
	addr  string
	clock atomic.Int64 // Unix microseconds
	stop  context.CancelFunc
	done  chan error // what Serve returned
}

const (
	noon = 1_800_000_000_000_000
	path = "/v1/take"
)

// start serves policies, each on the service's store unless it has one.
func start(t *testing.T, config Config) *service {
	t.Helper()
	s := &service{t: t, done: make(chan error, 1)}
	s.clock.Store(noon)
	store := memory.New(memory.Config{Clock: func() time.Time { return time.UnixMicro(s.clock.Load()) }})
	for i := range config.Policies {
		if config.Policies[i].Store == nil {
			config.Policies[i].Store = store
		}
	}
	server, err := New(config)
	if err != nil {
		t.Fatal(err)
	}
	listener, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s.addr = listener.Addr().String()
	s.url = "http://" + s.addr
	ctx, stop := context.WithCancel(context.Background())
	s.stop = stop
	go func() {
		s.done <- server.Serve(ctx, listener)
		close(s.done)
	}()
	t.Cleanup(func() {
		stop()
		for range s.done {
		}
	})
	return s
}

// limited serves one policy with the limits.
func limited(t *testing.T, limits ...weir.Limit) *service {
	t.Helper()
	return start(t, Config{Policies: []weir.Config{{Name: "default", Limits: limits}}})
}

// A reply is what was answered, but for its body.
type reply struct {
	status int
	header http.Header
}

// send sends one request and reads the answer.
func (s *service) send(method, path, body string) (reply, string) {
	s.t.Helper()
	r, err := http.NewRequestWithContext(s.t.Context(), method, s.url+path, strings.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	w, err := http.DefaultClient.Do(r)
	if err != nil {
		s.t.Fatal(err)
	}
	text, err := io.ReadAll(w.Body)
	if err := errors.Join(err, w.Body.Close()); err != nil {
		s.t.Fatal(err)
	}
	return reply{w.StatusCode, w.Header}, string(text)
}

func (s *service) take(body string) (reply, string) {
	s.t.Helper()
	return s.send(http.MethodPost, path, body)
}

// used takes one unit of a key and says how many are used then.
func (s *service) used(key string) int64 {
	s.t.Helper()
	w, text := s.take(`{"key":"` + key + `"}`)
	var d decision
	if err := json.Unmarshal([]byte(text), &d); err != nil || w.status != http.StatusOK {
		s.t.Fatalf("take answered %d %s (%v)", w.status, text, err)
	}
	return d.Limits[0].Used
}

// want checks a status and the header fields that every answer has.
func want(t *testing.T, w reply, status int, contentType string) {
	t.Helper()
	if w.status != status || w.header.Get("Content-Type") != contentType || w.header.Get("Cache-Control") != "no-store" {
		t.Errorf("answered %d %v, want %d %s, not to be stored", w.status, w.header, status, contentType)
	}
}

func wantText(t *testing.T, got, want string) {
	t.Helper()
	if got != want {
		t.Errorf("body is\n%swant\n%s", got, want)
	}
}

func TestTakeAnswers(t *testing.T) {
	s := limited(t, weir.PerMinute(2))
	w, text := s.take(`{"policy":"default","key":"user:42","cost":1}`)
	want(t, w, http.StatusOK, "application/json")
	wantText(t, text, `{"allowed":true,"denied_by":null,"retry_after_ms":0,"source":"store","limits":[{"policy":"default","key":"user:42","limit":"2/1m","quota":2,"window_ms":60000,"used":1,"remaining":1,"retry_after_ms":0,"next_after_ms":0,"reset_after_ms":60000}]}`+"\n")

	s.clock.Add(10_000_000)
	w, text = s.take(`{"key":"user:42"}`)
	want(t, w, http.StatusOK, "application/json")
	wantText(t, text, `{"allowed":true,"denied_by":null,"retry_after_ms":0,"source":"store","limits":[{"policy":"default","key":"user:42","limit":"2/1m","quota":2,"window_ms":60000,"used":2,"remaining":0,"retry_after_ms":0,"next_after_ms":50000,"reset_after_ms":60000}]}`+"\n")

	s.clock.Add(1) // a microsecond
	w, text = s.take(`{"key":"user:42","cost":2}`)
	want(t, w, http.StatusTooManyRequests, "application/json")
	wantText(t, text, `{"allowed":false,"denied_by":{"policy":"default","key":"user:42","limit":"2/1m"},"retry_after_ms":60000,"source":"store","limits":[{"policy":"default","key":"user:42","limit":"2/1m","quota":2,"window_ms":60000,"used":2,"remaining":0,"retry_after_ms":60000,"next_after_ms":50000,"reset_after_ms":60000}]}`+"\n")
	if got := w.header.Get("Retry-After"); got != "60" {
		t.Errorf("Retry-After is %q, want 59.999999 s rounded up", got)
	}
}

func TestSeveralLimits(t *testing.T) {
	s := limited(t, weir.PerSecond(1), weir.PerHour(2))
	s.take(`{"key":"a"}`)
	w, text := s.take(`{"key":"a"}`)
	want(t, w, http.StatusTooManyRequests, "application/json")
	// An hour's log has steps of 2 microseconds: its times are rounded up.
	wantText(t, text, `{"allowed":false,"denied_by":{"policy":"default","key":"a","limit":"1/1s"},"retry_after_ms":1000,"source":"store","limits":[`+
		`{"policy":"default","key":"a","limit":"1/1s","quota":1,"window_ms":1000,"used":1,"remaining":0,"retry_after_ms":1000,"next_after_ms":1000,"reset_after_ms":1000},`+
		`{"policy":"default","key":"a","limit":"2/1h","quota":2,"window_ms":3600000,"used":1,"remaining":1,"retry_after_ms":0,"next_after_ms":0,"reset_after_ms":3600000}]}`+"\n")
}

// What a denial says to wait is enough, in either unit.
func TestWhoWaitsIsAdmitted(t *testing.T) {
	for _, window := range []time.Duration{time.Minute, 1001 * time.Microsecond, 7777 * time.Microsecond, 1234567 * time.Microsecond} {
		for _, wait := range []string{"retry_after_ms", "Retry-After"} {
			s := limited(t, weir.Per(1, window))
			s.used("a")
			s.clock.Add(1)
			w, text := s.take(`{"key":"a"}`)
			var d decision
			if err := json.Unmarshal([]byte(text), &d); err != nil || w.status != http.StatusTooManyRequests {
				t.Fatalf("answered %d %s (%v)", w.status, text, err)
			}
			left := window - time.Microsecond
			if over := time.Duration(d.RetryAfterMS)*time.Millisecond - left; over < 0 || over >= time.Millisecond {
				t.Errorf("retry_after_ms is %d with %v left", d.RetryAfterMS, left)
			}
			if wait == "retry_after_ms" {
				s.clock.Add(1000 * d.RetryAfterMS)
			} else {
				after, err := time.ParseDuration(w.header.Get("Retry-After") + "s")
				if over := after - left; err != nil || over < 0 || over >= time.Second {
					t.Errorf("Retry-After is %q with %v left", w.header.Get("Retry-After"), left)
				}
				s.clock.Add(after.Microseconds())
			}
			s.used("a") // fails if it is denied
		}
	}
}

func TestBlocked(t *testing.T) {
	s := limited(t, weir.PerMinute(0))
	for _, body := range []string{`{"key":"a"}`, `{"key":"a","cost":9223372036854775807}`} {
		w, text := s.take(body)
		want(t, w, http.StatusTooManyRequests, "application/json")
		wantText(t, text, `{"allowed":false,"denied_by":{"policy":"default","key":"a","limit":"0/1m"},"retry_after_ms":-1,"source":"store","limits":[{"policy":"default","key":"a","limit":"0/1m","quota":0,"window_ms":60000,"used":0,"remaining":0,"retry_after_ms":-1,"next_after_ms":-1,"reset_after_ms":0}]}`+"\n")
		if after := w.header.Values("Retry-After"); len(after) != 0 {
			t.Errorf("Retry-After is %q though no wait helps", after)
		}
	}
}

func TestSeveralPolicies(t *testing.T) {
	s := start(t, Config{Policies: []weir.Config{
		{Name: "tight", Limits: []weir.Limit{weir.PerMinute(1)}},
		{Name: "loose", Limits: []weir.Limit{weir.PerMinute(2)}},
	}})
	for _, step := range []struct {
		body   string
		status int
		text   string
	}{
		{`{"policy":"tight","key":"a"}`, http.StatusOK, `"limit":"1/1m"`},
		{`{"policy":"tight","key":"a"}`, http.StatusTooManyRequests, `"limit":"1/1m"`},
		{`{"policy":"loose","key":"a"}`, http.StatusOK, `"limit":"2/1m"`},
		{`{"key":"a"}`, http.StatusBadRequest, `\"policy\" is missing: there are \"loose\", \"tight\"`},
		{`{"policy":"other","key":"a"}`, http.StatusNotFound, `\"other\" is unknown: there is \"loose\", \"tight\"`},
	} {
		w, text := s.take(step.body)
		if w.status != step.status || !strings.Contains(text, step.text) {
			t.Errorf("%s answered %d %s, want %d %s", step.body, w.status, text, step.status, step.text)
		}
	}
}

// sickStore fails.
type sickStore struct{}

var errAway = errors.New("the store is away")

func (*sickStore) Register(*weir.Policy) error { return nil }

func (*sickStore) Do(context.Context, weir.Verb, weir.Item) (weir.Answer, error) {
	return weir.Answer{}, errAway
}

func (*sickStore) DoAll(context.Context, weir.Verb, []weir.Item) ([]weir.Answer, error) {
	return nil, errAway
}

func (*sickStore) Settle(context.Context, weir.Item, *weir.Answer) error { return errAway }

func TestStoreFailure(t *testing.T) {
	s := start(t, Config{Policies: []weir.Config{
		{Name: "deny", Limits: []weir.Limit{weir.PerMinute(1)}, Store: new(sickStore)},
		{Name: "allow", Limits: []weir.Limit{weir.PerMinute(1)}, Store: new(sickStore), OnError: weir.Allow},
	}})
	w, text := s.take(`{"policy":"deny","key":"a"}`)
	want(t, w, http.StatusTooManyRequests, "application/json")
	wantText(t, text, `{"allowed":false,"denied_by":null,"retry_after_ms":1000,"source":"on_error","limits":[]}`+"\n")
	if got := w.header.Get("Retry-After"); got != "1" {
		t.Errorf("Retry-After is %q, want 1", got)
	}
	w, text = s.take(`{"policy":"allow","key":"a"}`)
	want(t, w, http.StatusOK, "application/json")
	wantText(t, text, `{"allowed":true,"denied_by":null,"retry_after_ms":0,"source":"on_error","limits":[]}`+"\n")
}

func TestManyTakers(t *testing.T) {
	const takers, quota = 200, 50
	s := limited(t, weir.PerMinute(quota))
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: takers}}
	defer client.CloseIdleConnections()
	var allowed, denied atomic.Int64
	var group sync.WaitGroup
	for range takers {
		group.Go(func() {
			w, err := client.Post(s.url+path, "", strings.NewReader(`{"key":"a"}`)) //nolint:noctx // The test ends it.
			if err != nil {
				t.Error(err)
				return
			}
			_ = w.Body.Close()
			switch w.StatusCode {
			case http.StatusOK:
				allowed.Add(1)
			case http.StatusTooManyRequests:
				denied.Add(1)
			}
		})
	}
	group.Wait()
	if allowed.Load() != quota || denied.Load() != takers-quota {
		t.Errorf("%d were allowed and %d denied of %d, want %d allowed", allowed.Load(), denied.Load(), takers, quota)
	}
}

func TestNewRefuses(t *testing.T) {
	limits := []weir.Limit{weir.PerMinute(1)}
	one, other := memory.New(memory.Config{}), memory.New(memory.Config{})
	for name, policies := range map[string][]weir.Config{
		"no policy":            nil,
		"no limits":            {{Name: "a", Store: one}},
		"twice on one store":   {{Name: "a", Store: one, Limits: limits}, {Name: "a", Store: one, Limits: limits}},
		"twice on two stores":  {{Name: "b", Store: one, Limits: limits}, {Name: "b", Store: other, Limits: limits}},
		"no name":              {{Store: one, Limits: limits}},
		"a second that is bad": {{Name: "c", Store: one, Limits: limits}, {Name: "d", Store: one}},
	} {
		if _, err := New(Config{Policies: policies}); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func TestOtherPathsAndMethods(t *testing.T) {
	s := limited(t, weir.PerMinute(1))
	for _, path := range []string{"/", "/v1", "/v1/take/", "/v1/Take", "//v1/take", "/v1/take%2f", "/" + strings.Repeat("x", 5000)} {
		w, text := s.send(http.MethodPost, path, `{"key":"a"}`)
		want(t, w, http.StatusNotFound, "application/problem+json")
		if len(text) > 300 {
			t.Errorf("the answer repeats all of a long path: %d bytes", len(text))
		}
	}
	for _, method := range []string{"GET", "HEAD", "PUT", "DELETE", "OPTIONS", "PATCH", "post", "BREW"} {
		w, _ := s.send(method, path, `{"key":"a"}`)
		want(t, w, http.StatusMethodNotAllowed, "application/problem+json")
		if allow := w.header.Values("Allow"); !slices.Equal(allow, []string{"POST"}) {
			t.Errorf("%s: Allow is %q", method, allow)
		}
	}
	if used := s.used("a"); used != 1 {
		t.Errorf("%d units are used after refusals and one take", used)
	}
}
