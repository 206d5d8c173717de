package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"
)

// patience is a timeout that no test waits for.
const patience = time.Minute

// binary is the command, built once.
var binary string

func TestMain(m *testing.M) {
	os.Exit(func() int {
		dir, err := os.MkdirTemp("", "weir")
		if err != nil {
			panic(err)
		}
		defer func() { _ = os.RemoveAll(dir) }()
		binary = filepath.Join(dir, "weir")
		if out, err := exec.CommandContext(context.Background(), "go", "build", "-o", binary, ".").CombinedOutput(); err != nil {
			_, _ = fmt.Fprintf(os.Stderr, "go build: %v\n%s", err, out)
			return 1
		}
		return m.Run()
	}())
}

// run runs the command to its end.
func run(t *testing.T, stdin string, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, binary, args...)
	var out, errs bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(stdin), &out, &errs
	if err := cmd.Run(); err != nil {
		if _, ok := errors.AsType[*exec.ExitError](err); !ok {
			t.Fatal(err)
		}
	}
	return cmd.ProcessState.ExitCode(), out.String(), errs.String()
}

const logLines = `192.0.2.1 - - [17/May/2015:10:05:03 +0000] "GET / HTTP/1.1" 200 1
192.0.2.1 - - [17/May/2015:10:05:01 +0000] "GET / HTTP/1.1" 200 1
192.0.2.1 - - [17/May/2015:12:05:02 +0200] "GET / HTTP/1.1" 200 1
nonsense
`

const replayed = `{"requests":3,"skipped":1,"keys":1,"algorithms":{"log":{"denied_requests":2,"denied_keys":1},"counter":{"denied_requests":2,"denied_keys":1},"fixed":{"denied_requests":2,"denied_keys":1}},"seconds":2}` + "\n"

func TestCommands(t *testing.T) {
	file := filepath.Join(t.TempDir(), "access.log")
	if err := os.WriteFile(file, []byte(logLines), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args   string
		stdin  string
		code   int
		stdout string // patterns of all that is written
		stderr string
	}{
		{"--help", "", 0, `(?s)Usage: weir <command>.*serve.*demo.*replay.*version.*`, ``},
		{"serve --help", "", 0, `(?s).*--listen=ADDRESS.*127\.0\.0\.1:8080.*--limit=100/1m,.*`, ``},
		{"", "", 2, ``, `weir: error: expected one of "serve", "demo", "replay", "version"\nRun weir --help, or --help after a command\.\n`},
		{"server", "", 2, ``, `(?s)weir: error: unexpected argument server.*`},
		{"demo --json", "", 0, regexp.QuoteMeta(`{"limit":50,"window_seconds":10,"admitted":{"fixed":100,"counter":54,"log":50}}`) + `\n`, ``},
		{"demo", "", 0, `(?s)Limit 50/10s\..*fixed window .* 100 \(50 over\)\n.*sliding log .* 50\n.*`, ``},
		{"demo --limit 5/1h --json", "", 0, `\{"limit":5,"window_seconds":3600,.*\}\n`, ``},
		{"demo --limit 0/1h", "", 2, ``, `(?s)weir: error: demo: quota 0 of limit 0/1h: the demo shows 1 to 10000\n.*`},
		{"demo --limit 5", "", 2, ``, `(?s)weir: error: --limit: limit "5": want quota/window, as in 100/1m\n.*`},
		{"replay --limit 1/1m --json FILE", "", 0, regexp.QuoteMeta(replayed), `weir: .*access.log: line 4 skipped: there is no "request": "nonsense"\n`},
		{"replay --limit 1/1m --by ip --json -", logLines, 0, regexp.QuoteMeta(replayed), `weir: standard input: line 4 skipped: .*\n`},
		{"replay --limit 1/1m --limit 9/1h FILE", "", 0, `(?s)3 requests of 1 keys, 1 lines skipped\n.*With 1/1m and 9/1h for each key.*Most denied.* 2 +3  192\.0\.2\.1\n`, `.*\n`},
		{"replay --limit 1/1m -", "", 0, `(?s)0 requests of 0 keys, 0 lines skipped\n.*`, ``},
		{"replay --limit 1/1m FILE.no", "", 1, ``, `weir: error: open .*access\.log\.no: no such file or directory\n`},
		{"replay FILE", "", 2, ``, `(?s)weir: error: missing flags: --limit=.*`},
		{"replay --limit 1/1m", "", 2, ``, `(?s)weir: error: expected "<file>".*`},
		{"replay --limit 1/1m --by user FILE", "", 2, ``, `(?s)weir: error: --by must be one of "ip" but got "user"\n.*`},
		{"replay --limit 1/1m --limit 2/1m FILE", "", 2, ``, `(?s)weir: error: replay: .*limits 1/1m and 2/1m have the same window\n.*`},
		{"serve --limit 1/1m --limit 2/1m", "", 2, ``, `(?s)weir: error: serve: .*limits 1/1m and 2/1m have the same window\n.*`},
		{"serve --limit 1/1m --listen nowhere", "", 1, ``, `weir: error: listen tcp: address nowhere: missing port in address\n`},
		{"version", "", 0, `weir \S+\ncommit .+\ngo1\.\S+ \w+/\w+\n`, ``},
	} {
		args := strings.Fields(strings.ReplaceAll(c.args, "FILE", file))
		code, stdout, stderr := run(t, c.stdin, args...)
		if code != c.code || !regexp.MustCompile(`^`+c.stdout+`$`).MatchString(stdout) || !regexp.MustCompile(`^`+c.stderr+`$`).MatchString(stderr) {
			t.Errorf("weir %s: exit %d, want %d, and wrote\n%s\nand to the standard error\n%s", c.args, code, c.code, stdout, stderr)
		}
	}
}

