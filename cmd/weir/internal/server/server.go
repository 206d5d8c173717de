// Package server is Weir's HTTP door: JSON in, a decision out.
package server

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"time"

	"github.com/weirlimit/weir"
)

// maxHeaderBytes is of a request's line and headers. net/http adds 4 KiB.
const maxHeaderBytes = 16 << 10

// A Config is what a server serves. The timeouts' zero values are in
// parentheses.
type Config struct {
	// Policies are what a request may name; their names differ.
	Policies []weir.Config
	// Log is told what an operator should know. Nil is silence.
	Log *slog.Logger

	HeaderTimeout time.Duration // to read a request's headers (5s)
	ReadTimeout   time.Duration // to read the headers and the body (10s)
	WriteTimeout  time.Duration // from the headers to the answer's last byte (15s, so that a body too slow gets an answer)
	IdleTimeout   time.Duration // between two requests on a connection (90s)
	DrainTimeout  time.Duration // for the requests in flight when asked to stop (10s)
}

// A Server answers takes. Make it with [New].
type Server struct {
	config   Config
	policies map[string]*policy
	only     *policy // which a request need not name, if there is one
}

// policy is one that a request may name.
type policy struct {
	limiter *weir.Limiter
	limits  []weir.Limit
}

// New makes a server, and the limiters of its policies.
func New(c Config) (*Server, error) {
	if len(c.Policies) == 0 {
		return nil, errors.New("server: there is no policy to serve")
	}
	c.HeaderTimeout = cmp.Or(c.HeaderTimeout, 5*time.Second)
	c.ReadTimeout = cmp.Or(c.ReadTimeout, 10*time.Second)
	c.WriteTimeout = cmp.Or(c.WriteTimeout, 15*time.Second)
	c.IdleTimeout = cmp.Or(c.IdleTimeout, 90*time.Second)
	c.DrainTimeout = cmp.Or(c.DrainTimeout, 10*time.Second)
	c.Log = cmp.Or(c.Log, slog.New(slog.DiscardHandler))
	s := &Server{config: c, policies: make(map[string]*policy)}
	for _, p := range c.Policies {
		limiter, err := weir.New(p)
		if err != nil {
			return nil, err
		}
		if s.policies[p.Name] != nil { // on another store
			return nil, fmt.Errorf("server: policy %q is there twice", p.Name)
		}
		s.only = &policy{limiter, p.Limits}
		s.policies[p.Name] = s.only
	}
	if len(c.Policies) > 1 {
		s.only = nil
	}
	return s, nil
}

// Serve answers on a listener, which it closes, until ctx ends. Then it takes
// no new connections and waits for the requests in flight, for DrainTimeout at
// most: those that are still open then are cut, and that is an error.
func (s *Server) Serve(ctx context.Context, listener net.Listener) error {
	h := &http.Server{
		Handler:           s,
		ReadHeaderTimeout: s.config.HeaderTimeout,
		ReadTimeout:       s.config.ReadTimeout,
		WriteTimeout:      s.config.WriteTimeout,
		IdleTimeout:       s.config.IdleTimeout,
		MaxHeaderBytes:    maxHeaderBytes,
		ErrorLog:          slog.NewLogLogger(s.config.Log.Handler(), slog.LevelWarn),

		DisableGeneralOptionsHandler: true,
	}
	failed := make(chan error, 1)
	go func() { failed <- h.Serve(listener) }()
	select {
	case err := <-failed:
		return err
	case <-ctx.Done():
	}
	s.config.Log.Info("draining: no new connections, waiting for requests in flight", "at_most", s.config.DrainTimeout)
	drain, cancel := context.WithTimeout(context.WithoutCancel(ctx), s.config.DrainTimeout)
	defer cancel()
	if err := h.Shutdown(drain); err != nil {
		_ = h.Close() // the connections' errors are the clients' affair
		return fmt.Errorf("requests still in flight after %v were cut: %w", s.config.DrainTimeout, err)
	}
	s.config.Log.Info("drained")
	return nil
}

// ServeHTTP answers one request.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Cache-Control", "no-store")
	switch {
	case r.URL.Path != "/v1/take":
		write(w, problemf(http.StatusNotFound, "path %s is unknown: takes are at /v1/take", quote(r.URL.Path)))
	case r.Method != http.MethodPost:
		w.Header().Set("Allow", http.MethodPost)
		write(w, problemf(http.StatusMethodNotAllowed, "method %s: a take is a POST", quote(r.Method)))
	default:
		write(w, s.take(w, r))
	}
}
