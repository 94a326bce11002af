package detect

import (
	"fmt"
	"path"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/gavel-review/gavel"
	"github.com/gavel-review/gavel/internal/code"
)

var invisible = Detector{Name: "invisible", Rules: []*gavel.Rule{ruleBidi, ruleInvisible, ruleHomoglyph}, Run: runInvisible}

var ruleBidi = &gavel.Rule{
	ID:    "hygiene/bidi-control",
	Title: "Bidirectional control character changes the order in which code is shown",
	Text: "Characters such as U+202E make an editor show text in another order than the compiler reads it (\"Trojan Source\", " +
		"CVE-2021-42574): a comment may end before it seems to, a condition may say something else than it shows. The rule fires on embeddings, overrides " +
		"and isolates on added lines. Embeddings and isolates that close inside the same string, or inside one line of prose, are no finding.",
	Fix:      "Delete the character; where a string needs it, write it as an escape such as \\u202e.",
	Before:   "if role != \"user<U+202E> <U+2066>// only for admins<U+2069> <U+2066>\" {",
	After:    "if role != \"user\" { // only for admins",
	Severity: gavel.High, Category: gavel.CategoryHygiene, Confidence: gavel.ConfidenceHigh, CWE: "CWE-451",
}

var ruleInvisible = &gavel.Rule{
	ID:    "hygiene/invisible-character",
	Title: "Character that is not shown hides text from whoever reads it",
	Text: "Zero-width characters, tag characters, stray variation selectors and control characters are read by programs and models " +
		"but not seen by people: they make two names look alike, break searches and carry hidden messages. A byte order mark at the start of a " +
		"file, emoji sequences, and the joiners and marks of scripts that need them are no finding. In prose and tests the finding is low.",
	Fix:      "Delete the character; where a string needs it, write it as an escape such as \\u200b.",
	Before:   "const admin<U+200B> = false",
	After:    "const admin = false",
	Severity: gavel.Medium, Category: gavel.CategoryHygiene, Confidence: gavel.ConfidenceHigh, CWE: "CWE-451",
}

var ruleHomoglyph = &gavel.Rule{
	ID:    "hygiene/homoglyph",
	Title: "Name mixes letters of two alphabets that look alike",
	Text: "A Cyrillic or Greek letter that looks like a Latin one makes a name that reads like another and is a different one " +
		"(CVE-2021-42694). The rule fires on names in program text that hold Latin letters and such a letter; names that are wholly of another alphabet, and " +
		"letters that look like no Latin one (Δt, µs), are no finding.",
	Fix:      "Write the name with the letters of one alphabet.",
	Before:   "func sc<U+043E>pe() {}",
	After:    "func scope() {}",
	Severity: gavel.Medium, Category: gavel.CategoryHygiene, Confidence: gavel.ConfidenceHigh, CWE: "CWE-1007",
}

func runInvisible(p *Pass) {
	p.Lines(gavel.Add, func(l *gavel.Line) {
		if at := odd(l.Text); at >= 0 && !p.moved(l) {
			p.oddLine(l, at)
		}
	})
}

// odd returns where the line stops being plain printable ASCII, -1 where it is all of that. A "\r" that ends the line
// belongs to the line end.
func odd(line string) int {
	for i := 0; i < len(line); i++ {
		if c := line[i]; c-' ' >= 0x5f && c != '\t' && c != '\f' && (c != '\r' || i+1 < len(line)) {
			return i
		}
	}
	return -1
}

func (p *Pass) oddLine(l *gavel.Line, at int) {
	var bidi, hidden, mixed = -1, -1, -1
	for i := at; i < len(l.Text); {
		r, size := utf8.DecodeRuneInString(l.Text[i:])
		switch {
		case bidiControl(r):
			if bidi < 0 {
				bidi = i
			}
		case hidden < 0 && p.hides(l, i, r, size):
			hidden = i
		case mixed < 0 && lookalike(r) && p.Lang.Program && mixedWord(l.Text, i, size) && p.kindAt(l.New, i) == code.Ident:
			mixed = i
		}
		i += size
	}
	report := func(rule *gavel.Rule, column int, format string) *gavel.Finding {
		r, size := utf8.DecodeRuneInString(l.Text[column:])
		return p.Report(rule, place(l, column, size), fmt.Sprintf(format, r))
	}
	if bidi >= 0 && !p.contained(l) {
		report(ruleBidi, bidi, "U+%04X makes the line look different from what is compiled.")
	}
	if hidden >= 0 {
		f := report(ruleInvisible, hidden, "U+%04X stands here and is not shown.")
		if !p.Lang.Program && p.prose() || p.Test || p.testData() {
			f.Severity = gavel.Low
		}
	}
	if mixed >= 0 {
		report(ruleHomoglyph, mixed, "U+%04X looks like a Latin letter and is none.")
	}
}

