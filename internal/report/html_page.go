package report

import (
	"bytes"
	"html"
	"strings"

	"github.com/gavel-review/gavel/internal/untrusted"
)

// name is an element, an attribute or a word of the style sheet. Names are constants of this package: no text that
// comes from elsewhere has this type.
type name string

// attr is an attribute. Its value is text like any other and is escaped as such.
type attr struct {
	name  name
	value string
}

func class(words name) attr     { return attr{"class", string(words)} }
func role(r name) attr          { return attr{"role", string(r)} }
func anchor(id string) attr     { return attr{"id", id} }
func reference(id string) attr  { return attr{"href", "#" + id} }
func packFile(path string) attr { return attr{"href", packURI(path)} }

// packURI refers to a file beside the page. It begins with a dot, so that no path can grow a scheme or an authority.
func packURI(path string) string {
	uri, _ := fileURI(strings.TrimLeft(path, "/"))
	return "./" + uri
}

// page writes HTML. Foreign text gets into it as text or as the value of an attribute in double quotes, and in both
// every character is escaped that could end either. An address comes from reference or packFile alone. There is no way
// to write a script, a style or raw markup, so what a text needs never depends on where it goes.
type page struct {
	bytes.Buffer
	open []name // elements that are not closed yet
}

// start opens an element.
func (p *page) start(element name, attrs ...attr) {
	p.void(element, attrs...)
	p.open = append(p.open, element)
}

// void writes an element that has no content.
func (p *page) void(element name, attrs ...attr) {
	p.WriteByte('<')
	p.WriteString(string(element))
	for _, a := range attrs {
		p.WriteByte(' ')
		p.WriteString(string(a.name))
		p.WriteString(`="`)
		p.WriteString(html.EscapeString(untrusted.Visible(a.value)))
		p.WriteByte('"')
	}
	p.WriteByte('>')
}

// end closes the element that was opened last.
func (p *page) end() {
	last := len(p.open) - 1
	element := p.open[last]
	p.open = p.open[:last]
	p.WriteString("</" + string(element) + ">")
	switch element {
	case "a", "b", "bdi", "code", "span":
	default:
		p.WriteByte('\n')
	}
}

// text writes foreign text on one line, at most [maxPlace] bytes of it.
func (p *page) text(s string) { p.WriteString(html.EscapeString(untrusted.Visible(clip(s, maxPlace)))) }

// prose writes foreign text of several lines, at most [maxProse] bytes of it.
func (p *page) prose(s string) {
	p.WriteString(html.EscapeString(untrusted.VisibleText(strings.TrimSpace(clip(s, maxProse)))))
}

// leaf writes an element that holds nothing but text on one line.
func (p *page) leaf(element name, text string, attrs ...attr) {
	p.start(element, attrs...)
	p.text(text)
	p.end()
}

// section opens a section with its heading and the id that the contents refer to.
func (p *page) section(id, title string) {
	p.start("section", anchor(id), attr{"aria-labelledby", id + "-title"})
	p.leaf("h2", title, anchor(id+"-title"))
}

// list writes a bounded list.
func (p *page) list(items []string, most int) {
	p.start("ul")
	for i, item := range items {
		if i == most {
			p.leaf("li", more(len(items)-i), class("more"))
			break
		}
		p.start("li")
		p.leaf("bdi", item)
		p.end()
	}
	p.end()
}

// fold opens what is closed until somebody asks for it.
func (p *page) fold(summary string) {
	p.start("details")
	p.leaf("summary", summary)
}

// table is a table under way. Roles are said aloud, because the style sheet turns rows into blocks on a narrow screen.
type table struct {
	*page
	columns []string
}

func (p *page) table(caption string, columns ...string) *table {
	p.start("table", role("table"))
	p.leaf("caption", caption)
	p.start("thead", role("rowgroup"))
	p.start("tr", role("row"))
	for _, c := range columns {
		p.leaf("th", c, role("columnheader"), attr{"scope", "col"})
	}
	p.end()
	p.end()
	p.start("tbody", role("rowgroup"))
	return &table{p, columns}
}

// row writes a row, each cell by its own function; nil leaves a cell empty.
func (t *table) row(cells ...func()) {
	t.start("tr", role("row"))
	for i, cell := range cells {
		t.start("td", role("cell"), attr{"data-label", t.columns[i]})
		if cell != nil {
			cell()
		}
		t.end()
	}
	t.end()
}

func (t *table) close() {
	t.end()
	t.end()
}

// word is a cell of text, code one of text that is spelled as it is.
func (p *page) word(s string) func() {
	if s == "" {
		return nil
	}
	return func() { p.leaf("bdi", s) }
}

func (p *page) code(s string) func() {
	if s == "" {
		return nil
	}
	return func() { p.leaf("code", s) }
}
