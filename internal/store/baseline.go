package store

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/gavel-review/gavel"
)

// BaselineVersion is the only version of the baseline file that there is.
const BaselineVersion = 1

// ParseBaseline reads a baseline file: how many findings of each fingerprint are old. It is strict, since a baseline
// lets findings pass: a newer version, an unknown or doubled key, a malformed fingerprint and a count below 1 are
// invalid_args. Messages name no file; the caller knows where the bytes come from.
func ParseBaseline(data []byte) (map[string]int, error) {
	fields, err := objectFields(data)
	if err != nil {
		return nil, baselineError("%w", err)
	}
	if err := checkBaselineVersion(fields["version"]); err != nil {
		return nil, err
	}
	for _, key := range slices.Sorted(maps.Keys(fields)) {
		if key != "version" && key != "fingerprints" {
			return nil, baselineError("unknown key %q", key)
		}
	}
	prints, err := objectFields(fields["fingerprints"])
	if err != nil {
		return nil, baselineError("fingerprints: %w", err)
	}
	counts := make(map[string]int, len(prints))
	for _, print := range slices.Sorted(maps.Keys(prints)) {
		n, err := strconv.Atoi(string(prints[print]))
		switch {
		case !validFingerprint(print):
			return nil, baselineError("%q is not a fingerprint", print)
		case err != nil || n < 1:
			return nil, baselineError("%s: %s is not a count of at least 1", print, prints[print])
		}
		counts[print] = n
	}
	return counts, nil
}

func baselineError(format string, args ...any) *gavel.Error {
	e := gavel.Errorf(gavel.InvalidArgs, format, args...)
	e.Message = "baseline: " + e.Message
	return e.WithHint("write it anew with `gavel baseline update`")
}

func checkBaselineVersion(raw json.RawMessage) error {
	version, err := strconv.Atoi(string(raw))
	switch {
	case len(raw) == 0:
		return baselineError("version is missing")
	case err != nil || version < 1:
		return baselineError("version %s is not a version", raw)
	case version > BaselineVersion:
		return gavel.Errorf(gavel.InvalidArgs, "baseline: version %d is newer than this gavel understands (%d)", version, BaselineVersion).
			WithHint("upgrade gavel")
	}
	return nil
}

// objectFields splits one JSON object into its fields. The standard decoder would fold the case of keys and let the
// last of equal ones win.
func objectFields(data []byte) (map[string]json.RawMessage, error) {
	dec := json.NewDecoder(bytes.NewReader(data))
	if open, err := dec.Token(); err != nil || open != json.Delim('{') {
		return nil, errNoObject
	}
	fields := make(map[string]json.RawMessage)
	for dec.More() {
		key, err := dec.Token()
		if err != nil {
			return nil, err
		}
		name, ok := key.(string)
		if !ok {
			return nil, errNoObject
		}
		if _, twice := fields[name]; twice {
			return nil, fmt.Errorf("key %q stands twice", name)
		}
		var value json.RawMessage
		if err := dec.Decode(&value); err != nil {
			return nil, err
		}
		fields[name] = value
	}
	if _, err := dec.Token(); err != nil {
		return nil, err
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("something follows the object")
	}
	return fields, nil
}

var errNoObject = errors.New("not a JSON object")

// validFingerprint reports whether the text is "g1:" and 32 lower-case hex digits, see [gavel.Fingerprint].
func validFingerprint(print string) bool {
	if len(print) != len("g1:")+32 || print[:3] != "g1:" {
		return false
	}
	for _, c := range []byte(print[3:]) {
		if (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return false
		}
	}
	return true
}

// RenderBaseline returns the bytes of a baseline file: equal counts give equal bytes, one fingerprint a line, so that
// a merge of two branches is a merge of lines. A count below 1 says nothing and is left out.
func RenderBaseline(counts map[string]int) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "{\n  \"version\": %d,\n  \"fingerprints\": {", BaselineVersion)
	comma := ""
	for _, print := range slices.Sorted(maps.Keys(counts)) {
		if counts[print] > 0 {
			fmt.Fprintf(&b, "%s\n    %q: %d", comma, print, counts[print])
			comma = ","
		}
	}
	if comma != "" {
		b.WriteString("\n  ")
	}
	b.WriteString("}\n}\n")
	return b.Bytes()
}

// WriteBaseline writes the baseline file at once or not at all, and creates its folder. The file is the repository's,
// so it has the usual mode. A folder that is a link is refused: a repository must not choose what is written outside
// of it. Equal bytes are not written again.
func WriteBaseline(path string, counts map[string]int) error {
	for print := range counts {
		if !validFingerprint(print) {
			return gavel.Errorf(gavel.Internal, "baseline: %q is not a fingerprint", print)
		}
	}
	dir := filepath.Dir(path)
	if err := makeBaselineFolder(dir); err != nil {
		return err
	}
	data := RenderBaseline(counts)
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return repositoryError("look at", path, err)
	case !info.Mode().IsRegular():
		return gavel.Errorf(gavel.Refused, "%s is not a regular file", path).WithHint("remove it first")
	default:
		if old, err := os.ReadFile(path); err == nil && bytes.Equal(old, data) {
			return nil
		}
	}
	if err := replaceFile(path, data, 0o644); err != nil {
		return repositoryError("write", path, err)
	}
	syncFolder(dir)
	return nil
}

func makeBaselineFolder(dir string) error {
	info, err := os.Lstat(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return repositoryError("create", dir, err)
		}
	case err != nil:
		return repositoryError("look at", dir, err)
	case !info.IsDir():
		return gavel.Errorf(gavel.Refused, "%s is not a folder of the repository", dir).WithHint("remove the link or file first")
	}
	return nil
}

// repositoryError is ioError for a file that does not belong to the state.
func repositoryError(doing, path string, err error) error {
	return gavel.AsError(ioError(doing, path, err)).WithHint("")
}
