//go:build unix

package test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	product "github.com/gavel-review/gavel"
	"github.com/gavel-review/gavel/internal/store"
)

func TestMCPServerNamesItselfAndItsTools(t *testing.T) {
	t.Parallel()
	s := newWorld(t).serve("--tools", "runs")
	var hello struct {
		ServerInfo   struct{ Name string }
		Instructions string
	}
	if err := json.Unmarshal(s.hello.Result, &hello); err != nil || hello.ServerInfo.Name != "gavel" || len(hello.Instructions) > 2048 {
		t.Errorf("%v: %s", err, s.hello.raw)
	}
	var list struct {
		Tools []struct {
			Name        string
			Annotations map[string]bool
		}
	}
	listed := s.rpc("tools/list", map[string]any{})
	if err := json.Unmarshal(listed.Result, &list); err != nil || len(listed.Result) > 16<<10 {
		t.Fatalf("%v, %d bytes", err, len(listed.Result))
	}
	var names []string
	for _, tool := range list.Tools {
		names = append(names, tool.Name)
		if len(tool.Annotations) != 4 {
			t.Errorf("%s: annotations %v", tool.Name, tool.Annotations)
		}
	}
	if want := []string{"findings", "health", "read_artifact", "run_review", "state", "verdict"}; !slices.Equal(names, want) {
		t.Errorf("%v, want %v", names, want)
	}
}

func TestMCPHealthWithoutRepositoryIsTheGlobalProbe(t *testing.T) {
	t.Parallel()
	b := newWorld(t).serve().call("health", nil)
	if b.word(".version") == "" || b.word(".protocol") != "gavel.mcp.v1" || b.word(".deps_global.git") == "" {
		t.Errorf("%v", b)
	}
	if b.text(".deps_repo") != "null" || b.word(".deps_repo_reason") == "" {
		t.Errorf("%v", b)
	}
}

func TestMCPHealthKnowsTheStackOfThisRepository(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	here, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(here, ".git")); err != nil {
		here = w.goProject()
	}
	b := w.serve().call("health", map[string]any{"repo": here})
	if b.word(".deps_repo.profile") != "go" || b.text(".deps_repo.tools.go") != "true" {
		t.Errorf("%v", b)
	}
}

func TestMCPStateOfARepositoryThatWasNeverRun(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	repo := w.plain()
	b := w.serve().call("state", map[string]any{"repo": repo})
	if b.word(".branch") != "feature" || !strings.HasPrefix(w.git(repo, "rev-parse", "HEAD"), b.word(".commit")) || b.word(".commit") == "" {
		t.Errorf("%v", b)
	}
	if b.text(".latest_run_for_head") != "null" || b.text(".latest_run_any") != "null" || b.text(".dirty") != "false" || b.number(".files_changed") != 1 {
		t.Errorf("%v", b)
	}
}

func TestMCPStateNeedsNeitherBaseNorCommit(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	repo := filepath.Join(w.dir, "empty")
	w.git(w.dir, "init", "-q", "-b", "trunk", repo)
	s := w.serve()
	check := func(what string) {
		t.Helper()
		b := s.call("state", map[string]any{"repo": repo})
		for _, path := range []string{".default_branch", ".files_changed", ".latest_run_for_head", ".latest_run_any"} {
			if b.text(path) != "null" {
				t.Errorf("%s: %s is %s", what, path, b.text(path))
			}
		}
		if b.text(".base_fallback") != "true" || b.number(".base_caveats[#]") == 0 {
			t.Errorf("%s: %v", what, b)
		}
	}
	check("no commit")
	w.commit(repo, map[string]string{"a.txt": "a\n"})
	check("no base")
}