// A served is a running weir serve.
type served struct {
	cmd    *exec.Cmd
	addr   string
	said   string        // at the start
	errors *bufio.Reader // the standard error
}

func serve(t *testing.T, args ...string) *served {
	t.Helper()
	s := &served{cmd: exec.CommandContext(context.Background(), binary, append([]string{"serve", "--listen", "127.0.0.1:0"}, args...)...)}
	stdout, err := s.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	stderr, err := s.cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	giveUp := time.AfterFunc(patience, func() { _ = s.cmd.Process.Kill() })
	t.Cleanup(func() {
		giveUp.Stop()
		_ = s.cmd.Process.Kill() // in case the test failed
		_ = s.cmd.Wait()
	})
	lines := bufio.NewReader(stdout)
	for range 2 {
		line, err := lines.ReadString('\n')
		if err != nil {
			t.Fatalf("serve said %q, and then %v", s.said+line, err)
		}
		s.said += line
	}
	s.errors = bufio.NewReader(stderr)
	s.addr = regexp.MustCompile(`127\.0\.0\.1:\d+`).FindString(s.said)
	return s
}

// says waits until the process has logged a text.
func (s *served) says(t *testing.T, text string) {
	t.Helper()
	for {
		line, err := s.errors.ReadString('\n')
		if err != nil {
			t.Fatalf("the process did not say %q: %v", text, err)
		}
		if strings.Contains(line, text) {
			return
		}
	}
}

func (s *served) signal(t *testing.T) {
	t.Helper()
	if err := s.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
}

// ends waits for the process, and is its exit code.
func (s *served) ends(t *testing.T) int {
	t.Helper()
	if _, err := io.Copy(io.Discard, s.errors); err != nil {
		t.Fatal(err)
	}
	_ = s.cmd.Wait() // the exit code says it
	return s.cmd.ProcessState.ExitCode()
}

func TestServe(t *testing.T) {
	s := serve(t, "--limit", "2/1m", "--limit", "3/1h")
	want := fmt.Sprintf("weir listens on http://%s: policy \"default\", 2/1m and 3/1h for each key (sliding log, in memory). Try:\n"+
		"  curl -i -d '{\"key\":\"user:42\"}' http://%s/v1/take\n", s.addr, s.addr)
	if s.said != want {
		t.Errorf("serve said\n%swant\n%s", s.said, want)
	}
	for i, status := range []int{200, 200, 429} {
		w, err := http.Post("http://"+s.addr+"/v1/take", "application/x-www-form-urlencoded", strings.NewReader(`{"key":"user:42"}`)) //nolint:noctx // The process is killed if it hangs.
		if err != nil {
			t.Fatal(err)
		}
		_ = w.Body.Close()
		if w.StatusCode != status {
			t.Errorf("take %d answered %d, want %d", i, w.StatusCode, status)
		}
	}
	s.signal(t)
	if code := s.ends(t); code != 0 {
		t.Errorf("exit %d after SIGTERM", code)
	}
}

