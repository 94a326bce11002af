package gavel_test

import (
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gavel-review/gavel"
)

var gateTime = time.Date(2026, 3, 10, 12, 13, 14, 0, time.UTC)

func wholeRun() gavel.RunRecord {
	return gavel.RunRecord{
		ID: "20260310-121314-0123456", Kind: gavel.RunOfChange, Profile: gavel.ProfileQuick, Subject: gavel.SubjectCommit,
		Commit: strings.Repeat("c", 40), Tree: strings.Repeat("d", 40), Branch: "feature", BaseUsed: []string{"origin/main"},
		BaseCommit: strings.Repeat("a", 40), MergeBase: strings.Repeat("b", 40), BaseFallback: true, StartedAt: gateTime.Add(-3 * time.Second),
	}
}

// wholeGate sets every field, so that the golden file shows every name on the wire.
func wholeGate() *gavel.MergeGate {
	tests := result("go-test@api", failed(unsure), needed)
	tests.Evidence, tests.BaselineDetail, tests.Findings = []string{"example.com/a.TestAdd fails"}, "the base needs other dependencies", 1
	lint := result("staticcheck", is(gavel.CheckNoScan, "tool_missing"))
	lint.Detail, lint.Reduced = "staticcheck is not on PATH", []string{"all of it"}
	e := both(found(at(gavel.Critical), at(gavel.High, pending, on("b.go", 1)), at(gavel.Medium), at(gavel.Low), at(gavel.Info)),
		skipped(gavel.SkipTooLarge), ran(tests, lint, result("go-vet")))
	e.LeftOut, e.Profile = []string{"audit"}, gavel.ProfileQuick
	g := gavel.NewMergeGate(wholeRun(), e, policy(), 7, gateTime.Add(123*time.Millisecond))
	g.NotJudged = "never beside a verdict"
	return g
}

func TestMergeGateGolden(t *testing.T) {
	t.Parallel()
	golden(t, "testdata/mergegate.json", wholeGate())
	golden(t, "testdata/mergegate-pass.json", gavel.NewMergeGate(gavel.RunRecord{}, gavel.Evidence{}, policy(), 0, gateTime))
}

func TestMergeGateCountsChecks(t *testing.T) {
	t.Parallel()
	e := ran(result("a"), result("b", failed(before)), result("c", is(gavel.CheckSkip, "")), result("d", is(gavel.CheckNoScan, "")),
		result("e", is(gavel.CheckError, "")), result("f"))
	g := gavel.NewMergeGate(wholeRun(), e, policy(requires("c")), 3, gateTime)
	if want := (gavel.RunStats{ChecksPassed: 2, ChecksFailed: 1, ChecksSkipped: 3, FilesChanged: 3}); g.Stats != want {
		t.Errorf("%+v, want %+v", g.Stats, want)
	}
	if !g.Checks[2].Required || g.Checks[0].Required {
		t.Errorf("what policy requires is not said: %+v", g.Checks)
	}
	if e.Checks[2].Required {
		t.Error("the evidence was changed")
	}
}

func (d dice) mergeGate() *gavel.MergeGate {
	e, p := d.evidence(), d.policy()
	if d.one(6) {
		e.NotJudged = "the model failed"
	}
	return gavel.NewMergeGate(wholeRun(), e, p, d.IntN(9), gateTime)
}

