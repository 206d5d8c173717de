package server

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/weirlimit/weir"
)

const (
	// soon is a timeout that a test waits for, and patience one that it does not.
	soon     = 50 * time.Millisecond
	patience = 30 * time.Second
)

// A connection is one on which a test writes what it wants.
type connection struct {
	net.Conn
	from *bufio.Reader
}

func dial(t *testing.T, addr string) *connection {
	t.Helper()
	c, err := new(net.Dialer).DialContext(t.Context(), "tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	if err := c.SetDeadline(time.Now().Add(patience)); err != nil {
		t.Fatal(err)
	}
	return &connection{c, bufio.NewReader(c)}
}

func (c *connection) write(t *testing.T, text string) {
	t.Helper()
	if _, err := io.WriteString(c, text); err != nil {
		t.Fatal(err)
	}
}

func (c *connection) read(t *testing.T) reply {
	t.Helper()
	w, err := http.ReadResponse(c.from, nil)
	if err != nil {
		t.Fatal(err)
	}
	_, err = io.Copy(io.Discard, w.Body)
	if err := errors.Join(err, w.Body.Close()); err != nil {
		t.Fatal(err)
	}
	return reply{w.StatusCode, w.Header}
}

// closes checks that the server sends nothing more and closes.
func (c *connection) closes(t *testing.T) {
	t.Helper()
	rest, err := io.ReadAll(c.from)
	if err != nil && errors.Is(err, os.ErrDeadlineExceeded) || len(rest) > 0 {
		t.Errorf("the connection stays open: read %q, %v", rest, err)
	}
}

func patient() Config {
	return Config{
		Policies:      []weir.Config{{Name: "default", Limits: []weir.Limit{weir.PerMinute(100)}}},
		HeaderTimeout: patience, ReadTimeout: patience, WriteTimeout: patience, IdleTimeout: patience, DrainTimeout: patience,
	}
}

const half = "POST /v1/take HTTP/1.1\r\nHost: weir\r\nContent-Length: 11\r\n\r\n{\"key\""

func TestSlowHeader(t *testing.T) {
	config := patient()
	config.HeaderTimeout = soon
	c := dial(t, start(t, config).addr)
	c.write(t, "POST /v1/take HTTP/1.1\r\nHost: we")
	c.closes(t)
}

func TestSlowBody(t *testing.T) {
	config := patient()
	config.HeaderTimeout, config.ReadTimeout = soon, soon
	s := start(t, config)
	c := dial(t, s.addr)
	c.write(t, half)
	want(t, c.read(t), http.StatusRequestTimeout, "application/problem+json")
	if used := s.used("a"); used != 1 {
		t.Errorf("%d units are used after a body that never came and one take", used)
	}
}

func TestIdleConnection(t *testing.T) {
	config := patient()
	config.IdleTimeout = soon
	c := dial(t, start(t, config).addr)
	c.write(t, half+":\"a\"}")
	want(t, c.read(t), http.StatusOK, "application/json")
	c.closes(t)
}

// A client that sends and never reads holds nothing for longer than a write
// may take.
func TestClientThatNeverReads(t *testing.T) {
	config := patient()
	config.WriteTimeout = soon
	c := dial(t, start(t, config).addr)
	takes := strings.Repeat("POST /v1/take HTTP/1.1\r\nHost: weir\r\nContent-Length: 11\r\n\r\n{\"key\":\"a\"}", 100)
	for range 10_000 {
		if _, err := io.WriteString(c, takes); err != nil {
			if errors.Is(err, os.ErrDeadlineExceeded) {
				t.Error("the connection stays open")
			}
			return
		}
	}
	t.Error("the server read on while nobody read its answers")
}

func TestHugeHeader(t *testing.T) {
	c := dial(t, start(t, patient()).addr)
	c.write(t, "POST /v1/take HTTP/1.1\r\nHost: weir\r\nX: "+strings.Repeat("x", maxHeaderBytes+8<<10))
	if w := c.read(t); w.status != http.StatusRequestHeaderFieldsTooLarge {
		t.Errorf("answered %d", w.status)
	}
}

// inFlight is a connection whose request the server has begun to read.
func inFlight(t *testing.T, s *service) *connection {
	t.Helper()
	c := dial(t, s.addr)
	c.write(t, "POST /v1/take HTTP/1.1\r\nHost: weir\r\nContent-Length: 11\r\nExpect: 100-continue\r\n\r\n")
	if w := c.read(t); w.status != http.StatusContinue {
		t.Fatalf("answered %d", w.status)
	}
	return c
}

func TestDrain(t *testing.T) {
	s := start(t, patient())
	c := inFlight(t, s)
	s.stop()
	for { // until nobody listens any more
		other, err := new(net.Dialer).DialContext(t.Context(), "tcp", s.addr)
		if err != nil {
			break
		}
		_ = other.Close()
	}
	c.write(t, `{"key":"a"}`)
	want(t, c.read(t), http.StatusOK, "application/json")
	if err := <-s.done; err != nil {
		t.Errorf("Serve: %v", err)
	}
}

func TestDrainIsBounded(t *testing.T) {
	config := patient()
	config.DrainTimeout = soon
	s := start(t, config)
	c := inFlight(t, s)
	s.stop()
	if err := <-s.done; !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("Serve: %v, want that a request was cut", err)
	}
	c.closes(t)
}