func TestMCPQuickRunCompletesAndItsVerdictAgrees(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	repo := w.goProject()
	s := w.serve()
	run := s.call("run_review", map[string]any{"repo": repo})
	if run.word(".status") != "completed" || run.word(".verdict") != "PASS" || run.word(".merge_recommendation") != "approve" || run.text(".allow_merge") != "true" {
		t.Errorf("%v", run)
	}
	for _, path := range []string{".stats.checks_passed", ".stats.checks_failed", ".stats.files_changed", ".caveats[#]", ".blocking_issues[#]", ".gates[#]", ".base_used[#]"} {
		if run.number(path) < 0 {
			t.Errorf("%s: %v", path, run.text(path))
		}
	}
	if run.number(".stats.checks_passed") < 2 || run.number(".stats.files_changed") != 1 {
		t.Errorf("build and vet did not run: %v", run["stats"])
	}
	pack := run.word(".artifact_paths.pack")
	for _, path := range []string{".artifact_paths.merge_gate", ".artifact_paths.sarif", ".artifact_paths.report"} {
		if _, err := os.Stat(filepath.Join(pack, run.word(path))); err != nil || !filepath.IsAbs(pack) || run.word(path) == "" {
			t.Errorf("%s: %v", path, err)
		}
	}
	verdict := s.call("verdict", map[string]any{"repo": repo, "run_id": run.word(".run_id")})
	for _, path := range []string{".run_id", ".commit", ".status", ".base_used", ".verdict", ".merge_recommendation", ".allow_merge", ".blocking_issues", ".caveats", ".gates"} {
		if verdict.text(path) != run.text(path) || verdict.text(path) == "" {
			t.Errorf("%s: the run says %s, the verdict %s", path, run.text(path), verdict.text(path))
		}
	}
	state := s.call("state", map[string]any{"repo": repo})
	for path, want := range map[string]string{"run_id": run.text(".run_id"), "commit": run.text(".commit"), "status": `"completed"`,
		"profile": `"quick"`, "base_used": run.text(".base_used"), "merge_status": `"PASS"`, "generated_at": verdict.text(".generated_at")} {
		if state.text(".latest_run_for_head."+path) != want || state.text(".latest_run_any."+path) != want {
			t.Errorf("%s: %s, want %s", path, state.text(".latest_run_for_head."+path), want)
		}
	}
}

// cloned is a repository with an origin, whose default branch has a name that nobody guesses.
func (w *world) cloned(branch string) string {
	w.t.Helper()
	origin := filepath.Join(w.dir, "origin")
	w.git(w.dir, "init", "-q", "-b", branch, origin)
	w.commit(origin, map[string]string{"a.txt": "a\n"})
	repo := filepath.Join(w.dir, "clone")
	w.git(w.dir, "clone", "-q", origin, repo)
	w.git(repo, "checkout", "-q", "-b", "feature")
	w.commit(repo, map[string]string{"b.txt": "b\n"})
	return repo
}

func TestMCPBaseIsTheDefaultBranchOfOrigin(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	repo := w.cloned("oddly-named")
	s := w.serve()
	state := s.call("state", map[string]any{"repo": repo})
	if state.word(".default_branch") != "origin/oddly-named" || state.text(".base_fallback") != "false" {
		t.Errorf("%v", state)
	}
	run := s.call("run_review", map[string]any{"repo": repo})
	if run.text(".base_used") != `["origin/oddly-named"]` || run.text(".base_fallback") != "false" {
		t.Errorf("%v", run)
	}
}

func TestMCPBaseIsNotMisledByAStaleLocalBranch(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	repo := w.cloned("main")
	w.git(repo, "checkout", "-q", "main")
	w.commit(repo, map[string]string{"drift.txt": "only here\n"})
	w.git(repo, "checkout", "-q", "feature")
	run := w.serve().call("run_review", map[string]any{"repo": repo})
	if run.text(".base_used") != `["origin/main"]` || run.number(".stats.files_changed") != 1 {
		t.Errorf("%v", run)
	}
}

func TestMCPBaseWithoutOriginIsAFallback(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	run := w.serve().call("run_review", map[string]any{"repo": w.plain()})
	if run.text(".base_used") != `["main"]` || run.text(".base_fallback") != "true" || !strings.Contains(run.text(".caveats"), "base_fallback") {
		t.Errorf("%v", run)
	}
}

