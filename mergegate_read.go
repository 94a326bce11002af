package gavel

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// maxMergeGate is the size in bytes that [ReadMergeGate] accepts.
const maxMergeGate = 16 << 20

// ReadMergeGate reads a stored decision. What it says is the most conservative of its signals: the verdict, the
// recommendation, the permission, the gates, what blocks, what is incomplete or pending. Signals that contradict each
// other, or that are missing, add a first caveat that begins with core_inconsistency. The retired words ALLOW (PASS) and
// HOLD (CONDITIONAL) are understood, in any case. Fields that are not known are ignored.
//
// Every error is of class storage_corrupt: no JSON object, no decision that can be recognised, a field of another type,
// a name that is there twice or in another case (one reader takes the first, another the last), a higher schema.
func ReadMergeGate(data []byte) (*MergeGate, error) {
	r, err := openMergeGate(data)
	if err != nil {
		return nil, err
	}
	signals := r.signals()
	final := Pass
	for _, s := range signals {
		final = worse(final, s.says)
	}
	caveat := inconsistency(signals, r.missing(), final)
	if caveat != "" && final == Pass {
		final = Conditional
	}
	g := &r.gate
	g.Decision = final
	g.conclude(g.Verdict)
	if caveat != "" {
		g.Caveats = slices.Insert(g.Caveats, 0, caveat)
	}
	g.explain()
	return g, nil
}

// explain makes a decision say why, where what was stored no longer does.
func (g *MergeGate) explain() {
	for i := range g.Gates {
		gate := &g.Gates[i]
		line := gate.ID + ": " + gate.Reason
		switch d, _ := gate.decision(); {
		case d == Conditional && !slices.Contains(g.Caveats, line):
			g.Caveats = append(g.Caveats, line)
		case d == Block && len(g.Blocking) == 0:
			g.Blocking = append(g.Blocking, blockingLines(*gate)...)
		}
	}
	const unsaid = "the stored decision does not say why: look at the run"
	if g.Decision == Block && len(g.Blocking) == 0 {
		g.Blocking = append(g.Blocking, unsaid)
	}
	if g.Decision == Conditional && len(g.Caveats) == 0 {
		g.Caveats = append(g.Caveats, unsaid)
	}
}

// storedGate is a decision as it was read, with the names of the fields that were there.
type storedGate struct {
	gate       MergeGate
	has        map[string]bool
	incomplete bool // as it was stated; the gates may know better
}

func corruptGate(format string, args ...any) *Error {
	return Errorf(StorageCorrupt, "stored decision: "+format, args...).WithHint("run again: a stored decision is never mended")
}

func openMergeGate(data []byte) (*storedGate, error) {
	if len(data) > maxMergeGate {
		return nil, corruptGate("it is larger than %d bytes", maxMergeGate)
	}
	r := &storedGate{gate: MergeGate{Mode: ModeBlock}, has: make(map[string]bool)}
	fields, err := exactFields(data, mergeGateNames()...)
	if err != nil {
		return nil, corruptGate("%w", err)
	}
	for name, value := range fields {
		r.has[name] = !bytes.Equal(value, []byte("null"))
	}
	if err := checkGates(fields["gates"]); err != nil {
		return nil, corruptGate("gates: %w", err)
	}
	if err := json.Unmarshal(data, &r.gate); err != nil {
		return nil, corruptGate("%w", err)
	}
	return r, r.normalise()
}

// normalise refuses what is no decision of this schema, and leaves no list null.
func (r *storedGate) normalise() error {
	g := &r.gate
	if r.has["schema"] && g.Schema != SchemaVersion {
		e := corruptGate("schema %d is not %d", g.Schema, SchemaVersion)
		if g.Schema > SchemaVersion {
			e = e.WithHint("upgrade gavel: it was written by a newer one")
		}
		return e
	}
	_, verdict := foldDecision(string(g.Decision))
	_, recommendation := foldDecision(string(g.MergeRecommendation))
	if !verdict && !recommendation {
		return corruptGate("neither verdict %s nor merge_recommendation %s is known", cutQuoted(string(g.Decision)), cutQuoted(string(g.MergeRecommendation)))
	}
	g.Schema = SchemaVersion
	for _, l := range []*[]string{&g.Blocking, &g.Caveats, &g.BaseUsed} {
		*l = append([]string{}, *l...)
	}
	g.Gates, g.Checks = append([]Gate{}, g.Gates...), append([]CheckResult{}, g.Checks...)
	r.incomplete = g.Incomplete
	for i := range g.Gates {
		gate := &g.Gates[i]
		gate.Evidence = append([]string{}, gate.Evidence...)
		_, incomplete := gate.decision()
		g.Incomplete = g.Incomplete || incomplete
	}
	g.Incomplete = g.Incomplete || g.NotJudged != ""
	return nil
}

// signal is one field that a decision can be read from.
type signal struct {
	name, text string
	says       Decision
	agrees     func(final Decision) bool
}

func (r *storedGate) signals() []signal {
	g := &r.gate
	all := []signal{
		wordSignal("verdict", string(g.Decision), g.NotJudged != ""),
		wordSignal("merge_recommendation", string(g.MergeRecommendation), false),
		{"allow_merge", fmt.Sprint(g.MergeAllowed), passUnless(!g.MergeAllowed, Conditional), func(d Decision) bool { return g.MergeAllowed == (d == Pass) }},
		{"incomplete", fmt.Sprint(r.incomplete), passUnless(g.Incomplete, Conditional), func(Decision) bool { return r.incomplete == g.Incomplete }},
		{"suppression_pending", fmt.Sprint(g.Pending), passUnless(g.Pending, Conditional), nil},
		{"not_judged", cutQuoted(g.NotJudged), passUnless(g.NotJudged != "", NoDecision), nil},
	}
	if g.Decision != NoDecision || g.NotJudged == "" { // what was not judged says so, whatever was measured before
		gates := Pass
		for i := range g.Gates {
			d, _ := g.Gates[i].decision()
			gates = worse(gates, d)
		}
		blocks := len(g.Blocking) > 0
		all = append(all,
			signal{"gates", string(gates), gates, func(d Decision) bool { return d == gates }},
			signal{"blocking_issues", fmt.Sprint(len(g.Blocking)), passUnless(blocks, Block), func(d Decision) bool { return blocks == (d == Block) }})
	}
	return slices.DeleteFunc(all, func(s signal) bool { return !r.has[s.name] })
}