func TestServeByDefault(t *testing.T) {
	s := serve(t)
	w, err := http.Post("http://"+s.addr+"/v1/take", "", strings.NewReader(`{"policy":"default","key":"user:42","cost":1}`)) //nolint:noctx // The process is killed if it hangs.
	if err != nil {
		t.Fatal(err)
	}
	body, err := io.ReadAll(w.Body)
	if err := errors.Join(err, w.Body.Close()); err != nil {
		t.Fatal(err)
	}
	const want = `{"allowed":true,"denied_by":null,"retry_after_ms":0,"source":"store","limits":[{"policy":"default","key":"user:42","limit":"100/1m","quota":100,"window_ms":60000,"used":1,"remaining":99,"retry_after_ms":0,"next_after_ms":0,"reset_after_ms":60000}]}` + "\n"
	if string(body) != want {
		t.Errorf("answered\n%swant\n%s", body, want)
	}
}

// inFlight is a connection whose request's body the process waits for.
func (s *served) inFlight(t *testing.T) (net.Conn, *bufio.Reader) {
	t.Helper()
	c, err := new(net.Dialer).DialContext(t.Context(), "tcp", s.addr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	if _, err := io.WriteString(c, "POST /v1/take HTTP/1.1\r\nHost: weir\r\nContent-Length: 11\r\nExpect: 100-continue\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	from := bufio.NewReader(c)
	w, err := http.ReadResponse(from, nil) //nolint:bodyclose // The connection is.
	if err != nil || w.StatusCode != http.StatusContinue {
		t.Fatalf("answered %+v, %v", w, err)
	}
	return c, from
}

func TestSIGTERMDrains(t *testing.T) {
	s := serve(t)
	c, from := s.inFlight(t)
	s.signal(t)
	s.says(t, "draining")
	if _, err := io.WriteString(c, `{"key":"a"}`); err != nil {
		t.Fatal(err)
	}
	w, err := http.ReadResponse(from, nil) //nolint:bodyclose // The connection is.
	if err != nil || w.StatusCode != http.StatusOK {
		t.Errorf("a request in flight was answered %+v, %v", w, err)
	}
	if code := s.ends(t); code != 0 {
		t.Errorf("exit %d", code)
	}
}

func TestSecondSignalEnds(t *testing.T) {
	s := serve(t)
	s.inFlight(t)
	s.signal(t)
	s.says(t, "draining")
	s.signal(t)
	s.ends(t)
	status, ok := s.cmd.ProcessState.Sys().(syscall.WaitStatus)
	if !ok || !status.Signaled() || status.Signal() != syscall.SIGTERM {
		t.Errorf("ended with %v", s.cmd.ProcessState)
	}
}

func TestAddressInUse(t *testing.T) {
	s := serve(t)
	code, stdout, stderr := run(t, "", "serve", "--listen", s.addr)
	if want := "weir: error: listen tcp " + s.addr + ": bind: address already in use\n"; code != 1 || stdout != "" || stderr != want {
		t.Errorf("exit %d, wrote %q and to the standard error %q, want %q", code, stdout, stderr, want)
	}
}

func TestReachable(t *testing.T) {
	for addr, want := range map[string]string{
		"127.0.0.1:8080": "127.0.0.1:8080", "0.0.0.0:8080": "localhost:8080", "[::]:8080": "localhost:8080",
		"[::1]:8080": "[::1]:8080", "192.0.2.1:1": "192.0.2.1:1",
	} {
		tcp, err := net.ResolveTCPAddr("tcp", addr)
		if err != nil {
			t.Fatal(err)
		}
		if got := reachable(tcp); got != want {
			t.Errorf("%s: %s, want %s", addr, got, want)
		}
	}
}
