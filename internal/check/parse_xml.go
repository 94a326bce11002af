package check

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"
)

// xmlDepth is how deep elements may lie in one another.
const xmlDepth = 256

// xmlHandler reads the elements of a document in their order. text is what stood in the element itself, without that of
// elements in it.
type xmlHandler interface {
	start(name string, attributes map[string]string) error
	end(name, text string) error
}

// readXML reads one or more documents, one after another, whose top element has to be one of those named. Nothing is
// loaded from elsewhere, and entities beyond those of XML itself are errors. Control characters that XML forbids are
// cleaned as in text, since tools pass on what programs print.
func readXML(report []byte, tops []string, h xmlHandler) error {
	text, err := decodeXMLText(report)
	if err != nil {
		return err
	}
	dec := xml.NewDecoder(strings.NewReader(text))
	dec.CharsetReader = func(_ string, in io.Reader) (io.Reader, error) { return in, nil } // decoded above
	var texts [][]byte                                                                     // of the elements that are open
	documents := 0
	for {
		token, err := dec.Token()
		switch {
		case errors.Is(err, io.EOF) && documents > 0:
			return nil
		case errors.Is(err, io.EOF):
			return errors.New("the report is empty")
		case err != nil:
			return fmt.Errorf("the report is not the XML that was expected: %w", err)
		}
		switch t := token.(type) {
		case xml.StartElement:
			if len(texts) == 0 {
				documents++
				if !slices.Contains(tops, t.Name.Local) {
					return fmt.Errorf("a document of <%s>, not of <%s>", excerpt(t.Name.Local), strings.Join(tops, "> or <"))
				}
			}
			if len(texts) == xmlDepth {
				return errors.New("the report is nested too deep")
			}
			texts = append(texts, nil)
			err = h.start(t.Name.Local, attributes(t))
		case xml.EndElement:
			last := len(texts) - 1
			err = h.end(t.Name.Local, string(texts[last]))
			texts = texts[:last]
		case xml.CharData:
			if len(texts) > 0 {
				texts[len(texts)-1] = append(texts[len(texts)-1], t...)
			} else if len(bytes.TrimSpace(t)) > 0 {
				err = errors.New("the report is not XML: there is text outside of it")
			}
		}
		if err != nil {
			return err
		}
	}
}

func attributes(t xml.StartElement) map[string]string {
	m := make(map[string]string, len(t.Attr))
	for _, a := range t.Attr {
		m[a.Name.Local] = a.Value
	}
	return m
}

// decodeXMLText makes UTF-8 of a document, by the encoding that it declares.
func decodeXMLText(report []byte) (string, error) {
	head, _, _ := strings.Cut(string(report[:min(len(report), 200)]), "?>")
	_, encoding, declared := strings.Cut(head, "encoding=")
	if !declared || len(encoding) < 2 {
		return cleanText(report), nil
	}
	name, _, _ := strings.Cut(encoding[1:], encoding[:1])
	switch strings.ToLower(name) {
	case "utf-8", "utf8", "us-ascii", "ascii":
		return cleanText(report), nil
	case "iso-8859-1", "latin1", "iso-8859-15", "windows-1252", "cp1252":
		if utf8.Valid(report) { // what is declared is not always so
			return cleanText(report), nil
		}
		var b strings.Builder
		for _, c := range report {
			b.WriteRune(rune(c))
		}
		return cleanString(b.String()), nil
	}
	return "", fmt.Errorf("the report is encoded as %q, which is not read", excerpt(name))
}