func encoded(t *testing.T, v any) []byte {
	t.Helper()
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// What was written is read back unchanged.
func TestMergeGateRoundTrip(t *testing.T) {
	t.Parallel()
	for seed := range uint64(3000) {
		want := newDice(seed).mergeGate()
		got, err := gavel.ReadMergeGate(encoded(t, want))
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if !reflect.DeepEqual(got, want) {
			t.Fatalf("seed %d:\ngot  %+v\nwant %+v", seed, got, want)
		}
	}
}

// fields is a stored decision as a map, for editing.
func gateFields(t *testing.T, g *gavel.MergeGate) map[string]any {
	t.Helper()
	var m map[string]any
	if err := json.Unmarshal(encoded(t, g), &m); err != nil {
		t.Fatal(err)
	}
	return m
}

const inconsistent = "core_inconsistency: "

func TestReadMergeGate(t *testing.T) {
	t.Parallel()
	good := gavel.NewMergeGate(wholeRun(), ran(result("go-vet")), policy(), 1, gateTime)
	careful := gavel.NewMergeGate(wholeRun(), found(at(gavel.Medium)), policy(), 1, gateTime)
	bad := gavel.NewMergeGate(wholeRun(), found(at(gavel.High)), policy(), 1, gateTime)
	unjudged := gavel.NewMergeGate(wholeRun(), both(gavel.Evidence{NotJudged: "model"}, found(at(gavel.High))), policy(), 1, gateTime)
	tests := []struct {
		name   string
		gate   *gavel.MergeGate
		edit   map[string]any // nil deletes
		want   gavel.Decision
		caveat bool // about an inconsistency
	}{
		{"as written, good", good, nil, pass, false},
		{"as written, careful", careful, nil, conditional, false},
		{"as written, bad", bad, nil, block, false},
		{"as written, not judged", unjudged, nil, none, false},
		{"the retired word for good", good, map[string]any{"verdict": "ALLOW"}, pass, false},
		{"in small letters", good, map[string]any{"verdict": "allow"}, pass, false},
		{"the retired word for careful", careful, map[string]any{"verdict": "Hold"}, conditional, false},
		{"retired words everywhere", careful, map[string]any{"verdict": "HOLD", "merge_recommendation": "hold"}, conditional, false},
		{"an unknown field", good, map[string]any{"policy_version": 7, "x": map[string]any{"verdict": "BLOCK"}}, pass, false},
		{"verdict says block", good, map[string]any{"verdict": "BLOCK"}, block, true},
		{"verdict says hold", good, map[string]any{"verdict": "HOLD"}, conditional, true},
		{"verdict says nothing", good, map[string]any{"verdict": ""}, conditional, true},
		{"verdict unreadable", good, map[string]any{"verdict": "FINE"}, conditional, true},
		{"recommendation says block", good, map[string]any{"merge_recommendation": "block"}, block, true},
		{"recommendation says review", good, map[string]any{"merge_recommendation": "review_required"}, conditional, true},
		{"recommendation unreadable", good, map[string]any{"merge_recommendation": "ship it"}, conditional, true},
		{"not allowed", good, map[string]any{"allow_merge": false}, conditional, true},
		{"incomplete", good, map[string]any{"incomplete": true}, conditional, true},
		{"pending", good, map[string]any{"suppression_pending": true}, conditional, true},
		{"something blocks", good, map[string]any{"blocking_issues": []string{"x"}}, block, true},
		{"a gate fails", good, map[string]any{"gates": []any{map[string]any{"id": "g", "status": "fail"}}}, block, true},
		{"a gate asks", good, map[string]any{"gates": []any{map[string]any{"id": "g", "status": "conditional"}}}, conditional, true},
		{"a gate measured nothing", good, map[string]any{"gates": []any{map[string]any{"id": "g", "status": "unknown"}}}, conditional, true},
		{"a gate says what is not known", good, map[string]any{"gates": []any{map[string]any{"id": "g", "status": "PASS"}}}, conditional, true},
		{"a reason not to judge", good, map[string]any{"not_judged": "model"}, none, true},
		{"verdict missing", good, map[string]any{"verdict": nil}, conditional, true},
		{"recommendation missing", good, map[string]any{"merge_recommendation": nil}, conditional, true},
		{"permission missing", good, map[string]any{"allow_merge": nil}, conditional, true},
		{"gates missing", good, map[string]any{"gates": nil}, conditional, true},
		{"gates null", good, map[string]any{"gates": json.RawMessage("null")}, conditional, true},
		{"blocking issues missing", good, map[string]any{"blocking_issues": nil}, conditional, true},
		{"bad, called pass", bad, map[string]any{"verdict": "PASS"}, block, true},
		{"bad, approved", bad, map[string]any{"merge_recommendation": "approve"}, block, true},
		{"bad, allowed", bad, map[string]any{"allow_merge": true}, block, true},
		{"bad, called pass, approved and allowed", bad, map[string]any{"verdict": "PASS", "merge_recommendation": "approve", "allow_merge": true}, block, true},
		{"bad, but for the gates all is gone", bad, map[string]any{"verdict": nil, "merge_recommendation": "approve", "allow_merge": nil, "blocking_issues": nil}, block, true},
		{"bad, but for the verdict all is gone", bad, map[string]any{"merge_recommendation": nil, "allow_merge": nil, "blocking_issues": nil, "gates": nil, "incomplete": nil}, block, true},
		{"careful, allowed", careful, map[string]any{"allow_merge": true}, conditional, true},
		{"careful, called pass", careful, map[string]any{"verdict": "PASS", "merge_recommendation": "approve", "allow_merge": true}, conditional, true},
		{"not judged, called pass", unjudged, map[string]any{"verdict": "PASS"}, block, true},
		{"not judged, allowed", unjudged, map[string]any{"allow_merge": true}, none, true},
		{"not judged, blocked", unjudged, map[string]any{"merge_recommendation": "block"}, block, true},
		{"an old one of few words", nil, map[string]any{"verdict": "ALLOW", "merge_recommendation": "approve", "allow_merge": true}, pass, false},
		{"an old one of one word", nil, map[string]any{"verdict": "HOLD"}, conditional, false},
		{"an old one that contradicts itself", nil, map[string]any{"verdict": "ALLOW", "allow_merge": false}, conditional, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			m := map[string]any{}
			if tt.gate != nil {
				m = gateFields(t, tt.gate)
			}
			for k, v := range tt.edit {
				m[k] = v
				if v == nil {
					delete(m, k)
				}
			}
			g, err := gavel.ReadMergeGate(encoded(t, m))
			if err != nil {
				t.Fatal(err)
			}
			if g.Decision != tt.want {
				t.Errorf("%q, want %q: %+v", g.Decision, tt.want, g)
			}
			said := len(g.Caveats) > 0 && strings.HasPrefix(g.Caveats[0], inconsistent)
			if said != tt.caveat {
				t.Errorf("inconsistency said: %v, want %v: %q", said, tt.caveat, g.Caveats)
			}
			honest(t, g)
		})
	}
}

