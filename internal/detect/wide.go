package detect

import (
	"path"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/gavel-review/gavel"
)

// Wide reports whether the text begins with the byte order mark of UTF-16.
func Wide(text string) bool {
	return len(text) >= 4 && (text[0] == 0xff && text[1] == 0xfe && text[2]|text[3] != 0 || text[0] == 0xfe && text[1] == 0xff)
}

// decode turns a UTF-16 text into one hunk of added lines: no line of it can be told to be an old one. It reports false
// where the file is something else, and leaves files alone whose names say so.
func (p *Pass) decode() bool {
	if mediaEndings.has(strings.TrimPrefix(strings.ToLower(path.Ext(p.File.Path)), ".")) {
		return false
	}
	text, err := p.load()
	if err != nil || !Wide(text) {
		return false // what is binary anyway costs nothing where it cannot be read
	}
	f := *p.File
	p.source = newSource(p.Lang, narrow(text))
	f.Hunks = []gavel.Hunk{hunkOf(p.source.Text)}
	p.File = &f
	return true
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
