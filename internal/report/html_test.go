package report

import (
	"bytes"
	"fmt"
	"html"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/gavel-review/gavel"
	"github.com/gavel-review/gavel/internal/untrusted"
)

// What a page may consist of. Of a browser's many words these few are used, and a new one is looked at here first.
var (
	pageElements = strings.Fields("html head meta title style body a header h1 h2 h3 h4 p nav ul li main section article pre code span b bdi table caption thead tbody tr th td details summary dl dt dd footer")
	pageVoid     = []string{"meta"}
	pageAttrs    = strings.Fields("lang charset http-equiv content name class id href role scope tabindex aria-label aria-labelledby data-label")

	tagPattern  = regexp.MustCompile(`^<(/?)([a-z][a-z0-9]*)((?: [a-z-]+="[^"<>]*")*)>$`)
	attrPattern = regexp.MustCompile(` ([a-z-]+)="([^"]*)"`)
	wordPattern = regexp.MustCompile(`^[a-z0-9 -]*$`)
	idPattern   = regexp.MustCompile(`^[a-z0-9-]+$`)
)

// seen is the text that a page shows.
func seen(page string) string {
	_, body, _ := strings.Cut(page, "<h1>")
	return html.UnescapeString(tags.ReplaceAllString(body, ""))
}

// pageCheck reads a page as the strictest reader would: elements balance, every word is known, every reference leads
// somewhere inside the page or the pack.
type pageCheck struct {
	t     *testing.T
	name  string
	files []string
	open  []string
	ids   map[string]bool
	refs  []string
	level int // of the last heading
}

func checkHTML(t *testing.T, s runSample, text string) {
	t.Helper()
	c := &pageCheck{t: t, name: s.name, files: s.run.Files, ids: map[string]bool{}}
	rest, found := strings.CutPrefix(text, "<!DOCTYPE html>\n")
	if !found {
		t.Errorf("%s: no document type", s.name)
	}
	before, after, _ := strings.Cut(rest, "<style>")
	style, after, _ := strings.Cut(after, "</style>")
	if style != styleSheet || strings.Contains(after, "<style") || strings.Contains(style, "<") {
		t.Errorf("%s: the style sheet is not ours alone", s.name)
	}
	for _, tag := range tags.FindAllString(before+after, -1) {
		c.tag(tag)
	}
	if left := strings.ReplaceAll(tags.ReplaceAllString(before+after, ""), "&#34;", ""); strings.ContainsAny(left, `<>"`) {
		t.Errorf("%s: markup in text", s.name)
	}
	if len(c.open) > 0 {
		t.Errorf("%s: not closed: %q", s.name, c.open)
	}
	for _, ref := range c.refs {
		if !c.ids[ref] {
			t.Errorf("%s: nothing has the id %q", s.name, ref)
		}
	}
}

func (c *pageCheck) tag(tag string) {
	m := tagPattern.FindStringSubmatch(tag)
	if m == nil || !slices.Contains(pageElements, m[2]) {
		c.t.Errorf("%s: foreign element %q", c.name, tag)
		return
	}
	if m[1] != "" {
		if n := len(c.open) - 1; n < 0 || c.open[n] != m[2] {
			c.t.Errorf("%s: %s closes %q", c.name, tag, c.open)
		} else {
			c.open = c.open[:n]
		}
		return
	}
	c.heading(m[2])
	for _, a := range attrPattern.FindAllStringSubmatch(m[3], -1) {
		c.attr(tag, a[1], html.UnescapeString(a[2]))
	}
	if !slices.Contains(pageVoid, m[2]) {
		c.open = append(c.open, m[2])
	}
}

// heading holds that no level is left out on the way down.
func (c *pageCheck) heading(element string) {
	if len(element) != 2 || element[0] != 'h' || element == "hr" {
		return
	}
	level := int(element[1] - '0')
	if level > c.level+1 {
		c.t.Errorf("%s: <%s> follows a heading of level %d", c.name, element, c.level)
	}
	c.level = level
}

func (c *pageCheck) attr(tag, name, value string) {
	switch name {
	case "class", "role", "lang", "scope", "tabindex", "charset":
		if !wordPattern.MatchString(value) {
			c.t.Errorf("%s: foreign text in %s", c.name, tag)
		}
	case "id":
		if !idPattern.MatchString(value) || c.ids[value] {
			c.t.Errorf("%s: %s", c.name, tag)
		}
		c.ids[value] = true
	case "aria-labelledby":
		c.refs = append(c.refs, value)
	case "href":
		if id, inside := strings.CutPrefix(value, "#"); inside {
			c.refs = append(c.refs, id)
		} else if !slices.ContainsFunc(c.files, func(path string) bool { return value == packURI(path) }) || !strings.HasPrefix(value, "./") {
			c.t.Errorf("%s: %s leads out of the pack", c.name, tag)
		}
	default:
		if !slices.Contains(pageAttrs, name) {
			c.t.Errorf("%s: foreign attribute in %s", c.name, tag)
		}
	}
}

