package detect

import (
	"cmp"
	"slices"
	"sync"

	"github.com/gavel-review/gavel"
)

// secretFound is a secret's place. Lines are indexes into the scanned lines.
type secretFound struct {
	doc           *gavel.Rule
	line, lineEnd int
	start, end    int // bytes on the first line; only the value
	shown         string
	severity      gavel.Severity
	confidence    gavel.Confidence
	message       string
	loose         bool // the family's tokens have no structure of their own
	rank          int  // of two that overlap the higher one stays
}

// The ranks, least specific first.
const (
	rankExtra = iota + 1
	rankWeak
	rankAssigned
	rankHeader
	rankURL
	rankNamed
	rankToken
	rankChecked
	rankKey
)

// secretEngine is everything that is the same for all texts. It is built once, when the first line is scanned.
type secretEngine struct {
	families []secretFamily
	index    *keywordIndex
	uses     [][]secretUse // keyword -> what to try
}

// secretUse is one thing to try at a keyword: a family, or a matcher written out in code.
type secretUse struct {
	family  int32 // -1 = none
	matcher func(*secretScanner, keywordHit)
}

var builtinSecrets = sync.OnceValue(func() *secretEngine {
	return newSecretEngine(nil, nil)
})

// newSecretEngine builds the engine of the built-in families and extra ones with their documentation.
func newSecretEngine(extra []secretSpec, extraDocs []*gavel.Rule) *secretEngine {
	specs := slices.Concat(secretFamilies, extra)
	docs := slices.Concat(secretDocs()[:len(secretFamilies)], extraDocs)
	e := &secretEngine{families: make([]secretFamily, len(specs))}
	for i := range specs {
		e.families[i] = newSecretFamily(specs[i], docs[i])
	}
	e.build()
	return e
}

// secretDocs are the rules of [secretFamilies], in their order, and after them those of the matchers.
var secretDocs = sync.OnceValue(func() []*gavel.Rule {
	specs := secretFamilies
	docs := make([]*gavel.Rule, len(specs), len(specs)+len(matcherRules))
	for i := range specs {
		docs[i] = specs[i].rule()
	}
	for i := range matcherRules {
		docs = append(docs, &matcherRules[i])
	}
	return docs
})

func (e *secretEngine) build() {
	number := make(map[string]int)
	var keywords []string
	use := func(word string, u secretUse) {
		n, ok := number[word]
		if !ok {
			n = len(keywords)
			number[word] = n
			keywords = append(keywords, word)
			e.uses = append(e.uses, nil)
		}
		e.uses[n] = append(e.uses[n], u)
	}
	for i := range e.families {
		for _, word := range e.families[i].Keywords {
			use(word, secretUse{family: int32(i)})
		}
	}
	for _, m := range secretMatchers {
		for _, word := range m.keywords {
			use(word, secretUse{family: -1, matcher: m.try})
		}
	}
	e.index = newKeywordIndex(keywords)
	e.index.fresh = make([]bool, len(keywords))
	for n, uses := range e.uses {
		fresh := isWordByte(keywords[n][0])
		for _, u := range uses {
			fresh = fresh && u.matcher == nil && e.families[u.family].Mode == secretAt
		}
		e.index.fresh[n] = fresh
	}
}

// secretMatchers are the kinds of secrets that need more than a pattern.
var secretMatchers = [...]struct {
	keywords []string
	try      func(*secretScanner, keywordHit)
}{
	{[]string{"-----begin", "---- begin ssh2"}, (*secretScanner).privateKey},
	{[]string{"putty-user-key-file-"}, (*secretScanner).puttyKey},
	{[]string{"ls0tls1crudjti"}, (*secretScanner).encodedKey},
	{[]string{"kty"}, (*secretScanner).jwk},
	{[]string{"://"}, (*secretScanner).url},
	{[]string{"@tcp(", "@unix("}, (*secretScanner).dsn},
	{[]string{"bearer ", "basic "}, (*secretScanner).header},
	{[]string{"curl ", "mysql", "sshpass"}, (*secretScanner).command},
	{[]string{"pass", "pwd", "secret", "token", "key", "cred", "auth", "identified by"}, (*secretScanner).assigned},
}

