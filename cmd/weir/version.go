package main

import (
	"cmp"
	"fmt"
	"runtime"
	"runtime/debug"
)

type versionCmd struct{}

// Run prints what the build recorded: go run and go test record no commit.
func (versionCmd) Run(std streams) error {
	version, commit, modified := "unknown", "unknown", ""
	if build, ok := debug.ReadBuildInfo(); ok {
		version = cmp.Or(build.Main.Version, version)
		for _, s := range build.Settings {
			switch {
			case s.Key == "vcs.revision":
				commit = s.Value
			case s.Key == "vcs.modified" && s.Value == "true":
				modified = " with changes"
			}
		}
	}
	_, err := fmt.Fprintf(std.out, "weir %s\ncommit %s%s\n%s %s/%s\n",
		version, commit, modified, runtime.Version(), runtime.GOOS, runtime.GOARCH)
	return err
}