func TestPackURI(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]string{
		"20_quality/eslint@web.log": "./20_quality/eslint%40web.log", "javascript:alert(1)": "./javascript%3Aalert%281%29",
		"//evil.example/x": "./evil.example/x", "a?b#c": "./a%3Fb%23c", `a"><b`: "./a%22%3E%3Cb", "": "./",
	} {
		if got := packURI(path); got != want {
			t.Errorf("packURI(%q) = %q, want %q", path, got, want)
		}
	}
}

// TestHTMLTextIsText: what a browser shows is what the text says, in text and in the value of an attribute.
func TestHTMLTextIsText(t *testing.T) {
	t.Parallel()
	for _, in := range append(hostiles, `"><script>alert(1)</script>`, "' onmouseover='x", "</title></style><img src=x onerror=y>", "&lt;b&gt; &amp;amp;", "javascript:alert(1)") {
		checkPageText(t, in)
	}
}

func FuzzHTMLText(f *testing.F) {
	for _, h := range hostiles {
		f.Add(h)
	}
	f.Fuzz(checkPageText)
}

func checkPageText(t *testing.T, in string) {
	t.Helper()
	var p page
	p.leaf("p", in, attr{"data-label", in})
	tag, rest, _ := strings.Cut(strings.TrimSuffix(p.String(), "</p>\n"), ">")
	if want := untrusted.Visible(clip(in, maxPlace)); html.UnescapeString(rest) != want || strings.ContainsAny(rest, "<>\"'\n") {
		t.Errorf("%q is shown as %q", in, rest)
	}
	if m := attrPattern.FindStringSubmatch(tag); m == nil || html.UnescapeString(m[2]) != untrusted.Visible(in) || strings.ContainsAny(m[2], "<>'\n") {
		t.Errorf("%q becomes the attribute %q", in, tag)
	}
}

// TestHTMLLoadsNothing: not one address leads anywhere, and the policy forbids what could be overlooked.
func TestHTMLLoadsNothing(t *testing.T) {
	t.Parallel()
	for _, s := range runSamples() {
		text := renderRun(t, s, RunHTML)
		for _, word := range []string{"<script", "<link", "<img", "<iframe", "<object", "<form", "<base", "url(", "@import", "href=\"http"} {
			if strings.Contains(text, word) {
				t.Errorf("%s: the page holds %q", s.name, word)
			}
		}
		if !strings.Contains(text, html.EscapeString(contentPolicy())) || !strings.HasPrefix(contentPolicy(), "default-src 'none'; style-src 'sha256-") {
			t.Errorf("%s: no policy", s.name)
		}
	}
}

// A single message of megabytes takes no more room than any other.
func TestHTMLOfLongTexts(t *testing.T) {
	t.Parallel()
	for _, piece := range []string{"\"", "<b>\n", "\u202e\xff"} {
		long := strings.Repeat(piece, 10<<20/len(piece))
		e := gavel.Evidence{
			Findings: []gavel.Finding{finding(func(f *gavel.Finding) {
				f.Title, f.Description, f.Suggestion, f.Snippet, f.Rule, f.File, f.LineEnd = long, long, long, long, long, long, math.MaxInt
			})},
			Caveats: []string{long},
		}
		s := newRunSample("long", runRecord(), e, func(r *Run) {
			r.Notes, r.Files, r.Checks = []string{long}, []string{long[:4<<10]}, []CheckLine{{ID: long, Tool: long, Failing: []string{long}}}
		})
		if text := renderRun(t, s, RunHTML); len(text) > 1<<20 {
			t.Errorf("%q: %d bytes", piece, len(text))
		}
	}
}

// TestHTMLCountsWhatItLeavesOut: of many findings each is either shown or counted.
func TestHTMLCountsWhatItLeavesOut(t *testing.T) {
	t.Parallel()
	const many = 20_000
	s := newRunSample("many", runRecord(), gavel.Evidence{Findings: manyFindings(many).doc.Findings}, nil)
	for i := range s.run.Findings {
		if i%4 == 3 {
			s.run.Findings[i].Baseline = gavel.BaselineUnchanged
		}
		s.run.Findings[i].Rule = fmt.Sprintf("check/many/%d", i%1000)
	}
	text := renderRun(t, s, RunHTML)
	if len(text) > 1<<20 {
		t.Errorf("%d bytes", len(text))
	}
	checkHTML(t, s, text)
	number := func(pattern string) int {
		total := 0
		for _, m := range regexp.MustCompile(pattern).FindAllStringSubmatch(text, -1) {
			n, err := strconv.Atoi(m[1])
			if err != nil {
				t.Fatal(err)
			}
			total += n
		}
		return total
	}
	full := strings.Count(text, "<article")
	left, old := number(`<h3>(\d+) findings more`), number(`(\d+) findings from before the change`)
	if full == 0 || full > maxHTMLFindings || full+left+old != many {
		t.Errorf("%d in full, %d left, %d old", full, left, old)
	}
	byRule := number(`data-label="findings"><bdi>(\d+)</bdi>`) + number(`>(\d+) findings more of \d+ other rules`)
	if byRule != left {
		t.Errorf("%d findings by rule, %d left", byRule, left)
	}
	if rows := strings.Count(text, `<td role="cell" data-label="place">`); rows != maxHTMLRows || !strings.Contains(text, fmt.Sprintf("%d findings more: see", old-rows)) {
		t.Errorf("%d rows of old findings", rows)
	}
}

func TestExcerptFilesAreThoseShown(t *testing.T) {
	t.Parallel()
	want := []string{"internal/pay/refund.go", "web/cart.js", "web/pay.test.js", ""}
	got := ExcerptFiles(blockedRun().run)
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestExcerpt(t *testing.T) {
	t.Parallel()
	at := func(line, end int, snippet string) *gavel.Finding {
		return &gavel.Finding{Line: line, LineEnd: end, Snippet: snippet}
	}
	for _, c := range []struct {
		name    string
		hunks   []gavel.Hunk
		finding *gavel.Finding
		want    string // the lines, a star before those of the finding
	}{
		{"new line", cartHunks(), at(9, 0, "eval(cart.total)"), " 6- 7- 8+*9+ 10+ 11-"},
		{"several lines", cartHunks(), at(9, 10, ""), " 6- 7- 8+*9+*10+ 11-"},
		{"an end far away", cartHunks(), at(11, math.MaxInt, ""), " 8+ 9+ 10+*11-"},
		{"an end before", cartHunks(), at(30, 2, ""), " 27x*30+"},
		{"a line that was taken away", payHunks(), at(3, 0, "\tit.only('adds up', () => {"), " 2-*3x 3+"},
		{"the new line of the same number", payHunks(), at(3, 0, "it('adds up'"), " 2- 3x*3+"},
		{"a quote that stands nowhere", payHunks(), at(3, 0, "what"), " 2- 3x*3+"},
		{"outside", cartHunks(), at(200, 0, ""), ""},
		{"the file as a whole", cartHunks(), at(0, 0, ""), ""},
		{"no hunks", nil, at(9, 0, ""), ""},
	} {
		lines, hit := excerpt(c.hunks, c.finding)
		var b strings.Builder
		for i, l := range lines {
			mark, number, op := " ", l.New, "-"
			switch l.Op {
			case gavel.Add:
				op = "+"
			case gavel.Remove:
				op, number = "x", l.Old
			}
			if hit[i] {
				mark = "*"
			}
			fmt.Fprintf(&b, "%s%d%s", mark, number, op)
		}
		if b.String() != c.want {
			t.Errorf("%s: %q, want %q", c.name, b.String(), c.want)
		}
	}
}

// TestHTMLContrast holds every pair of colours of the style sheet against level AA of WCAG 2.2, 4.5 to 1, in light, in
// dark and on paper.
func TestHTMLContrast(t *testing.T) {
	t.Parallel()
	blocks := regexp.MustCompile(`(?s):root \{(.*?)\n *\}`).FindAllStringSubmatch(styleSheet, -1)
	if len(blocks) != 3 {
		t.Fatalf("%d themes", len(blocks))
	}
	for i, block := range blocks {
		colours := map[string]float64{}
		for _, m := range regexp.MustCompile(`--([a-z]+): #([0-9a-f]{6});`).FindAllStringSubmatch(block[1], -1) {
			colours[m[1]] = luminance(t, m[2])
		}
		for _, ground := range []string{"ground", "panel", "added", "removed", "hit"} {
			for _, text := range []string{"text", "muted", "link", "bad", "careful", "good", "low"} {
				if code := ground != "ground" && ground != "panel"; code && text != "text" && text != "muted" {
					continue
				}
				light, dark := max(colours[ground], colours[text]), min(colours[ground], colours[text])
				if ratio := (light + 0.05) / (dark + 0.05); ratio < 4.5 {
					t.Errorf("theme %d: %s on %s has a contrast of %.2f", i, text, ground, ratio)
				}
			}
		}
	}
}

// luminance is the relative luminance of WCAG 2.2.
func luminance(t *testing.T, hex string) float64 {
	t.Helper()
	n, err := strconv.ParseUint(hex, 16, 32)
	if err != nil {
		t.Fatal(err)
	}
	channel := func(shift int) float64 {
		c := float64(n>>shift&0xff) / 255
		if c <= 0.04045 {
			return c / 12.92
		}
		return math.Pow((c+0.055)/1.055, 2.4)
	}
	return 0.2126*channel(16) + 0.7152*channel(8) + 0.0722*channel(0)
}

func BenchmarkRunHTML(b *testing.B) {
	s := newRunSample("many", runRecord(), gavel.Evidence{Findings: manyFindings(100_000).doc.Findings}, nil)
	b.ReportAllocs()
	for b.Loop() {
		var out bytes.Buffer
		if err := RunHTML(&out, s.run); err != nil {
			b.Fatal(err)
		}
		b.SetBytes(int64(out.Len()))
	}
}