// honest checks what holds for every decision that was read.
func honest(t *testing.T, g *gavel.MergeGate) {
	t.Helper()
	coherent(t, g.Verdict)
	if g.MergeAllowed != g.AllowMerge() || g.MergeRecommendation != g.Recommendation() || g.Schema != gavel.SchemaVersion {
		t.Errorf("what is derived differs: %+v", g)
	}
	if (g.Decision == gavel.NoDecision) != (g.NotJudged != "") && g.Decision != gavel.Block || g.Decision == gavel.NoDecision && !g.Incomplete {
		t.Errorf("no decision and no reason: %+v", g)
	}
	if g.BaseUsed == nil || g.Checks == nil {
		t.Errorf("a list is null: %+v", g)
	}
}

func TestReadMergeGateRefuses(t *testing.T) {
	t.Parallel()
	whole := string(encoded(t, gavel.NewMergeGate(wholeRun(), gavel.Evidence{}, policy(), 1, gateTime)))
	swap := func(old, with string) string {
		if !strings.Contains(whole, old) {
			t.Fatalf("%q is not in it", old)
		}
		return strings.Replace(whole, old, with, 1)
	}
	tests := map[string]struct{ data, want string }{
		"nothing":                   {"", "not JSON"},
		"no JSON":                   {"PASS", "not JSON"},
		"null":                      {"null", "no JSON object"},
		"a list":                    {"[]", "no JSON object"},
		"an empty object":           {"{}", "neither verdict"},
		"cut short":                 {whole[:len(whole)-1], "unexpected end"},
		"something behind":          {whole + "{}", "after top-level value"},
		"no decision":               {`{"schema":1,"allow_merge":true,"gates":[]}`, "neither verdict"},
		"words of another language": {`{"verdict":"OK","merge_recommendation":"ship"}`, `verdict "OK"`},
		"a higher schema":           {swap(`"schema":1`, `"schema":2`), "schema 2"},
		"schema zero":               {swap(`"schema":1`, `"schema":0`), "schema 0"},
		"schema as a word":          {swap(`"schema":1`, `"schema":"1"`), "schema"},
		"verdict as a number":       {swap(`"verdict":"PASS"`, `"verdict":1`), "verdict"},
		"permission as a word":      {swap(`"allow_merge":true`, `"allow_merge":"true"`), "allow_merge"},
		"gates as a word":           {swap(`"gates":[`, `"gates":"none","x":[`), "gates"},
		"a gate without status":     {swap(`"gates":[`, `"gates":[{"id":"x"},`), "status is missing"},
		"a gate without id":         {swap(`"gates":[`, `"gates":[{"id":"","status":"pass"},`), "id is missing"},
		"a gate that is no object":  {swap(`"gates":[`, `"gates":[null,`), "no JSON object"},
		"verdict twice":             {swap(`"verdict":"PASS"`, `"verdict":"BLOCK","verdict":"PASS"`), `"verdict" is there twice`},
		"verdict in another case":   {swap(`"verdict":"PASS"`, `"verdict":"BLOCK","Verdict":"PASS"`), `"Verdict" is not "verdict"`},
		"another case, elsewhere":   {swap(`"checks":`, `"VERDICT":"PASS","checks":`), `"VERDICT" is not "verdict"`},
		"a letter that folds":       {swap(`"gates":[`, `"gate\u017f":[`), `is not "gates"`},
		"a status twice":            {swap(`"status":"pass"`, `"status":"fail","status":"pass"`), `"status" is there twice`},
		"a status in another case":  {swap(`"status":"pass"`, `"Status":"pass"`), `"Status" is not "status"`},
		"a time that is none":       {swap(`"generated_at":"2026`, `"generated_at":"x2026`), "parsing time"},
		"too large":                 {`{"verdict":"PASS","x":"` + strings.Repeat("x", 16<<20) + `"}`, "larger than"},
		"too deep":                  {`{"verdict":"PASS","x":` + strings.Repeat("[", 20000) + strings.Repeat("]", 20000) + "}", "depth"},
	}
	for name, tt := range tests {
		g, err := gavel.ReadMergeGate([]byte(tt.data))
		if e := gavel.AsError(err); err == nil || e.Class != gavel.StorageCorrupt || e.Hint == "" || !strings.Contains(e.Message, tt.want) {
			t.Errorf("%s: %v, want storage_corrupt with %q (%+v)", name, err, tt.want, g)
		}
	}
}

