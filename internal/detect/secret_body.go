package detect

import (
	"sort"
	"strings"

	"github.com/gavel-review/gavel"
)

const (
	bodyRun    = 16 // the least base64 characters in a row of a line of a key's body
	bodyAround = 16 // the most other characters around them: quotes, comment signs, the name of a concatenation
)

// reportKeyBodies finds private keys whose body the change brings under an opening line that stays: a key that is
// swapped in. Where the opening line is added too, the block was found and masked as a whole.
func reportKeyBodies(p *Pass, place secretPlace) {
	var b *keyBlocks
	p.Lines(gavel.Add, func(l *gavel.Line) {
		if len(p.masks[l.New]) > 0 || !mayBeKeyBody(l.Text) {
			return
		}
		if b == nil {
			b = &keyBlocks{src: p.Source(), place: place}
			b.open()
		}
		if block := b.at(l.New); block != nil {
			block.report(p, l)
		}
	})
}

// mayBeKeyBody is a cheap test that few lines of a program pass.
func mayBeKeyBody(line string) bool {
	line = strings.TrimSpace(line)
	best, run := 0, 0
	for i := 0; i < len(line); i++ {
		if run++; !isBase64(line[i]) {
			run = 0
		}
		best = max(best, run)
	}
	return best >= bodyRun && len(line)-best <= bodyAround
}

// keyBlocks are the private keys of a text, each read when a line below its first one is asked for.
type keyBlocks struct {
	src   *Source
	place secretPlace
	opens []int // the lines that open one, in order
	last  *keyBlock
}

type keyBlock struct {
	first int // its opening line
	found []secretFound
}

// keyOpeners begin a key on a line that need not be part of a change.
var keyOpeners = [...]string{"-----BEGIN ", "---- BEGIN SSH2 ", "PuTTY-User-Key-File-"}

func (b *keyBlocks) open() {
	for _, opener := range keyOpeners {
		for at := 0; ; at += len(opener) {
			n := strings.Index(b.src.Text[at:], opener)
			if n < 0 {
				break
			}
			at += n
			if line := b.src.lineOf(at); opener[0] == 'P' || strings.Contains(b.src.Line(line), "PRIVATE KEY") {
				b.opens = append(b.opens, line)
			}
		}
	}
	sort.Ints(b.opens)
}

// at returns the block that the line belongs to, nil where it is in none.
func (b *keyBlocks) at(line int) *keyBlock {
	i := sort.SearchInts(b.opens, line) - 1
	if i < 0 || line-b.opens[i] > keyLines {
		return nil
	}
	if b.last == nil || b.last.first != b.opens[i] {
		b.last = &keyBlock{first: b.opens[i], found: b.read(b.opens[i])}
	}
	for _, f := range b.last.found {
		if b.last.first+f.lineEnd >= line {
			return b.last
		}
	}
	return nil
}

// read reads the key that the line opens, as if all of it were added.
func (b *keyBlocks) read(first int) []secretFound {
	s := secretScanner{place: b.place}
	for n := first; n <= first+keyLines; n++ {
		if _, ok := b.src.Offset(n); !ok {
			break
		}
		s.lines = append(s.lines, gavel.Line{Op: gavel.Add, New: n, Text: b.src.Line(n)})
	}
	if len(s.lines) == 0 {
		return nil
	}
	s.text = s.lines[0].Text
	for _, opener := range keyOpeners {
		start := strings.Index(s.text, opener)
		if start < 0 {
			continue
		}
		hit := keywordHit{start: start, end: start + len(strings.TrimRight(opener, " "))}
		if opener[0] == 'P' {
			s.puttyKey(hit)
		} else {
			s.privateKey(hit)
		}
	}
	return s.found
}

// report reports the block at the first of its added lines and hides all of it.
func (b *keyBlock) report(p *Pass, l *gavel.Line) {
	if len(b.found) == 0 {
		return
	}
	f := b.found[0] // one is enough
	for n := b.first + 1; n <= b.first+f.lineEnd; n++ {
		if text := p.text(n); text != "" {
			p.Mask(n, 0, len(text), "***")
		}
	}
	found := p.Report(f.doc, Span{Line: l.New, LineEnd: b.first + f.lineEnd, Text: l.Text}, "The line that opens this key stays, and the change puts another key below it. "+f.message)
	found.Severity, found.Confidence = f.severity, f.confidence
}