// testData reports whether the file is what tests read: a fixture, or data in a folder of tests.
func (p *Pass) testData() bool {
	if code.IsFixture(p.File.Path) {
		return true
	}
	if p.Lang.Program {
		return false
	}
	for folder := range strings.SplitSeq(path.Dir(p.File.Path), "/") {
		switch folder {
		case "test", "tests", "spec", "specs", "__tests__", "e2e":
			return true
		}
	}
	return false
}

func (p *Pass) prose() bool {
	switch p.Lang.Name {
	case "plain", "markdown", "html", "xml":
		return true
	}
	return false
}

func bidiControl(r rune) bool { return r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069 }

// contained reports whether every bidirectional control of the line closes again before the literal that it stands in, or the
// line of prose, ends, and none overrides the order of letters: then nothing around it moves.
func (p *Pass) contained(l *gavel.Line) bool {
	depth := 0
	var literal code.Token
	for i := 0; i < len(l.Text); {
		r, size := utf8.DecodeRuneInString(l.Text[i:])
		if bidiControl(r) {
			if r == 0x202d || r == 0x202e {
				return false
			}
			if !p.prose() {
				t, ok := p.Source().At(l.New, i)
				if !ok || t.Kind != code.String || depth > 0 && t != literal {
					return false
				}
				literal = t
			}
			if r == 0x202c || r == 0x2069 {
				depth--
			} else {
				depth++
			}
			if depth < 0 {
				return false
			}
		}
		i += size
	}
	return depth == 0
}

// hides reports whether the character at i is one that is not shown and has no business there.
func (p *Pass) hides(l *gavel.Line, i int, r rune, size int) bool {
	line := l.Text
	if r == '\r' && p.Lang.Program {
		// It ends a comment for a compiler and not for an editor, in tests too.
		return i+1 < len(line) && !p.testData() && (!p.Test || p.kindAt(l.New, i) != code.String)
	}
	if r == 0x2028 || r == 0x2029 {
		return p.Lang.Program && p.kindAt(l.New, i) != code.String
	}
	if r < 0xa0 {
		return control(r, i+1 == len(line)) && (p.Lang.Program || p.Lang.Name == "yaml" || p.Lang.Name == "json") && !p.Test && !p.testData()
	}
	if !zeroWidth(r) {
		return false
	}
	before, _ := utf8.DecodeLastRuneInString(line[:i])
	after, _ := utf8.DecodeRuneInString(line[i+size:])
	switch {
	case r == 0xfeff:
		return l.New != 1 || i != 0
	case r == 0x200c || r == 0x200d:
		return !(joins(before) || joins(after) || r == 0x200d && emoji(before) && emoji(after))
	case r == 0x200e || r == 0x200f || r == 0x61c:
		return p.Lang.Program && !hasRTL(line)
	case r == 0xad:
		return p.Lang.Program && p.kindAt(l.New, i) == code.Ident
	case r >= 0xfe00 && r <= 0xfe0f:
		return !(emoji(before) || before == '#' || before == '*' || before >= '0' && before <= '9' || unicode.Is(unicode.Han, before) || joins(before))
	case r >= 0xe0100 && r <= 0xe01ef:
		return !unicode.Is(unicode.Han, before)
	case r >= 0xe0020 && r <= 0xe007f: // the flags of England, Scotland, Wales
		return !(before == 0x1f3f4 || before >= 0xe0020 && before <= 0xe007e && flagged(line[:i]))
	}
	return true
}