func passUnless(bad bool, then Decision) Decision {
	if bad {
		return then
	}
	return Pass
}

// wordSignal reads a decision or a recommendation. A word that is neither is a condition and agrees with nothing; the
// empty verdict of what was not judged is as it should be.
func wordSignal(name, word string, notJudged bool) signal {
	s := signal{name: name, text: cutQuoted(word), agrees: func(Decision) bool { return false }}
	d, known := foldDecision(word)
	switch {
	case notJudged && word == "":
		s.says, s.agrees = NoDecision, func(final Decision) bool { return final == NoDecision }
	case known:
		s.says, s.agrees = d, func(final Decision) bool {
			return final == d || final == NoDecision && d == Conditional && name != "verdict"
		}
	default:
		s.says = Conditional
	}
	return s
}

// foldDecision reads the words for a decision that are or were in use, the recommendations among them.
func foldDecision(word string) (Decision, bool) {
	switch strings.ToLower(strings.TrimSpace(word)) {
	case "pass", "allow", string(Approve):
		return Pass, true
	case "conditional", "hold", string(ReviewRequired):
		return Conditional, true
	case string(BlockMerge):
		return Block, true
	}
	return NoDecision, false
}

// missing names the signals that a decision of this schema always has. One without a schema is taken as it is.
func (r *storedGate) missing() []string {
	var out []string
	for _, name := range []string{"verdict", "merge_recommendation", "allow_merge", "gates", "blocking_issues", "incomplete", "suppression_pending"} {
		if r.has["schema"] && !r.has[name] {
			out = append(out, name)
		}
	}
	return out
}

// inconsistency is the caveat about signals that are missing or do not agree with the decision, "" where all is well.
func inconsistency(signals []signal, missing []string, final Decision) string {
	agree := !slices.ContainsFunc(signals, func(s signal) bool { return s.agrees != nil && !s.agrees(final) })
	if agree && len(missing) == 0 {
		return ""
	}
	said := make([]string, len(signals))
	for i, s := range signals {
		said[i] = s.name + " " + s.text
	}
	text := "core_inconsistency: the stored decision contradicts itself, and its worst signal counts: " + strings.Join(said, ", ")
	if len(missing) > 0 {
		text += "; missing: " + strings.Join(missing, ", ")
	}
	return text
}

// cutQuoted shows a foreign word.
func cutQuoted(word string) string {
	if len(word) > 60 {
		word = word[:60] + "…"
	}
	return fmt.Sprintf("%q", strings.ToValidUTF8(word, "\ufffd"))
}

// mergeGateNames are the fields whose names must be there once, exactly.
func mergeGateNames() []string {
	return []string{
		"schema", "verdict", "merge_recommendation", "allow_merge", "gates", "blocking_issues", "incomplete", "suppression_pending",
		"not_judged", "caveats", "mode", "checks", "counts", "stats", "run_id", "kind", "profile", "subject", "commit", "tree", "branch",
		"base_used", "base", "merge_base", "base_fallback", "started_at", "generated_at", "schema_version",
	}
}

// checkGates holds every gate to the names of its fields.
func checkGates(data json.RawMessage) error {
	if data == nil {
		return nil
	}
	var gates []json.RawMessage
	if err := json.Unmarshal(data, &gates); err != nil {
		return err
	}
	for i, gate := range gates {
		fields, err := exactFields(gate, "id", "status", "reason", "evidence")
		if err != nil {
			return fmt.Errorf("%d: %w", i, err)
		}
		for _, name := range []string{"id", "status"} {
			if value := string(fields[name]); value == "" || value == "null" || value == `""` {
				return fmt.Errorf("%d: %s is missing", i, name)
			}
		}
	}
	return nil
}

// exactFields returns the fields of a JSON object. A name that is like one of the known ones without being it, or that
// is there twice, is an error: encoding/json alone would take it.
func exactFields(data []byte, known ...string) (map[string]json.RawMessage, error) {
	d := json.NewDecoder(bytes.NewReader(data))
	if open, err := d.Token(); err != nil {
		return nil, fmt.Errorf("not JSON: %w", err)
	} else if open != json.Delim('{') {
		return nil, errors.New("no JSON object")
	}
	fields := make(map[string]json.RawMessage)
	for d.More() {
		token, err := d.Token()
		if err != nil {
			return nil, fmt.Errorf("not JSON: %w", err)
		}
		name, _ := token.(string)
		like := slices.IndexFunc(known, func(k string) bool { return strings.EqualFold(k, name) })
		if like >= 0 && known[like] != name {
			return nil, fmt.Errorf("%s is not %q", cutQuoted(name), known[like])
		}
		if _, twice := fields[name]; twice && like >= 0 {
			return nil, fmt.Errorf("%q is there twice", name)
		}
		var value json.RawMessage
		if err := d.Decode(&value); err != nil {
			return nil, fmt.Errorf("not JSON: %w", err)
		}
		fields[name] = value
	}
	return fields, nil
}
