package check

import (
	"encoding/json"
	"path"
	"slices"
	"strings"
)

// maxReferences bounds how many configurations of a solution are followed.
const maxReferences = 64

// tsconfigs returns what tsc has to be asked about for a tsconfig.json: the file itself or, where it is a solution that
// has no sources of its own, the configurations that it refers to. tsc says nothing about the sources of a solution, so
// asking about the solution alone would pass over everything.
func (c *configuration) tsconfigs(file string) []string {
	var leaves []string
	seen := map[string]bool{file: true}
	for queue := []string{file}; len(queue) > 0 && len(seen) <= maxReferences; queue = queue[1:] {
		refs := c.references(queue[0])
		if len(refs) == 0 {
			leaves = append(leaves, queue[0])
			continue
		}
		for _, r := range refs {
			if !seen[r] {
				seen[r] = true
				queue = append(queue, r)
			}
		}
	}
	slices.Sort(leaves)
	return leaves
}

// references returns the configurations that a solution refers to, none for a file that has sources.
func (c *configuration) references(file string) []string {
	data, ok := c.read(file)
	if !ok {
		return nil
	}
	var config struct {
		Files      *[]string `json:"files"`
		Include    []string  `json:"include"`
		References []struct {
			Path string `json:"path"`
		} `json:"references"`
	}
	if json.Unmarshal(withoutComments(data), &config) != nil || config.Files == nil || len(*config.Files)+len(config.Include) > 0 {
		return nil
	}
	var refs []string
	for _, r := range config.References {
		p := path.Join(path.Dir(file), r.Path)
		if !strings.HasSuffix(p, ".json") {
			p = path.Join(p, "tsconfig.json")
		}
		if c.has(p) {
			refs = append(refs, p)
		}
	}
	return refs
}

// withoutComments makes JSON of JSON with comments and commas before closing brackets.
func withoutComments(data []byte) []byte {
	out := make([]byte, 0, len(data))
	for i := 0; i < len(data); i++ {
		switch b := data[i]; {
		case b == '"':
			end := stringEnd(data, i)
			out = append(out, data[i:end]...)
			i = end - 1
		case b == '/' && i+1 < len(data) && data[i+1] == '/':
			for i+1 < len(data) && data[i+1] != '\n' {
				i++
			}
		case b == '/' && i+1 < len(data) && data[i+1] == '*':
			end := strings.Index(string(data[i+2:]), "*/")
			if end < 0 {
				return out
			}
			i += end + 3
		case b == ']' || b == '}':
			out = append(trimComma(out), b)
		default:
			out = append(out, b)
		}
	}
	return out
}

// stringEnd is the position after the string that begins at i.
func stringEnd(data []byte, i int) int {
	for i++; i < len(data); i++ {
		switch data[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return len(data)
}

func trimComma(out []byte) []byte {
	for i := len(out) - 1; i >= 0; i-- {
		switch out[i] {
		case ' ', '\t', '\r', '\n':
			continue
		case ',':
			return append(out[:i:i], out[i+1:]...)
		}
		break
	}
	return out
}