// Every name on the wire is one that must be there exactly.
func TestReadMergeGateKnowsItsNames(t *testing.T) {
	t.Parallel()
	for name := range gateFields(t, wholeGate()) {
		like := strings.ToUpper(name[:1]) + name[1:]
		if _, err := gavel.ReadMergeGate([]byte(`{"verdict":"PASS","` + like + `":0}`)); err == nil || !strings.Contains(err.Error(), "is not") {
			t.Errorf("%s is taken for %s: %v", like, name, err)
		}
	}
}

// The mutation of a stored decision: fields change, go, come twice and come in another case.
func (d dice) mutated(t *testing.T, g *gavel.MergeGate) (data []byte, worst gavel.Decision) {
	t.Helper()
	fields := gateFields(t, g)
	names := slices.Sorted(maps.Keys(fields))
	var doubled []string
	for range 1 + d.IntN(4) {
		switch name := pick(d, names...); d.IntN(12) {
		case 0:
			delete(fields, name)
		case 1:
			if _, there := fields[name]; there {
				doubled = append(doubled, `"`+name+`":`+string(encoded(t, d.value(name))))
			}
		case 2:
			doubled = append(doubled, `"`+strings.ToUpper(name)+`":`+string(encoded(t, d.value(name))))
		default:
			name = pick(d, append(names, signalNames...)...)
			fields[name] = d.value(name)
		}
	}
	worst = worstSignal(fields)
	data = encoded(t, fields)
	if len(doubled) > 0 && len(fields) > 0 {
		data = append(data[:len(data)-1], ","+strings.Join(doubled, ",")+"}"...)
	}
	return data, worst
}

// signalNames are changed more often than the rest.
var signalNames = slices.Repeat([]string{"verdict", "merge_recommendation", "allow_merge", "gates", "blocking_issues", "incomplete", "not_judged"}, 6)

// value is something that might stand in the field, or might not.
func (d dice) value(name string) any {
	if d.one(12) {
		return pick[any](d, nil, "", 0, true, []any{}, map[string]any{}, "PASS")
	}
	switch name {
	case "verdict", "merge_recommendation":
		return pick(d, "PASS", "ALLOW", "approve", "pass", "HOLD", "CONDITIONAL", "review_required", "BLOCK", "block", "other", "")
	case "allow_merge", "incomplete", "suppression_pending":
		return d.one(2)
	case "gates":
		return []any{map[string]any{"id": "g", "status": pick(d, "pass", "neutral", "fail", "conditional", "unknown", "other", "PASS")}}
	case "blocking_issues", "caveats":
		return pick(d, []string{}, []string{"x"})
	case "not_judged":
		return pick(d, "", "model")
	}
	return d.other(name)
}

