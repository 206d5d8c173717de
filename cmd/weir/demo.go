package main

import (
	"github.com/weirlimit/weir"
	"github.com/weirlimit/weir/cmd/weir/internal/demo"
)

type demoCmd struct {
	Limit weir.Limit `default:"50/10s" help:"The limit, in units per window (default ${default})."`

	JSON bool `help:"Print the admitted counts as JSON." name:"json"`
}

// Validate makes a limit that cannot be shown an error of usage.
func (c *demoCmd) Validate() error { return demo.Check(c.Limit) }

// Run simulates and prints.
func (c *demoCmd) Run(std streams) error {
	r, err := demo.Simulate(c.Limit)
	if err != nil {
		return err
	}
	if c.JSON {
		return r.WriteJSON(std.out)
	}
	return r.WriteText(std.out)
}
