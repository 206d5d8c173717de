package weir_test

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// The README's Go is that of the tested examples, line by line.
func TestReadmeCode(t *testing.T) {
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	examples, err := os.ReadFile("example_test.go")
	if err != nil {
		t.Fatal(err)
	}
	tested := unindent(string(examples))
	blocks := regexp.MustCompile("(?s)```go\n(.*?)```").FindAllStringSubmatch(string(readme), -1)
	if len(blocks) < 3 {
		t.Fatalf("%d blocks of Go in the README", len(blocks))
	}
	for _, block := range blocks {
		if !strings.Contains(tested, unindent(block[1])) {
			t.Errorf("no tested example has this of the README:\n%s", block[1])
		}
	}
}

// unindent is text without the tabs that its lines start with.
func unindent(text string) string {
	return regexp.MustCompile(`(?m)^\t+`).ReplaceAllString(text, "")
}
