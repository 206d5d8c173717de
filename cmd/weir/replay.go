package main

import (
	"github.com/weirlimit/weir"
	"github.com/weirlimit/weir/cmd/weir/internal/replay"
)

type replayCmd struct {
	File string `arg:"" help:"An access log in Common or Combined format, plain or gzip; - is the standard input."`

	Limit []weir.Limit `help:"A limit of every key, in requests per window; repeat it for limits that apply together." placeholder:"60/1m" required:""`

	By string `default:"ip" enum:"ip" help:"What is a key: ip, the client's address (default ${default})."`

	JSON bool `help:"Print the counts as JSON." name:"json"`
}

// Validate makes limits that do not go together an error of usage.
func (c *replayCmd) Validate() error {
	if len(c.Limit) == 0 {
		return nil // kong says that the flag is missing
	}
	return replay.Check(c.Limit)
}

// Run reads, replays and prints. What was skipped is told on the standard
// error.
func (c *replayCmd) Run(std streams) error {
	log, err := replay.ReadFile(c.File, std.in)
	if err != nil {
		return err
	}
	if err := log.WriteSkipped(std.err); err != nil {
		return err
	}
	r, err := replay.Run(log, c.Limit)
	if err != nil {
		return err
	}
	if c.JSON {
		return r.WriteJSON(std.out)
	}
	return r.WriteText(std.out)
}
