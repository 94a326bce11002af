package app

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gavel-review/gavel"
)

func testHook(t *testing.T) hookFile {
	return hookFile{hookPreCommit, filepath.Join(t.TempDir(), "hooks", "pre-commit")}
}

func putHook(t *testing.T, h hookFile, text string, mode os.FileMode) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(h.path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(h.path, []byte(text), mode); err != nil {
		t.Fatal(err)
	}
}

// folder lists what lies beside the hook: name and text.
func folder(t *testing.T, h hookFile) map[string]string {
	t.Helper()
	files := make(map[string]string)
	entries, err := os.ReadDir(filepath.Dir(h.path))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		data, err := os.ReadFile(filepath.Join(filepath.Dir(h.path), e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		files[e.Name()] = string(data)
	}
	return files
}

func TestInstallAndUninstall(t *testing.T) {
	t.Parallel()
	script := hookScript(hookPreCommit, "/bin/gavel")
	older := hookScript(hookPreCommit, "/old/gavel")
	foreign := "#!/bin/sh\nexit 0\n"
	edited := older + "make lint\n"
	tests := []struct {
		name      string
		before    string
		mode      os.FileMode
		force     bool
		action    string
		class     gavel.Class
		backup    string
		uninstall string
	}{
		{name: "nothing there", action: hookInstalled, uninstall: hookRemoved},
		{name: "the same", before: script, mode: 0o755, action: hookUnchanged, uninstall: hookRemoved},
		{name: "not executable", before: script, mode: 0o644, action: hookUpdated, uninstall: hookRemoved},
		{name: "an older one", before: older, mode: 0o755, action: hookUpdated, uninstall: hookRemoved},
		{name: "an older one, forced", before: older, mode: 0o755, force: true, action: hookUpdated, uninstall: hookRemoved},
		{name: "foreign", before: foreign, mode: 0o755, class: gavel.Conflict},
		{name: "empty", before: "", mode: 0o755, class: gavel.Conflict},
		{name: "edited", before: edited, mode: 0o755, class: gavel.Conflict},
		{name: "another hook's", before: hookScript(hookPrePush, "/bin/gavel"), mode: 0o755, class: gavel.Conflict},
		{name: "foreign, forced", before: foreign, mode: 0o711, force: true, action: hookReplaced, backup: foreign, uninstall: hookRestored},
		{name: "edited, forced", before: edited, mode: 0o755, force: true, action: hookReplaced, backup: edited, uninstall: hookRestored},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			h := testHook(t)
			if tt.mode != 0 {
				putHook(t, h, tt.before, tt.mode)
			}
			out, err := h.install(script, tt.force)
			if tt.class != "" {
				wantClass(t, err, tt.class, "--force", "gavel hook run pre-commit")
				if files := folder(t, h); len(files) != 1 || files["pre-commit"] != tt.before {
					t.Errorf("the hook was touched: %q", files)
				}
				return
			}
			if err != nil || out.Action != tt.action {
				t.Fatalf("%+v, %v; want %s", out, err, tt.action)
			}
			want := map[string]string{"pre-commit": script}
			if tt.backup != "" {
				want["pre-commit.gavel-backup"] = tt.backup
			}
			if files := folder(t, h); len(files) != len(want) || files["pre-commit"] != script || files["pre-commit.gavel-backup"] != tt.backup {
				t.Errorf("files %q, want %q", files, want)
			}
			if info, err := os.Stat(h.path); err != nil || info.Mode().Perm() != 0o755 {
				t.Errorf("mode %v, %v", info.Mode(), err)
			}
			out, err = h.uninstall()
			if err != nil || out.Action != tt.uninstall {
				t.Fatalf("uninstall: %+v, %v; want %s", out, err, tt.uninstall)
			}
			if files := folder(t, h); files["pre-commit"] != tt.backup || tt.backup == "" && len(files) != 0 {
				t.Errorf("left behind: %q", files)
			}
			if info, err := os.Stat(h.path); err == nil && info.Mode().Perm() != tt.mode {
				t.Errorf("the restored hook has mode %v, had %v", info.Mode(), tt.mode)
			}
		})
	}
}

func TestUninstallLeavesOthersAlone(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"#!/bin/sh\n", hookScript(hookPreCommit, "/bin/gavel") + "\n", hookScript(hookPrePush, "/bin/gavel")} {
		h := testHook(t)
		putHook(t, h, text, 0o755)
		_, err := h.uninstall()
		wantClass(t, err, gavel.Conflict)
		if folder(t, h)["pre-commit"] != text {
			t.Error("the hook was touched")
		}
	}
	_, err := testHook(t).uninstall()
	wantClass(t, err, gavel.NotFound)
}

