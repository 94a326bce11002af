package detect

import (
	"encoding/binary"
	"errors"
	"path"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/gavel-review/gavel"
)

// Wide reports whether the text begins with the byte order mark of UTF-16.
func Wide(text string) bool {
	return len(text) >= 4 && (text[0] == 0xff && text[1] == 0xfe && text[2]|text[3] != 0 || text[0] == 0xfe && text[1] == 0xff)
}

// maxBinaryLines is how many lines of a binary file are searched; beyond it is no text of anybody's.
const maxBinaryLines = 1_000_000

// decode turns a binary file into one hunk of added lines, to be searched for secrets: no line of it can be told to be
// an old one. It reports false where nothing is to be read, and leaves files alone whose names say what they are.
func (p *Pass) decode() bool {
	if mediaEndings.has(strings.TrimPrefix(strings.ToLower(path.Ext(p.File.Path)), ".")) {
		return false
	}
	text, err := p.load()
	if err != nil || strings.IndexByte(text, 0) < 0 && !Wide(text) {
		return false // what is binary anyway costs nothing where it cannot be read
	}
	switch {
	case wider(text):
		text = narrowest(text)
	case Wide(text):
		text = narrow(text)
	default:
		p.strewn = !mostlyText(text)
	}
	if strings.Count(text, "\n") > maxBinaryLines {
		p.loadErr = errors.New("a binary file of more than a million lines")
		return false
	}
	f := *p.File
	f.Hunks = []gavel.Hunk{hunkOf(text)}
	for i := range f.Hunks[0].Lines {
		l := &f.Hunks[0].Lines[i]
		l.Text = withoutNUL(l.Text)
	}
	p.source = sourceOfHunks(p.Lang, f.Hunks)
	p.File = &f
	return true
}

// mostlyText reports whether the bytes are those of a text that holds a few others, or of one whose characters are
// wide. In anything else, names and values next to each other say nothing.
func mostlyText(text string) bool {
	odd, nul := 0, 0
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == 0:
			nul++
		case c < ' ' && c != '\n' && c != '\r' && c != '\t', c >= 0x7f:
			odd++
		}
	}
	return odd <= len(text)/10 && (nul <= len(text)/10 || nul >= len(text)/3)
}

// withoutNUL makes a line with NUL bytes one that can be searched: wide characters lose them, so that ASCII in UTF-16
// and UTF-32 is found, and elsewhere they separate words as blanks do.
func withoutNUL(line string) string {
	switch n := strings.Count(line, "\x00"); {
	case n == 0:
		return line
	case n > len(line)/3:
		return strings.ReplaceAll(line, "\x00", "")
	}
	return strings.ReplaceAll(line, "\x00", " ")
}

// wider reports whether the text begins with the byte order mark of UTF-32.
func wider(text string) bool {
	return strings.HasPrefix(text, "\xff\xfe\x00\x00") || strings.HasPrefix(text, "\x00\x00\xfe\xff")
}

// narrowest decodes UTF-32 with a byte order mark. What is no character becomes U+FFFD.
func narrowest(text string) string {
	var order binary.ByteOrder = binary.LittleEndian
	if text[0] == 0 {
		order = binary.BigEndian
	}
	var b strings.Builder
	b.Grow(len(text) / 4)
	for data := []byte(text[4:]); len(data) >= 4; data = data[4:] {
		r := order.Uint32(data)
		if r > unicode.MaxRune {
			r = utf8.RuneError
		}
		b.WriteRune(rune(r))
	}
	return b.String()
}

// narrow decodes UTF-16 with a byte order mark. What is no character becomes U+FFFD.
func narrow(text string) string {
	low, high := 0, 1
	if text[0] == 0xfe {
		low, high = 1, 0
	}
	unit := func(at int) rune { return rune(text[at+low]) | rune(text[at+high])<<8 }
	var b strings.Builder
	b.Grow(len(text) / 2)
	for at := 2; at+1 < len(text); at += 2 {
		r := unit(at)
		if utf16.IsSurrogate(r) {
			pair := rune(utf8.RuneError)
			if at+3 < len(text) {
				pair = utf16.DecodeRune(r, unit(at+2))
			}
			if r = pair; pair != utf8.RuneError {
				at += 2
			}
		}
		b.WriteRune(r)
	}
	return b.String()
}

// mediaEndings are names of files that no editor writes as text.
var mediaEndings = &wordSet{list: `png jpg jpeg gif ico bmp webp tif tiff svgz psd mp3 mp4 mov avi mkv webm wav ogg flac woff woff2 ttf otf eot pdf zip gz tgz bz2 xz zst 7z
	rar tar jar war ear class exe dll so dylib o a lib obj pyc pyo whl wasm bin dat db sqlite sqlite3 pack idx iso img deb rpm apk dmg docx xlsx pptx parquet avro npy npz pt onnx h5`}
