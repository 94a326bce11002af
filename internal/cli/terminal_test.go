package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

func TestColor(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		args string
		tty  bool
		env  map[string]string
		want bool
	}{
		{"pipe", "demo", false, nil, false},
		{"terminal", "demo", true, nil, true},
		{"NO_COLOR", "demo", true, map[string]string{"NO_COLOR": "1"}, false},
		{"NO_COLOR beats CLICOLOR_FORCE", "demo", true, map[string]string{"NO_COLOR": "1", "CLICOLOR_FORCE": "1"}, false},
		{"the flag beats NO_COLOR", "demo --color always", false, map[string]string{"NO_COLOR": "1"}, true},
		{"the flag says never", "demo --color never", true, map[string]string{"CLICOLOR_FORCE": "1"}, false},
		{"CLICOLOR_FORCE", "demo", false, map[string]string{"CLICOLOR_FORCE": "1"}, true},
		{"CLICOLOR_FORCE=0", "demo", false, map[string]string{"CLICOLOR_FORCE": "0"}, false},
		{"CLICOLOR=0", "demo", true, map[string]string{"CLICOLOR": "0"}, false},
		{"dumb terminal", "demo", true, map[string]string{"TERM": "dumb"}, false},
		{"another format", "demo --format markdown --color always", true, nil, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := call{args: strings.Fields(tt.args), tty: tt.tty, width: 80, env: tt.env}.run(t)
			if got := strings.Contains(r.stdout, "color=true"); got != tt.want {
				t.Errorf("%+v", r)
			}
		})
	}
}

func TestWidth(t *testing.T) {
	t.Parallel()
	out := filepath.Join(t.TempDir(), "out")
	tests := []struct {
		call call
		want string
	}{
		{call{args: []string{"demo"}}, "width=0"},
		{call{args: []string{"demo"}, tty: true, width: 90}, "width=90"},
		{call{args: []string{"demo"}, tty: true, width: 90, env: map[string]string{"COLUMNS": "70"}}, "width=70"},
		{call{args: []string{"demo"}, env: map[string]string{"COLUMNS": "70"}}, "width=70"},
		{call{args: []string{"demo"}, env: map[string]string{"COLUMNS": "-1"}}, "width=0"},
		{call{args: []string{"demo"}, env: map[string]string{"COLUMNS": "x"}}, "width=0"},
		{call{args: []string{"demo", "-o", out}, tty: true, width: 90}, "width=0"},
	}
	for _, tt := range tests {
		r := tt.call.run(t)
		got := r.stdout
		if got == "" {
			got = read(t, out)
		}
		if !strings.Contains(got, tt.want) {
			t.Errorf("%+v: %q, want %s", tt.call, got, tt.want)
		}
	}
}

func TestFileIsNoTerminal(t *testing.T) {
	t.Parallel()
	f, err := os.Create(filepath.Join(t.TempDir(), "x"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if newStream(f).terminal() {
		t.Error("a regular file passes for a terminal")
	}
}

func TestProgress(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		global globals
		env    map[string]string
		tty    bool
		work   time.Duration
		want   string
	}{
		{name: "short work", tty: true, work: progressDelay - 1},
		{name: "no terminal", work: time.Hour},
		{name: "quiet", tty: true, global: globals{quiet: true}, work: time.Minute},
		{name: "log lines", tty: true, global: globals{verbose: true}, work: time.Minute},
		{name: "dumb", tty: true, env: map[string]string{"TERM": "dumb"}, work: time.Minute},
		{name: "long work", tty: true, work: progressDelay + progressPace + 1,
			want: "\r\x1b[K| a\\x1b[2Jb 1234567\r\x1b[K/ a\\x1b[2Jb 1234567\r\x1b[K"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var b bytes.Buffer
				p := &program{
					global: tt.global, getenv: func(k string) string { return tt.env[k] },
					stderr: stream{&b, func() (int, bool) { return 20, tt.tty }},
				}
				g := p.startProgress()
				g.report("a\x1b[2Jb 1234567890")
				time.Sleep(tt.work)
				synctest.Wait()
				g.stop()
				g.stop()
				g.report("too late")
				time.Sleep(time.Hour)
				if b.String() != tt.want {
					t.Errorf("got %q, want %q", b.String(), tt.want)
				}
			})
		})
	}
}

func TestProgressWithoutMessage(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var b bytes.Buffer
		p := &program{getenv: func(string) string { return "" }, stderr: stream{&b, func() (int, bool) { return 0, true }}}
		g := p.startProgress()
		time.Sleep(progressDelay)
		synctest.Wait()
		g.stop()
		if b.String() != "\r\x1b[K| working\r\x1b[K" {
			t.Errorf("%q", b.String())
		}
	})
}

func TestCut(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		s    string
		n    int
		want string
	}{{"", 3, ""}, {"abc", 3, "abc"}, {"abcd", 3, "abc"}, {"äöü", 2, "äö"}, {"abc", 0, ""}} {
		if got := cut(tt.s, tt.n); got != tt.want {
			t.Errorf("cut(%q, %d) = %q", tt.s, tt.n, got)
		}
	}
}

// A line that stays goes above the one that moves; a pipe gets it alone, and --quiet nothing.
func TestSay(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name       string
		tty, quiet bool
		want       string
	}{
		{"terminal", true, false, "\r\x1b[K| w\r\x1b[Kdone\\x1b[2J\n"},
		{"pipe", false, false, "done\\x1b[2J\n"},
		{"quiet", false, true, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var b bytes.Buffer
				p := &program{
					global: globals{quiet: tt.quiet}, getenv: func(string) string { return "" },
					stderr: stream{&b, func() (int, bool) { return 20, tt.tty }},
				}
				g := p.startProgress()
				g.report("w")
				time.Sleep(progressDelay)
				synctest.Wait()
				g.say("done\x1b[2J")
				got := b.String()
				g.stop()
				if got != tt.want {
					t.Errorf("got %q, want %q", got, tt.want)
				}
			})
		})
	}
}