func TestBackupIsNeverOverwritten(t *testing.T) {
	t.Parallel()
	h := testHook(t)
	putHook(t, h, "#!/bin/sh\n# second\n", 0o755)
	if err := os.WriteFile(h.backup(), []byte("first"), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := h.install(hookScript(h.name, "/bin/gavel"), true)
	wantClass(t, err, gavel.Conflict, "gavel-backup")
	if files := folder(t, h); len(files) != 2 || files["pre-commit"] != "#!/bin/sh\n# second\n" || files["pre-commit.gavel-backup"] != "first" {
		t.Errorf("%q", files)
	}
}

// TestLinksAreForeign: writing through a link would write into the file of somebody else, a tracked one often.
func TestLinksAreForeign(t *testing.T) {
	t.Parallel()
	h := testHook(t)
	script := hookScript(h.name, "/bin/gavel")
	putHook(t, h, "", 0o755)
	target := filepath.Join(t.TempDir(), "tracked.sh")
	if err := os.WriteFile(target, []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, to := range []string{target, "gone"} {
		if err := os.Remove(h.path); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(to, h.path); err != nil {
			t.Fatal(err)
		}
		_, err := h.install(script, false)
		wantClass(t, err, gavel.Conflict)
		_, err = h.uninstall()
		wantClass(t, err, gavel.Conflict)
	}
	if out, err := h.install(hookScript(h.name, "/other/gavel"), true); err != nil || out.Backup != h.backup() {
		t.Fatalf("%+v, %v", out, err)
	}
	if to, err := os.Readlink(h.backup()); err != nil || to != "gone" {
		t.Errorf("the backup points to %q, %v", to, err)
	}
	if data, err := os.ReadFile(target); err != nil || string(data) != script {
		t.Errorf("the link's target was written: %q, %v", data, err)
	}
}

func TestHookThatIsAFolder(t *testing.T) {
	t.Parallel()
	h := testHook(t)
	if err := os.MkdirAll(h.path, 0o755); err != nil {
		t.Fatal(err)
	}
	_, err := h.install("x", true)
	wantClass(t, err, gavel.Conflict, "folder")
	h.path = filepath.Join(t.TempDir(), "file", "pre-commit")
	if err := os.WriteFile(filepath.Dir(h.path), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	_, err = h.install("x", true)
	wantClass(t, err, gavel.Conflict, "core.hooksPath")
}

func TestScriptKnowsItself(t *testing.T) {
	t.Parallel()
	for _, binary := range []string{"/bin/gavel", "/it's/a b", "/a'\nif /x", "/$HOME/`x`/\"", `/back\slash`, "/HOOK/BINARY"} {
		script := hookScript(hookPrePush, binary)
		if owner := ownerOf(hookPrePush, script); owner != hookOwn {
			t.Errorf("%q: owner %d", binary, owner)
		}
		if got := hookTarget(script); got != binary {
			t.Errorf("the hook of %q names %q", binary, got)
		}
		if owner := ownerOf(hookPreCommit, script); owner == hookOwn {
			t.Errorf("a pre-push hook passes for a pre-commit hook")
		}
		if owner := ownerOf(hookPrePush, strings.Replace(script, "exit 3", "exit 0", 1)); owner != hookEdited {
			t.Errorf("an edited hook has owner %d", owner)
		}
	}
	for _, text := range []string{"", "\n", "#!/bin/sh", "#!/bin/sh\n# gavel-hook 2 x", "x\n" + hookMarker, "#!/bin/sh\n\n" + hookMarker} {
		if owner := ownerOf(hookPrePush, text); owner != hookForeign {
			t.Errorf("%q has owner %d", text, owner)
		}
		if got := hookTarget(text); got != "" {
			t.Errorf("%q names %q", text, got)
		}
	}
}

func TestStableName(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	cellar, bin := filepath.Join(dir, "cellar", "1.0", "gavel"), filepath.Join(dir, "bin", "gavel")
	for _, d := range []string{cellar, bin} {
		if err := os.MkdirAll(filepath.Dir(d), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(cellar, nil, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(cellar, bin); err != nil {
		t.Fatal(err)
	}
	tests := []struct{ path, want string }{
		{"", cellar},
		{"/nowhere:" + filepath.Dir(bin), bin},
		{"bin:" + filepath.Dir(cellar), cellar},
	}
	for _, tt := range tests {
		if got := stableName(testEnv(t, map[string]string{"PATH": tt.path}), cellar); got != tt.want {
			t.Errorf("PATH %q: %s, want %s", tt.path, got, tt.want)
		}
	}
}

func TestRenderHook(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	out := &HookOutput{Hook: "pre-commit", Action: hookReplaced, Path: "/r/pre-commit", Backup: "/r/pre-commit.gavel-backup", Notes: []string{"n"}}
	if err := HookInstall.Render(&b, out, RenderOptions{}); err != nil {
		t.Fatal(err)
	}
	want := "pre-commit: replaced /r/pre-commit\nthe hook that was there is kept as /r/pre-commit.gavel-backup\nnote: n\n"
	if b.String() != want {
		t.Errorf("%q, want %q", b.String(), want)
	}
}

func TestUninstallThroughTheOperation(t *testing.T) {
	t.Parallel()
	c := newCheckout(t)
	path := c.write(filepath.Join(c.dir, ".git", "hooks", "pre-push"), "#!/bin/sh\n")
	s := newStandIn(c, filepath.Join(c.home, "gavel"))
	installHook(t, c, HookInput{Hook: hookPrePush, Binary: s.path, Force: true})
	out, err := runHookUninstall(context.Background(), c.env(), HookUninstallInput{Hook: hookPrePush})
	if err != nil || out.Action != hookRestored || c.read(path) != "#!/bin/sh\n" {
		t.Errorf("%+v, %v", out, err)
	}
}
