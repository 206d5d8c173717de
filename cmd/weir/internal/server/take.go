package server

import (
	"errors"
	"io"
	"net/http"
	"os"
	"slices"
	"strings"

	"github.com/weirlimit/weir"
	"github.com/weirlimit/weir/cmd/weir/internal/limits"
)

// maxBodyBytes is of a request.
const maxBodyBytes = 64 << 10

// take carries out one request: it reads, checks, decides, and only then has
// anything been recorded.
func (s *Server) take(w http.ResponseWriter, r *http.Request) answer {
	body, refused := readBody(w, r)
	if refused != nil {
		return refused
	}
	req, refused := parseRequest(body)
	if refused != nil {
		return refused
	}
	p, refused := s.choose(&req)
	if refused != nil {
		return refused
	}
	d, err := p.limiter.Take(r.Context(), req.key, req.cost)
	switch {
	case errors.Is(err, weir.ErrCostExceedsQuota):
		return problemf(http.StatusUnprocessableEntity, "cost %d is above what policy %s (%s) could ever admit at once",
			req.cost, quote(p.limiter.Name()), limits.Join(p.limits))
	case errors.Is(err, weir.ErrInvalid):
		return problemf(http.StatusBadRequest, "%s", strings.TrimPrefix(err.Error(), weir.ErrInvalid.Error()+": "))
	case err != nil: // the client has gone, or the server is closing
		return problemf(http.StatusServiceUnavailable, "the request ended before it was decided: %v", err)
	}
	return decide(p.limiter.Name(), req.key, &d)
}

// readBody reads at most maxBodyBytes.
func readBody(w http.ResponseWriter, r *http.Request) ([]byte, *problem) {
	tooLarge := func() *problem {
		return problemf(http.StatusRequestEntityTooLarge, "the body must have at most %d bytes", maxBodyBytes)
	}
	if r.ContentLength > maxBodyBytes { // before a client that asks is told to continue
		w.Header().Set("Connection", "close")
		return nil, tooLarge()
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBodyBytes))
	_, over := errors.AsType[*http.MaxBytesError](err)
	switch {
	case err == nil:
		return body, nil
	case over:
		return nil, tooLarge()
	case errors.Is(err, os.ErrDeadlineExceeded):
		w.Header().Set("Connection", "close")
		return nil, problemf(http.StatusRequestTimeout, "the body did not arrive in time")
	default:
		w.Header().Set("Connection", "close")
		return nil, problemf(http.StatusBadRequest, "the body cannot be read: %v", err)
	}
}

// choose is the policy that the request names, or the only one.
func (s *Server) choose(req *request) (*policy, *problem) {
	if p := s.policies[req.policy]; p != nil {
		return p, nil
	}
	if !req.named && s.only != nil {
		return s.only, nil
	}
	names := make([]string, 0, len(s.policies))
	for name := range s.policies {
		names = append(names, quote(name))
	}
	slices.Sort(names)
	known := strings.Join(names, ", ")
	if !req.named {
		return nil, problemf(http.StatusBadRequest, `field "policy" is missing: there are %s`, known)
	}
	return nil, problemf(http.StatusNotFound, "policy %s is unknown: there is %s", quote(req.policy), known)
}