// A check that does not end: the budget ends it, with everything that it started, and the run says so for good.
func TestMCPQuickRunOverItsBudgetTimesOut(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	repo := w.linted("sleep 3600 & sleep 3600", map[string]string{".gavel.toml": "version = 1\n\n[policy.budgets]\nquick = \"3s\"\n"})
	s := w.serve()
	e := s.fails("run_timeout", "run_review", map[string]any{"repo": repo})
	if e.word(".retry_hint.profile") != "deep" || e.word(".run_id") == "" || e.text(".unfinished") != `["eslint"]` || !strings.Contains(e.word(".message"), "eslint") {
		t.Errorf("%v", e)
	}
	if e.text(".base_used") != `["main"]` || e.text(".base_fallback") != "true" || e.number(".caveats[#]") != 1 {
		t.Errorf("%v", e)
	}
	verdict := s.call("verdict", map[string]any{"repo": repo, "run_id": e.word(".run_id")})
	if verdict.word(".status") != "failed" || verdict.text(".base_used") != "[]" || !strings.Contains(verdict.word(".cause"), "budget") {
		t.Errorf("%v", verdict)
	}
	if b := s.call("verdict", map[string]any{"repo": repo}); b.text(".run_id") != e.text(".run_id") {
		t.Errorf("the latest run is another: %v", b)
	}
	log := s.call("read_artifact", map[string]any{"repo": repo, "run_id": e.word(".run_id"), "artifact": "run.log"})
	if !strings.Contains(log.word(".content"), e.word(".run_id")) {
		t.Errorf("%v", log)
	}
	s.fails("run_failed", "findings", map[string]any{"repo": repo, "run_id": e.word(".run_id")})
}

func TestMCPDeepRunIsPolledToItsEnd(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	repo := w.goProject()
	s := w.serve()
	started := s.call("run_review", map[string]any{"repo": repo, "profile": "deep"})
	if started.word(".status") != "running" || started.text(".base_used") != `["main"]` || started.text(".base_fallback") != "true" ||
		started.number(".caveats[#]") != 1 || started.word(".commit") == "" {
		t.Errorf("%v", started)
	}
	verdict := s.until(repo, started.word(".run_id"))
	if verdict.word(".status") != "completed" || verdict.word(".verdict") != "PASS" {
		t.Errorf("%v", verdict)
	}
	index := s.call("read_artifact", map[string]any{"repo": repo, "run_id": started.word(".run_id"), "artifact": "AI_INDEX.md"})
	if !strings.Contains(index.word(".content"), "go-test") {
		t.Errorf("no tests: %v", index)
	}
}

// until polls the verdict of a run until it is no longer in progress.
func (s *session) until(repo, run string) body {
	s.t.Helper()
	for began := time.Now(); time.Since(began) < patience; time.Sleep(200 * time.Millisecond) {
		b := s.call("verdict", map[string]any{"repo": repo, "run_id": run})
		if b.word(".status") != "in_progress" {
			return b
		}
	}
	s.t.Fatalf("run %s does not end", run)
	return nil
}

// live is a run that this process carries out, as another program would.
func (w *world) live(repo string) *store.LiveRun {
	w.t.Helper()
	now := time.Now()
	run, err := w.state().StartRun(store.RunRepo{CommonDir: filepath.Join(repo, ".git")}, product.RunRecord{
		Kind: product.RunOfChange, Profile: product.ProfileQuick, Subject: product.SubjectCommit, Commit: w.git(repo, "rev-parse", "HEAD"),
		Tree: w.git(repo, "rev-parse", "HEAD^{tree}"), Branch: w.git(repo, "branch", "--show-current"), BaseUsed: []string{"main"}, StartedAt: now,
	}, now)
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() { _ = run.Fail("the test is over") })
	return run
}

func TestMCPSecondRunOfABranchIsLockedOut(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	repo := w.plain()
	id := w.live(repo).Record().ID
	s := w.serve()
	for _, profile := range []string{"quick", "deep"} {
		e := s.fails("storage_locked", "run_review", map[string]any{"repo": repo, "profile": profile})
		if e.word(".active_run_id") != id || e.number(".retry_after_ms") <= 0 {
			t.Errorf("%s: %v", profile, e)
		}
	}
}

