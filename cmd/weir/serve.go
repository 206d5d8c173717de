package main

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"os/signal"
	"syscall"

	"github.com/weirlimit/weir"
	"github.com/weirlimit/weir/cmd/weir/internal/limits"
	"github.com/weirlimit/weir/cmd/weir/internal/server"
	"github.com/weirlimit/weir/memory"
)

type serveCmd struct {
	Listen string `default:"127.0.0.1:8080" help:"Address and port to listen on; port 0 takes a free one (default ${default})." placeholder:"ADDRESS"`

	Limit []weir.Limit `default:"100/1m" help:"A limit of policy \"default\", in units per window for each key; repeat it for limits that apply together (default ${default})."`
}

// policy is what the flags say.
func (c *serveCmd) policy() weir.Config {
	return weir.Config{Name: "default", Limits: c.Limit, Store: memory.New(memory.Config{})}
}

// Validate makes limits that do not go together an error of usage.
func (c *serveCmd) Validate() error {
	_, err := weir.New(c.policy())
	return err
}

// Run serves until SIGINT or SIGTERM, and then drains. A second signal ends
// the process at once.
func (c *serveCmd) Run(std streams) error {
	signalled, unnotify := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	ctx, drain := context.WithCancel(context.Background())
	defer drain()
	context.AfterFunc(signalled, func() {
		unnotify() // first, so that a signal while draining does what it does by default
		drain()
	})
	defer unnotify()

	policy := c.policy()
	s, err := server.New(server.Config{
		Policies: []weir.Config{policy},
		Log:      slog.New(slog.NewTextHandler(std.err, nil)),
	})
	if err != nil {
		return err
	}
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", c.Listen)
	if err != nil {
		return err
	}
	url := "http://" + reachable(listener.Addr())
	if _, err := fmt.Fprintf(std.out, "weir listens on %s: policy %q, %s for each key (%s, in memory). Try:\n  curl -i -d '{\"key\":\"user:42\"}' %s/v1/take\n",
		url, policy.Name, limits.Join(policy.Limits), policy.Algorithm, url); err != nil {
		return err
	}
	return s.Serve(ctx, listener)
}

// reachable is where a client on this machine finds a listener.
func reachable(addr net.Addr) string {
	host, port, err := net.SplitHostPort(addr.String())
	if ip := net.ParseIP(host); err == nil && ip.IsUnspecified() {
		return net.JoinHostPort("localhost", port)
	}
	return addr.String()
}
