package weir_test

import (
	"os/exec"
	"strings"
	"testing"
)

// Who uses the library links the standard library and ours, and nothing else.
func TestDependencies(t *testing.T) {
	out, err := exec.CommandContext(t.Context(), "go", "list", "-deps", "-f", "{{if not .Standard}}{{.ImportPath}}{{end}}",
		".", "./memory", "./storetest").Output()
	if err != nil {
		t.Fatal(err)
	}
	ours := strings.Fields(string(out))
	if len(ours) < 4 {
		t.Fatalf("go list found %q", ours)
	}
	for _, path := range ours {
		if path != "github.com/weirlimit/weir" && !strings.HasPrefix(path, "github.com/weirlimit/weir/") {
			t.Errorf("the library depends on %s", path)
		}
	}
}