func TestMCPLiveRunIsInProgressAndItsPackNotReadable(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	repo := w.plain()
	id := w.live(repo).Record().ID
	s := w.serve()
	args := map[string]any{"repo": repo, "run_id": id}
	verdict := s.call("verdict", args)
	state := s.call("state", map[string]any{"repo": repo})
	for _, path := range []string{".run_id", ".commit", ".status", ".run_status", ".started_at", ".base_used", ".retry_after_ms"} {
		got, other := verdict.text(path), state.text(".latest_run_for_head"+path)
		if got == "" || got != other || other != state.text(".latest_run_any"+path) {
			t.Errorf("%s: %q in the verdict, %q in the state", path, got, other)
		}
	}
	if verdict.word(".status") != "in_progress" || verdict.word(".run_status") != "running" || verdict.number(".elapsed_s") < 0 ||
		verdict.number(".retry_after_ms") != 5000 || verdict.text(".base_used") != `["main"]` || state.number(".latest_run_for_head.elapsed_s") < 0 {
		t.Errorf("%v", verdict)
	}
	for tool, more := range map[string]string{"findings": "", "read_artifact": "AI_INDEX.md"} {
		args := map[string]any{"repo": repo, "run_id": id}
		if more != "" {
			args["artifact"] = more
		}
		e := s.fails("stale_run", tool, args)
		if e.number(".retry_after_ms") != 5000 || !strings.Contains(e.word(".message"), "verdict(run_id") {
			t.Errorf("%s: %v", tool, e)
		}
	}
	log := s.call("read_artifact", map[string]any{"repo": repo, "run_id": id, "artifact": "run.log"})
	if log.text(".next_cursor") != "null" {
		t.Errorf("%v", log)
	}
}

func TestMCPVerdictWithoutIdFindsTheLiveRun(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	repo := w.plain()
	s := w.serve()
	done := s.call("run_review", map[string]any{"repo": repo})
	id := w.live(repo).Record().ID
	verdict := s.call("verdict", map[string]any{"repo": repo})
	if verdict.word(".run_id") != id || id == done.word(".run_id") || verdict.word(".status") != "in_progress" {
		t.Errorf("%v", verdict)
	}
}

func TestMCPRunIsReadByFindingsAndArtifacts(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	repo := w.plain()
	s := w.serve()
	id := s.call("run_review", map[string]any{"repo": repo}).word(".run_id")
	args := map[string]any{"repo": repo, "run_id": id}
	if b := s.call("findings", args); b.text(".items") != "[]" || b.number(".total") != 0 || b.text(".next_cursor") != "null" {
		t.Errorf("%v", b)
	}
	args["artifact"] = "00_summary/MERGE_GATE.json"
	if b := s.call("read_artifact", args); !strings.Contains(b.word(".content"), id) || b.number(".total_lines") < 10 || b.text(".next_cursor") != "null" {
		t.Errorf("%v", b)
	}
	var answers []string
	for _, path := range []string{"../../../etc/passwd", "/etc/passwd", "nothing.md", "00_summary", ".lock", ""} {
		args["artifact"] = path
		e := s.fails("artifact_missing", "read_artifact", args)
		answers = append(answers, strings.Replace(e.word(".message"), fmt.Sprintf("%q", path), "X", 1))
	}
	if len(slices.Compact(answers)) != 1 {
		t.Errorf("the answers differ: %q", answers)
	}
}

func TestMCPRunOfTheCommandLineIsFound(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	repo := w.plain()
	out, err := w.command(repo, gavel(t), "run", "--json").Output()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	var run body
	if err := json.Unmarshal(out, &run); err != nil {
		t.Fatal(err)
	}
	verdict := w.serve().call("verdict", map[string]any{"repo": repo})
	for _, path := range []string{".run_id", ".verdict", ".merge_recommendation", ".allow_merge", ".blocking_issues", ".caveats", ".gates"} {
		if verdict.text(path) == "" || verdict.text(path) != run.text(path) {
			t.Errorf("%s: %s, the run said %s", path, verdict.text(path), run.text(path))
		}
	}
}

func TestMCPVerdictWithoutAnyRun(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	e := w.serve().fails("run_not_found", "verdict", map[string]any{"repo": w.plain()})
	if !strings.Contains(e.word(".hint"), "run_review") {
		t.Errorf("the hint names no tool: %v", e)
	}
}

