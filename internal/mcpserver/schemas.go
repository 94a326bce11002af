package mcpserver

import (
	"embed"
	"encoding/json"
	"io/fs"
	"strings"
)

//go:embed schemas/*.json
var schemaFiles embed.FS

// Schema returns the committed input schema of a tool: the file schemas/<name>.json, reviewed like code because it is
// what agents see. It returns nil when there is none.
func Schema(name string) json.RawMessage {
	data, err := schemaFiles.ReadFile("schemas/" + name + ".json")
	if err != nil {
		return nil
	}
	return data
}

// SchemaNames lists the tools that have a committed schema, sorted.
func SchemaNames() []string {
	files, _ := fs.Glob(schemaFiles, "schemas/*.json") // the pattern is well-formed
	for i, f := range files {
		files[i] = strings.TrimSuffix(strings.TrimPrefix(f, "schemas/"), ".json")
	}
	return files
}
