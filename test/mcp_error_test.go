//go:build unix

package test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Every class of error that the tools around runs can give, as an agent meets it.

func TestMCPErrorInvalidArgs(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	repo := w.plain()
	s := w.serve()
	for tool, all := range map[string][]map[string]any{
		"state":         {{}, {"repo": 5}, {"repo": repo, "extra": true}, {"repo": []string{repo}}},
		"run_review":    {{}, {"repo": repo, "profile": 1}, {"repo": repo, "base": false}, {"repo": repo, "profil": "quick"}},
		"verdict":       {{}, {"repo": repo, "run_id": 7}},
		"findings":      {{}, {"repo": repo, "limit": "ten"}, {"repo": repo, "limit": 1.5}, {"repo": repo, "min_severity": "grave"}},
		"read_artifact": {{"repo": repo}, {"repo": repo, "run_id": "x"}, {"repo": repo, "artifact": "run.log"}},
	} {
		for _, args := range all {
			e := s.fails("invalid_args", tool, args)
			if e.word(".hint") == "" {
				t.Errorf("%s %v: no hint: %v", tool, args, e)
			}
		}
	}
	e := s.fails("invalid_args", "findings", map[string]any{"repo": 1, "limit": "x", "nothing": 0})
	for _, fault := range []string{"repo", "limit", "nothing"} {
		if !strings.Contains(e.word(".message"), fault) {
			t.Errorf("%s is not named: %v", fault, e)
		}
	}
	run := s.call("run_review", map[string]any{"repo": repo}).word(".run_id")
	s.fails("invalid_args", "findings", map[string]any{"repo": repo, "severity": "grave"})
	for _, cursor := range []string{"garbage", "0", "!", "AAAAAAAAAAAAAAAAAAAAAAAA"} {
		s.fails("invalid_args", "findings", map[string]any{"repo": repo, "cursor": cursor})
		s.fails("invalid_args", "read_artifact", map[string]any{"repo": repo, "run_id": run, "artifact": "run.log", "cursor": cursor})
	}
	page := s.call("read_artifact", map[string]any{"repo": repo, "run_id": run, "artifact": "AI_INDEX.md", "limit": 1})
	s.fails("invalid_args", "read_artifact", map[string]any{"repo": repo, "run_id": run, "artifact": "run.log", "cursor": page.word(".next_cursor")})
}

func TestMCPErrorNotAGitRepository(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	s := w.serve()
	bare := filepath.Join(w.dir, "bare.git")
	w.git(w.dir, "init", "-q", "--bare", bare)
	for _, path := range []string{w.dir, bare} {
		for _, tool := range []string{"state", "run_review", "verdict", "findings", "health"} {
			if e := s.fails("not_a_git_repo", tool, map[string]any{"repo": path}); strings.Contains(e.word(".hint"), "--") {
				t.Errorf("%s: the hint is for a command line: %v", tool, e)
			}
		}
	}
}

func TestMCPErrorBaseNotFound(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	repo := w.plain()
	s := w.serve()
	for _, profile := range []string{"quick", "deep"} {
		for _, base := range []string{"mian", "--upload-pack=x", "HEAD~99"} {
			e := s.fails("base_not_found", "run_review", map[string]any{"repo": repo, "base": base, "profile": profile})
			if !strings.Contains(e.word(".message"), base) {
				t.Errorf("%v", e)
			}
		}
	}
	lonely := filepath.Join(w.dir, "lonely")
	w.git(w.dir, "init", "-q", "-b", "trunk", lonely)
	w.commit(lonely, map[string]string{"a": "a"})
	s.fails("base_not_found", "run_review", map[string]any{"repo": lonely})
	if b := s.call("state", map[string]any{"repo": repo}); b.text(".latest_run_any") != "null" {
		t.Errorf("something was started: %v", b)
	}
}

func TestMCPErrorRunFailed(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	repo := w.plain()
	s := w.serve()
	e := s.fails("run_failed", "run_review", map[string]any{"repo": repo, "profile": "thorough"})
	if !strings.Contains(e.word(".message"), "thorough") {
		t.Errorf("%v", e)
	}
	if b := s.call("state", map[string]any{"repo": repo}); b.text(".latest_run_any") != "null" {
		t.Errorf("something was started: %v", b)
	}
	run := w.live(repo)
	if err := run.Fail("the disk is full"); err != nil {
		t.Fatal(err)
	}
	id := run.Record().ID
	for tool, args := range map[string]map[string]any{
		"findings": {"repo": repo, "run_id": id}, "read_artifact": {"repo": repo, "run_id": id, "artifact": "report.json"},
	} {
		if e := s.fails("run_failed", tool, args); !strings.Contains(e.word(".message"), "the disk is full") || e.word(".hint") == "" {
			t.Errorf("%s: %v", tool, e)
		}
	}
	b := s.call("verdict", map[string]any{"repo": repo, "run_id": id})
	if b.word(".status") != "failed" || b.word(".cause") != "the disk is full" || b.text(".base_used") != "[]" || b.text(".verdict") != "" {
		t.Errorf("%v", b)
	}
}

func TestMCPErrorRunNotFound(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	repo := w.plain()
	s := w.serve()
	for _, id := range []string{"20260101-000000-000000000000", "..", "../runs", "a/b", "", ".", "a b", "ä"} {
		s.fails("run_not_found", "verdict", map[string]any{"repo": repo, "run_id": id})
		s.fails("run_not_found", "findings", map[string]any{"repo": repo, "run_id": id})
		s.fails("run_not_found", "read_artifact", map[string]any{"repo": repo, "run_id": id, "artifact": "run.log"})
	}
	s.fails("run_not_found", "findings", map[string]any{"repo": repo})
}

