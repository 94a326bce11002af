package app

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gavel-review/gavel"
)

func TestOpenerOf(t *testing.T) {
	t.Parallel()
	bin := t.TempDir()
	for _, name := range []string{"xdg-open", "open"} {
		if err := os.WriteFile(filepath.Join(bin, name), []byte("#!/bin/sh\n"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		name, system string
		vars         map[string]string
		want, why    string
	}{
		{"X11", "linux", map[string]string{"PATH": bin, "DISPLAY": ":0"}, "xdg-open", ""},
		{"Wayland", "freebsd", map[string]string{"PATH": bin, "WAYLAND_DISPLAY": "wayland-0"}, "xdg-open", ""},
		{"no display", "linux", map[string]string{"PATH": bin}, "", "no display"},
		{"no opener", "linux", map[string]string{"PATH": t.TempDir(), "DISPLAY": ":0"}, "", "no xdg-open"},
		{"a relative folder is not looked into", "linux", map[string]string{"PATH": ".", "DISPLAY": ":0"}, "", "no xdg-open"},
		{"macOS", "darwin", map[string]string{"PATH": bin}, "open", ""},
		{"macOS from elsewhere", "darwin", map[string]string{"PATH": bin, "SSH_CONNECTION": "x"}, "", "no display"},
	} {
		path, why := openerOf(testEnv(t, c.vars), c.system)
		if c.want != "" && path != filepath.Join(bin, c.want) || (why == "") != (c.want != "") || !strings.Contains(why, c.why) {
			t.Errorf("%s: %q, %q", c.name, path, why)
		}
	}
}

func TestOpenWithoutRun(t *testing.T) {
	t.Parallel()
	c := newCheckout(t)
	c.write("a.txt", "a\n")
	c.git("add", "-A")
	c.git("commit", "-q", "-m", "a")
	for _, in := range []OpenInput{{}, {RunID: "20260101-000000-0123456789ab"}, {RunID: "../x"}} {
		if out, err := Open.Run(t.Context(), c.env(), in); err == nil || gavel.AsError(err).Class != gavel.RunNotFound {
			t.Errorf("%+v: %+v, %v", in, out, err)
		}
	}
}

func TestRenderOpen(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		out  OpenOutput
		want string
	}{
		{OpenOutput{Path: "/runs/r/report.html", Opened: true}, "/runs/r/report.html\n"},
		{OpenOutput{Path: "/runs/r/report.html", Reason: "there is no display"}, "/runs/r/report.html\nnot opened: there is no display\n"},
	} {
		var b bytes.Buffer
		if err := renderOpen(&b, &c.out, RenderOptions{}); err != nil || b.String() != c.want {
			t.Errorf("%q, %v", b.String(), err)
		}
	}
}