// secretScanner looks through one run of lines.
type secretScanner struct {
	engine *secretEngine
	place  secretPlace
	path   string
	lines  []gavel.Line
	emit   func(secretFound)
	tick   func(bytes int) // nil = nobody wants to stop

	line       int    // index of the current line
	text       string // its text
	nameDone   int    // up to here names were read
	optionDone int    // up to here curl's option was looked for
	jwkDone    int    // up to here members of JSON web keys were looked for
	jwkLine    int    // up to this line they were reported
	measured   bool   // dense is known
	dense      bool   // the line is too long to be written by hand
	around     map[*secretFamily]window
	last       struct { // the assignment that was read last
		hit keywordHit
		is  assignment
		ok  bool
	}
	found   []secretFound
	carried []secretFound // on the next line, known by this one
}

// scan looks at every added line and emits what it finds, ordered by place.
func (s *secretScanner) scan() {
	s.jwkLine = -1
	for i := range s.lines {
		if s.lines[i].Op != gavel.Add {
			continue
		}
		if s.tick != nil {
			s.tick(len(s.lines[i].Text))
		}
		s.line, s.text, s.nameDone, s.jwkDone, s.optionDone, s.last.ok, s.last.hit = i, s.lines[i].Text, 0, 0, 0, false, keywordHit{}
		s.measured = false
		clear(s.around)
		for _, f := range s.carried {
			s.add(f)
		}
		s.carried = s.carried[:0]
		s.engine.index.scan(s.text, s.hit)
		s.seeds()
		if len(s.found) > 0 {
			s.settle()
		}
	}
}

// hitBytes is about how much text is read around a keyword.
const hitBytes = 512

func (s *secretScanner) hit(h keywordHit) {
	if s.tick != nil {
		s.tick(hitBytes)
	}
	for _, use := range s.engine.uses[h.keyword] {
		if use.matcher != nil {
			use.matcher(s, h)
			continue
		}
		f := &s.engine.families[use.family]
		switch f.Mode {
		case secretAt:
			s.tokenAt(f, h)
		case secretAround:
			s.tokenAround(f, h)
		case secretNamed:
			s.tokenNamed(f, h)
		}
	}
}

// assignment reads the assignment whose name holds the keyword, once for all that ask.
func (s *secretScanner) assignment(h keywordHit) (assignment, bool) {
	if s.last.hit.start != h.start || s.last.hit.end != h.end {
		s.last.hit = h
		s.last.is, s.last.ok = parseAssignment(s.text, h.start, h.end)
	}
	return s.last.is, s.last.ok
}

func (s *secretScanner) add(f secretFound) {
	f.line = s.line
	if f.lineEnd < f.line {
		f.lineEnd = f.line
	}
	if f.confidence == "" {
		f.confidence = f.doc.Confidence
	}
	s.found = append(s.found, f)
}

// settle keeps one finding for each value: of those that overlap the most specific one, widened to cover the others, so
// that the mask hides every byte that any of them took for a secret.
func (s *secretScanner) settle() {
	slices.SortStableFunc(s.found, func(a, b secretFound) int {
		return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(b.end, a.end))
	})
	best, end := s.found[0], s.found[0].end
	start := best.start
	flush := func() {
		if start < best.start || end > best.end {
			if start < best.start {
				best.shown = "***"
			}
			best.start, best.end = start, end
		}
		s.emit(best)
	}
	for _, f := range s.found[1:] {
		if f.start >= end {
			flush()
			best, start, end = f, f.start, f.end
			continue
		}
		end = max(end, f.end)
		if f.rank > best.rank {
			best = f
		}
	}
	flush()
	s.found = s.found[:0]
}
