package main

import (
	"errors"
	"io"
	"net/http"
	"os"
	"regexp"
	"strings"
	"testing"
)

// The README's picture is what weir demo draws, and its curl is answered as it
// says.
func TestReadme(t *testing.T) {
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	block := func(pattern string) string {
		t.Helper()
		found := regexp.MustCompile("(?s)```\\w*\n" + pattern + "```").FindStringSubmatch(string(readme))
		if found == nil {
			t.Fatalf("the README has no block like %s", pattern)
		}
		return found[1]
	}

	picture := block(`\$ weir demo\n(.*?)`)
	if _, drawn, _ := run(t, "", "demo"); !strings.HasPrefix(drawn, picture) {
		t.Errorf("the README's picture is\n%sand weir demo draws\n%s", picture, drawn)
	}

	flags := strings.Fields(block(`go run ./cmd/weir serve ([^\n]*)\n`))
	body := block(`curl -i http://127.0.0.1:8080/v1/take -d '([^']*)'\n`)
	s := serve(t, flags...)
	w, err := http.Post("http://"+s.addr+"/v1/take", "application/x-www-form-urlencoded", strings.NewReader(body)) //nolint:noctx // The process is killed if it hangs.
	if err != nil {
		t.Fatal(err)
	}
	answer, err := io.ReadAll(w.Body)
	if err := errors.Join(err, w.Body.Close()); err != nil {
		t.Fatal(err)
	}
	w.Header.Del("Date")
	var head strings.Builder
	head.WriteString(w.Proto + " " + w.Status + "\r\n")
	if err := w.Header.Write(&head); err != nil {
		t.Fatal(err)
	}
	told := strings.ReplaceAll(head.String(), "\r", "") + "\n" + string(answer)
	if want := block(`(HTTP/1.1 .*?)`); told != want {
		t.Errorf("the README's curl is answered\n%swant\n%s", told, want)
	}
}