// other is a value of the same type, so that the rest can be read.
func (d dice) other(name string) any {
	switch name {
	case "checks", "base_used":
		return []any{}
	case "counts", "stats":
		return map[string]any{}
	case "schema":
		return 1
	case "base_fallback":
		return d.one(2)
	case "started_at", "generated_at":
		return gateTime
	}
	return "other"
}

// worstSignal is the oracle: it looks at each signal by itself.
func worstSignal(fields map[string]any) gavel.Decision {
	worst := gavel.Pass
	note := func(d gavel.Decision) {
		if slices.Index(worstLast, d) > slices.Index(worstLast, worst) {
			worst = d
		}
	}
	for _, name := range []string{"verdict", "merge_recommendation"} {
		switch word, _ := fields[name].(string); strings.ToLower(word) {
		case "pass", "allow", "approve":
		case "block":
			note(gavel.Block)
		default:
			note(gavel.Conditional)
		}
	}
	if allowed, is := fields["allow_merge"].(bool); !is || !allowed {
		note(gavel.Conditional)
	}
	for _, name := range []string{"incomplete", "suppression_pending"} {
		if set, is := fields[name].(bool); !is || set {
			note(gavel.Conditional)
		}
	}
	if issues, is := fields["blocking_issues"].([]any); is && len(issues) > 0 {
		note(gavel.Block)
	}
	gates, _ := fields["gates"].([]any)
	for _, g := range gates {
		switch g.(map[string]any)["status"] {
		case "pass", "neutral":
		case "fail":
			note(gavel.Block)
		default:
			note(gavel.Conditional)
		}
	}
	if why, _ := fields["not_judged"].(string); why != "" {
		note(gavel.Conditional)
	}
	return worst
}

// worstLast orders decisions for whoever reads one: without any, nothing may be done at all.
var worstLast = []gavel.Decision{gavel.Pass, gavel.Conditional, gavel.Block, gavel.NoDecision}

func TestMutatedMergeGateNeverReadsAsBetter(t *testing.T) {
	t.Parallel()
	read := 0
	for seed := range uint64(4000) {
		d := newDice(seed)
		data, worst := d.mutated(t, d.mergeGate())
		g, err := gavel.ReadMergeGate(data)
		if err != nil {
			if gavel.AsError(err).Class != gavel.StorageCorrupt {
				t.Fatalf("seed %d: %v", seed, err)
			}
			continue
		}
		read++
		if slices.Index(worstLast, g.Decision) < slices.Index(worstLast, worst) {
			t.Fatalf("seed %d: %q reads as better than its worst signal %q: %+v\n%s", seed, g.Decision, worst, g.Caveats, data)
		}
		honest(t, g)
		again, err := gavel.ReadMergeGate(encoded(t, g))
		if err != nil || again.Decision != g.Decision {
			t.Fatalf("seed %d: written and read again: %v %+v", seed, err, again)
		}
	}
	if read < 1500 {
		t.Errorf("only %d of the mutations could be read at all", read)
	}
}

func FuzzReadMergeGate(f *testing.F) {
	for _, g := range []*gavel.MergeGate{
		wholeGate(), gavel.NewMergeGate(gavel.RunRecord{}, gavel.Evidence{}, policy(), 0, gateTime),
		gavel.NewMergeGate(wholeRun(), gavel.Evidence{NotJudged: "model"}, policy(), 0, gateTime),
	} {
		data, err := json.Marshal(g)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Add([]byte(`{"verdict":"ALLOW","Verdict":"BLOCK"}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		g, err := gavel.ReadMergeGate(data)
		if err != nil {
			return
		}
		honest(t, g)
		var fields map[string]any
		if json.Unmarshal(data, &fields) != nil {
			t.Fatalf("read what is no JSON object: %q", data)
		}
		if _, has := fields["schema"]; has && slices.Index(worstLast, g.Decision) < slices.Index(worstLast, worstSignal(fields)) {
			t.Fatalf("%q reads as better than its worst signal: %q", data, g.Decision)
		}
	})
}