// control reports whether r is a control character that has no place in a text: a terminal may act on it.
func control(r rune, last bool) bool {
	return r < ' ' && r != '\t' && r != '\f' && (r != '\r' || !last) || r >= 0x7f && r < 0xa0
}

// zeroWidth reports whether the character takes up no room or shows nothing.
func zeroWidth(r rune) bool {
	switch {
	case r >= 0x200b && r <= 0x200f, r >= 0x2060 && r <= 0x2064, r >= 0xfe00 && r <= 0xfe0f, r >= 0xe0000 && r <= 0xe007f,
		r >= 0xe0100 && r <= 0xe01ef, r >= 0xfff9 && r <= 0xfffb, r >= 0x206a && r <= 0x206f:
		return true
	}
	switch r {
	case 0xad, 0x34f, 0x61c, 0x115f, 0x1160, 0x180e, 0x3164, 0xfeff, 0xffa0:
		return true
	}
	return false
}

// joins reports whether the character's script uses joiners between letters.
func joins(r rune) bool {
	return unicode.In(r, unicode.Arabic, unicode.Syriac, unicode.Devanagari, unicode.Bengali, unicode.Gurmukhi, unicode.Gujarati,
		unicode.Oriya, unicode.Tamil, unicode.Telugu, unicode.Kannada, unicode.Malayalam, unicode.Sinhala, unicode.Khmer, unicode.Myanmar,
		unicode.Mongolian, unicode.Tibetan, unicode.Thai, unicode.Lao)
}

// emoji reports whether the character may be one, or be part of one: nearly all are symbols by category, and the others
// are in https://www.unicode.org/Public/UCD/latest/ucd/emoji/emoji-data.txt.
func emoji(r rune) bool {
	switch r {
	case 0xfe0f, 0x200d, 0x203c, 0x2049, 0x2139, 0x3030, 0x303d:
		return true
	}
	return unicode.In(r, unicode.So, unicode.Sm, unicode.Sk)
}

// flagged reports whether the tag characters that end s follow a black flag, at most as many as a region's name has.
func flagged(s string) bool {
	for range 8 {
		r, size := utf8.DecodeLastRuneInString(s)
		if r == 0x1f3f4 {
			return true
		}
		if r < 0xe0020 || r > 0xe007e {
			return false
		}
		s = s[:len(s)-size]
	}
	return false
}

// hasRTL reports whether the first part of the line holds letters that run from right to left.
func hasRTL(line string) bool {
	for _, r := range line[:min(len(line), 200)] {
		if r >= 0x590 && (unicode.In(r, unicode.Hebrew, unicode.Arabic, unicode.Syriac, unicode.Thaana, unicode.Nko)) {
			return true
		}
	}
	return false
}

// lookalike reports whether the letter is of another alphabet and looks like a Latin one.
func lookalike(r rune) bool {
	switch {
	case r < 0x370:
		return false
	case r >= 0xff21 && r <= 0xff3a, r >= 0xff41 && r <= 0xff5a: // full width
		return true
	}
	switch r {
	case 'а', 'е', 'о', 'р', 'с', 'у', 'х', 'і', 'ј', 'ѕ', 'ԁ', 'ԛ', 'ԝ', 'һ', 'ӏ', 'ѵ', 'ү', 'ո', 'օ', 'ս', 'ց', 'զ',
		'А', 'В', 'Е', 'К', 'М', 'Н', 'О', 'Р', 'С', 'Т', 'Х', 'І', 'Ј', 'Ѕ', 'У',
		'ο', 'ν', 'Α', 'Β', 'Ε', 'Ζ', 'Η', 'Ι', 'Κ', 'Μ', 'Ν', 'Ο', 'Ρ', 'Τ', 'Υ', 'Χ':
		return true
	}
	return false
}

// mixedWord reports whether the name around the letter at i holds a Latin letter.
func mixedWord(line string, i, size int) bool {
	const near = 64 // bytes of the name that are looked at on each side
	for j := i - 1; j >= max(0, i-near) && wordByte(line[j]); j-- {
		if latin(line[j]) {
			return true
		}
	}
	for j := i + size; j < min(len(line), i+near) && wordByte(line[j]); j++ {
		if latin(line[j]) {
			return true
		}
	}
	return false
}

func latin(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }
