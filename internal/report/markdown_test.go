package report

import (
	"bytes"
	entities "html"
	"regexp"
	"strings"
	"testing"

	"github.com/gavel-review/gavel"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/renderer/html"
)

// gfm renders as GitHub does, raw HTML included, so that what gets through shows.
func gfm(t *testing.T, text string) string {
	t.Helper()
	var b bytes.Buffer
	md := goldmark.New(goldmark.WithExtensions(extension.GFM), goldmark.WithRendererOptions(html.WithUnsafe()))
	if err := md.Convert([]byte(text), &b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

var (
	tags     = regexp.MustCompile(`<[^>]*>`)
	ownTags  = regexp.MustCompile(`^</?(details( open="")?|details open|summary|b|code|p|br ?/?|pre|code class="language-[a-z0-9+.-]+"|strong|ul|li|h3|table|thead|tbody|tr|t[hd] style="text-align:right"|t[hd] align="right"|t[hd])>$`)
	mentions = regexp.MustCompile(`(^|[^\w` + "`" + `])@[A-Za-z0-9]|#[0-9]|(?i:gh-[0-9])`)
	codes    = regexp.MustCompile(`(?s)<code[^>]*>.*?</code>`)
)

// TestMarkdownIsOnlyOurs: rendered, the report holds no element and no reference that it does not make itself.
func TestMarkdownIsOnlyOurs(t *testing.T) {
	t.Parallel()
	for _, s := range samples() {
		checkMarkdown(t, s.name, gfm(t, string(render(t, s, formats[2].write))))
	}
}

func checkMarkdown(t *testing.T, name, page string) {
	t.Helper()
	page = strings.ReplaceAll(page, breaker, "\u200b") // goldmark passes it on inside HTML
	for _, tag := range tags.FindAllString(page, -1) {
		if !ownTags.MatchString(tag) {
			t.Errorf("%s: foreign element %s", name, tag)
		}
	}
	if open, end := strings.Count(page, "<details"), strings.Count(page, "</details>"); open != end {
		t.Errorf("%s: %d blocks opened, %d closed", name, open, end)
	}
	if m := mentions.FindString(entities.UnescapeString(tags.ReplaceAllString(codes.ReplaceAllString(page, ""), ""))); m != "" {
		t.Errorf("%s: %q is a mention or a reference", name, m)
	}
}

// TestMarkdownTextRendersAsItself: what a reader sees is what the text says.
func TestMarkdownTextRendersAsItself(t *testing.T) {
	t.Parallel()
	for _, in := range []string{
		"plain words, with (brackets) and 50%; a-b c+d e=f \"quotes\" 'too'",
		"1. one", "1) one", "12345. x", "- x", "+ x", "* x", "# x", "> x", "=== ", "---", "***", "| a | b |", "~~x~~", "__x__", "snake_case_name",
		"`code`", "```go", "~~~", "<b>x</b>", "&lt;b&gt;", "&amp;", "a & b < c", `\*x\*`, `C:\new`, "[x](y)", "![x](y)", "[x]: http://y", "[^1]", "- [ ] task",
		"http://evil.example/a_b", "HTTPS://evil.example", "www.evil.example", "me@evil.example", "mailto:me@evil.example", "@admin", "#12", "GH-12", "$x$", "a\\", "x\n- y\n# z\n\n    code\n\n1. w",
	} {
		page := gfm(t, markdownText(in))
		checkMarkdown(t, in, page)
		seen := strings.NewReplacer("&lt;", "<", "&gt;", ">", "&quot;", `"`, "&amp;", "&", "\u200b", "").Replace(tags.ReplaceAllString(page, ""))
		if strings.Join(strings.Fields(seen), " ") != strings.Join(strings.Fields(in), " ") {
			t.Errorf("%q is seen as %q", in, seen)
		}
	}
}

func FuzzMarkdownText(f *testing.F) {
	for _, h := range hostiles {
		f.Add(h)
	}
	f.Fuzz(func(t *testing.T, text string) {
		page := gfm(t, "<details>\n<summary><code>"+htmlText(text)+"</code> "+htmlText(text)+"</summary>\n\n"+fenced("go", text)+"\n\n"+markdownText(text)+"\n\n- "+codeSpan(text)+"\n\n</details>\n")
		checkMarkdown(t, "fuzz", page)
	})
}

func TestMarkdownFence(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ language, code, want string }{
		{"go", "x", "```go\nx\n```"},
		{"c++", "x", "```c++\nx\n```"},
		{"", "a ``` b", "````\na ``` b\n````"},
		{"Suggestion", "x", "```\nx\n```"},
		{"go\n```\nx", "x", "```\nx\n```"},
		{"go", "    a\n      b\n\n", "```go\na\n  b\n```"},
		{"go", "", "```go\n\n```"},
	} {
		if got := fenced(c.language, c.code); got != c.want {
			t.Errorf("fenced(%q, %q) = %q, want %q", c.language, c.code, got, c.want)
		}
	}
}

func TestMarkdownLimit(t *testing.T) {
	t.Parallel()
	var findings []gavel.Finding
	for i := range 2000 {
		findings = append(findings, finding(func(f *gavel.Finding) { f.Line = i + 1 }))
	}
	s := newSample("many", findings, nil)
	var b bytes.Buffer
	if err := Markdown(&b, s.doc, s.verdict, MarkdownOptions{Limit: 65536}); err != nil {
		t.Fatal(err)
	}
	if b.Len() > 65536 || b.Len() < 50000 || !strings.Contains(b.String(), " findings more: see") {
		t.Errorf("%d bytes:\n…%s", b.Len(), b.String()[b.Len()-600:])
	}
}