func TestMCPContradictoryDecisionIsReadAtItsWorst(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	repo := w.plain()
	s := w.serve()
	run := s.call("run_review", map[string]any{"repo": repo})
	pack := run.word(".artifact_paths.pack")
	data, err := os.ReadFile(filepath.Join(pack, "00_summary/MERGE_GATE.json"))
	if err != nil {
		t.Fatal(err)
	}
	text := strings.Replace(string(data), `"merge_recommendation": "approve"`, `"merge_recommendation": "block"`, 1)
	if text == string(data) || !strings.Contains(text, `"allow_merge": true`) {
		t.Fatalf("the decision looks otherwise: %s", data)
	}
	w.plant(pack, "00_summary/MERGE_GATE.json", []byte(text))
	verdict := s.call("verdict", map[string]any{"repo": repo})
	if verdict.word(".merge_recommendation") != "block" || verdict.word(".verdict") != "BLOCK" || verdict.text(".allow_merge") != "false" ||
		!strings.HasPrefix(verdict.word(".caveats[0]"), "core_inconsistency:") {
		t.Errorf("%v", verdict)
	}
}

func TestMCPRunDoesNotCountForAnotherCommit(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	repo := w.plain()
	s := w.serve()
	id := s.call("run_review", map[string]any{"repo": repo}).word(".run_id")
	w.commit(repo, map[string]string{"c.txt": "c\n"})
	s.fails("run_not_found", "verdict", map[string]any{"repo": repo})
	state := s.call("state", map[string]any{"repo": repo})
	if state.text(".latest_run_for_head") != "null" || state.word(".latest_run_any.run_id") != id {
		t.Errorf("%v", state)
	}
}

// sarif is a report of three results, of which two are errors.
func sarif(message string) []byte {
	result := func(file, level string, line int) map[string]any {
		return map[string]any{"ruleId": "test/rule", "level": level, "message": map[string]any{"text": message}, "locations": []any{map[string]any{
			"physicalLocation": map[string]any{"artifactLocation": map[string]any{"uri": file}, "region": map[string]any{"startLine": line}}}}}
	}
	data, _ := json.Marshal(map[string]any{"version": "2.1.0", "runs": []any{map[string]any{
		"tool":    map[string]any{"driver": map[string]any{"name": "test"}},
		"results": []any{result("src/b.go", "error", 7), result("src/a.go", "error", 2), result("src/ab/c.go", "warning", 1)},
	}}})
	return data
}

func TestMCPFindingsArePagedAndFiltered(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	repo := w.plain()
	s := w.serve()
	run := s.call("run_review", map[string]any{"repo": repo})
	w.plant(run.word(".artifact_paths.pack"), "30_context/INLINE_FINDINGS.sarif", sarif("a message"))
	args := map[string]any{"repo": repo, "limit": 1}
	var seen []string
	for cursor := "null"; len(seen) < 5; {
		b := s.call("findings", args)
		if b.number(".total") != 3 || b.number(".items[#]") != 1 {
			t.Fatalf("%v", b)
		}
		seen = append(seen, b.word(".items[0].file"))
		for _, path := range []string{"file", "line", "severity", "rule", "message", "artifact_ref", "level", "fingerprint", "baseline", "scope", "source"} {
			if b.text(".items[0]."+path) == "" {
				t.Errorf("no %s in %v", path, b["items"])
			}
		}
		if cursor = b.text(".next_cursor"); cursor == "null" {
			break
		}
		args["cursor"] = b.word(".next_cursor")
	}
	if want := []string{"src/a.go", "src/ab/c.go", "src/b.go"}; !slices.Equal(seen, want) {
		t.Errorf("%v, want %v", seen, want)
	}
	for _, c := range []struct {
		filter map[string]any
		want   int
	}{
		{map[string]any{"severity": "ERROR"}, 2}, {map[string]any{"severity": "Warning"}, 1}, {map[string]any{"severity": "none"}, 0},
		{map[string]any{"path": "src/a"}, 2}, {map[string]any{"path": "src/ab/"}, 1}, {map[string]any{"path": "src/a", "severity": "error"}, 1},
		{map[string]any{"limit": 5000}, 3},
	} {
		c.filter["repo"] = repo
		if b := s.call("findings", c.filter); b.number(".total") != c.want || b.number(".items[#]") != c.want || b.text(".next_cursor") != "null" {
			t.Errorf("%v: %v", c.filter, b)
		}
	}
	for _, limit := range []int{0, -3} {
		if b := s.call("findings", map[string]any{"repo": repo, "limit": limit}); b.number(".items[#]") != 1 {
			t.Errorf("limit %d is not clamped to 1: %v", limit, b["items"])
		}
	}
}

