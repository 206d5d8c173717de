// Command weir decides whether a request may happen now, for programs in any
// language, and shows what its limits would do.
package main

import (
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/alecthomas/kong"

	"github.com/weirlimit/weir"
)

// Exit codes: 0 is success.
const (
	exitFailed = 1
	exitUsage  = 2
)

type cli struct {
	Serve   serveCmd   `cmd:"" help:"Decide takes over HTTP, with usage kept in memory."`
	Demo    demoCmd    `cmd:"" help:"Show what each algorithm admits around a window's boundary."`
	Replay  replayCmd  `cmd:"" help:"Say what limits would have denied of an access log."`
	Version versionCmd `cmd:"" help:"Print the version."`
}

// streams are what a command reads and writes.
type streams struct {
	in       io.Reader
	out, err io.Writer
}

func main() {
	parser := kong.Must(&cli{},
		kong.Name("weir"),
		kong.Description("A rate limiter whose windows slide: at most so many in any minute, never twice that around a boundary.\n\n"+
			"A limit is a quota and a window, such as 100/1m: at most 100 units in any minute. "+
			"A window is a duration in ms, s, m, h, d (24 hours) or w (7 days)."),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true}))
	ctx, err := parser.Parse(os.Args[1:])
	if err != nil {
		parser.Errorf("%s", message(err))
		_, _ = fmt.Fprintln(os.Stderr, "Run weir --help, or --help after a command.")
		os.Exit(exitUsage)
	}
	if err := ctx.Run(streams{in: os.Stdin, out: os.Stdout, err: os.Stderr}); err != nil {
		parser.Errorf("%s", message(err))
		os.Exit(exitFailed)
	}
}

// message is an error for who typed the command, and knows who says it.
func message(err error) string {
	return strings.ReplaceAll(err.Error(), weir.ErrInvalid.Error()+": ", "")
}