// A run whose process is gone never comes to an end: it is told apart from one that goes on.
func TestMCPErrorStaleRun(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	repo := w.plain()
	s := w.serve()
	id := w.orphan(repo)
	for tool, args := range map[string]map[string]any{
		"findings": {"repo": repo, "run_id": id}, "read_artifact": {"repo": repo, "run_id": id, "artifact": "report.json"},
	} {
		e := s.fails("stale_run", tool, args)
		if e.text(".retry_after_ms") != "" || e.word(".hint") == "" {
			t.Errorf("%s: %v", tool, e)
		}
	}
	b := s.call("verdict", map[string]any{"repo": repo, "run_id": id})
	if b.word(".status") != "stale" || b.word(".started_at") == "" || b.text(".base_used") != `["main"]` || b.text(".run_status") != "" {
		t.Errorf("%v", b)
	}
	if b := s.call("state", map[string]any{"repo": repo}); b.word(".latest_run_any.status") != "stale" {
		t.Errorf("%v", b)
	}
	if b := s.call("run_review", map[string]any{"repo": repo}); b.word(".status") != "completed" {
		t.Errorf("%v", b)
	}
}

// orphan is a run whose owner died: what lies in its folder, without the lock.
func (w *world) orphan(repo string) string {
	w.t.Helper()
	run := w.live(repo)
	id, dir := run.Record().ID, run.Dir()
	copied := dir + ".copy"
	if err := os.CopyFS(copied, os.DirFS(dir)); err != nil {
		w.t.Fatal(err)
	}
	if err := run.Fail("moved"); err != nil {
		w.t.Fatal(err)
	}
	if err := os.RemoveAll(dir); err != nil {
		w.t.Fatal(err)
	}
	if err := os.Rename(copied, dir); err != nil {
		w.t.Fatal(err)
	}
	if err := os.Chmod(dir, 0o700); err != nil {
		w.t.Fatal(err)
	}
	return id
}

// A pack that was tampered with is never read as an empty or a passing one.
func TestMCPErrorStorageCorrupt(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	repo := w.plain()
	s := w.serve()
	run := s.call("run_review", map[string]any{"repo": repo})
	pack, id := run.word(".artifact_paths.pack"), run.word(".run_id")
	args := map[string]any{"repo": repo, "run_id": id}
	artifact := func(name string) map[string]any { return map[string]any{"repo": repo, "run_id": id, "artifact": name} }
	const gate, report = "00_summary/MERGE_GATE.json", "30_context/INLINE_FINDINGS.sarif"

	w.damage(pack, gate, []byte(`{"verdict":"PASS","allow_merge":true}`))
	s.fails("storage_corrupt", "verdict", args)
	s.fails("storage_corrupt", "read_artifact", artifact(gate))
	for _, text := range []string{"", "{", "null", `{"allow_merge":true}`, `{"verdict":"FINE"}`} {
		w.plant(pack, gate, []byte(text))
		s.fails("storage_corrupt", "verdict", args)
	}
	w.damage(pack, report, []byte("{}"))
	s.fails("storage_corrupt", "findings", args)
	for _, text := range []string{"", "{}", "[]", "not JSON", `{"runs":[{"results":[{]}`} {
		w.plant(pack, report, []byte(text))
		s.fails("storage_corrupt", "findings", args)
	}
	w.damage(pack, "AI_INDEX.md", []byte("# PASS\n"))
	s.fails("storage_corrupt", "read_artifact", artifact("AI_INDEX.md"))
	w.damage(pack, "MANIFEST.json", []byte("{"))
	for tool, args := range map[string]map[string]any{"verdict": args, "findings": args, "read_artifact": artifact("run.log")} {
		s.fails("storage_corrupt", tool, args)
	}
}

func TestMCPErrorToolMissing(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	repo := w.plain()
	w.env["PATH"] = filepath.Join(w.dir, "home")
	s := w.serve()
	for tool, args := range map[string]map[string]any{
		"state": {"repo": repo}, "run_review": {"repo": repo}, "verdict": {"repo": repo}, "findings": {"repo": repo}, "health": {"repo": repo},
		"read_artifact": {"repo": repo, "run_id": "x", "artifact": "run.log"},
	} {
		if e := s.fails("tool_missing", tool, args); e.word(".tool") != "git" || e.word(".hint") == "" {
			t.Errorf("%s: %v", tool, e)
		}
	}
	if b := s.call("health", nil); b.text(".deps_global.git") != "null" {
		t.Errorf("%v", b)
	}
}

// What nobody foresaw is internal, and the session goes on: here the program was taken away while it serves.
func TestMCPErrorInternal(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	repo := w.goProject()
	program := filepath.Join(w.dir, "gavel")
	if err := copyProgram(gavel(t), program); err != nil {
		t.Fatal(err)
	}
	s := begin(t, w.command(w.dir, program, "mcp"))
	if err := os.Remove(program); err != nil {
		t.Fatal(err)
	}
	e := s.fails("internal", "run_review", map[string]any{"repo": repo})
	if b := s.call("verdict", map[string]any{"repo": repo}); b.word(".status") != "failed" || b.text(".run_id") != e.text(".run_id") {
		t.Errorf("%v", b)
	}
}