func TestMCPToolListIsQuick(t *testing.T) {
	t.Parallel()
	s := newWorld(t).serve()
	best := time.Hour
	for range 5 {
		began := time.Now()
		s.rpc("tools/list", map[string]any{})
		best = min(best, time.Since(began))
	}
	t.Logf("tools/list: %v at best of five", best)
}

func TestMCPServerDependsOnTheArgumentAlone(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	repo := w.plain()
	other := w.repository("other", map[string]string{"x": "x"}, nil)
	w.git(other, "checkout", "-q", "-b", "elsewhere")
	s := begin(t, w.command(other, gavel(t), "mcp"))
	if b := s.call("state", map[string]any{"repo": filepath.Join(repo)}); b.word(".branch") != "feature" {
		t.Errorf("%v", b)
	}
}

func TestMCPInheritedGitVariablesAreScrubbed(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	repo, victim := w.plain(), w.repository("victim", map[string]string{"v": "v"}, nil)
	w.git(victim, "checkout", "-q", "-b", "victim")
	head := w.git(victim, "rev-parse", "HEAD")
	w.env["GIT_DIR"], w.env["GIT_WORK_TREE"], w.env["GIT_INDEX_FILE"] = filepath.Join(victim, ".git"), victim, filepath.Join(victim, ".git", "index")
	s := w.serve()
	if b := s.call("state", map[string]any{"repo": repo}); b.word(".branch") != "feature" {
		t.Errorf("%v", b)
	}
	if b := s.call("run_review", map[string]any{"repo": repo}); b.text(".base_used") != `["main"]` || b.number(".stats.files_changed") != 1 {
		t.Errorf("%v", b)
	}
	for _, name := range []string{"GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE"} {
		delete(w.env, name)
	}
	if now := w.git(victim, "rev-parse", "HEAD"); now != head || w.git(victim, "status", "--porcelain") != "" {
		t.Errorf("the other repository moved: %s, was %s", now, head)
	}
}

func TestMCPRelativePathIsNoRepository(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.plain() // in the server's working directory
	s := w.serve()
	for _, tool := range []string{"state", "run_review", "verdict", "findings", "health", "review"} {
		e := s.fails("repo_not_found", tool, map[string]any{"repo": "plain"})
		if !strings.Contains(e.word(".message"), "absolute") {
			t.Errorf("%s: %v", tool, e)
		}
	}
}

func TestMCPMissingPathIsNoRepository(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	s := w.serve()
	for _, path := range []string{filepath.Join(w.dir, "nowhere"), ""} {
		for _, tool := range []string{"state", "run_review", "verdict", "findings", "health", "review"} {
			s.fails("repo_not_found", tool, map[string]any{"repo": path})
		}
	}
}

func TestMCPKeptReviewIsReadLikeARun(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	repo := w.plain()
	w.write(repo, map[string]string{"c.txt": "<<<<<<< HEAD\na\n=======\nb\n>>>>>>> other\n"})
	w.git(repo, "add", "-A")
	s := w.serve()
	review := s.call("review", map[string]any{"repo": repo})
	id := review.word(".run_id")
	b := s.call("findings", map[string]any{"repo": repo, "run_id": id, "limit": 1})
	if b.number(".total") == 0 || b.number(".total") != review.number(".findings_total") || b.word(".items[0].file") != "c.txt" ||
		b.word(".items[0].artifact_ref") != "review.json" || b.word(".run_id") != id {
		t.Errorf("%v", b)
	}
	args := map[string]any{"repo": repo, "run_id": id, "artifact": "review.json", "limit": 7}
	var whole strings.Builder
	for {
		b := s.call("read_artifact", args)
		whole.WriteString(b.word(".content"))
		if b.text(".next_cursor") == "null" {
			break
		}
		args["cursor"] = b.word(".next_cursor")
	}
	var document body
	if err := json.Unmarshal([]byte(whole.String()), &document); err != nil || document.word(".run_id") != id {
		t.Errorf("%v: %.300s", err, whole.String())
	}
	s.fails("artifact_missing", "read_artifact", map[string]any{"repo": repo, "run_id": id, "artifact": "report.json"})
	s.fails("run_not_found", "verdict", map[string]any{"repo": repo, "run_id": id})
	s.fails("invalid_args", "findings", map[string]any{"repo": repo, "run_id": id, "cursor": "garbage"})
}
