package mcpserver

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/gavel-review/gavel"
	"github.com/gavel-review/gavel/internal/app"
	"github.com/gavel-review/gavel/internal/report"
)

const (
	schemaResources  = "gavel:///schemas/"
	documentResource = "review_document" // the answer of review
	schemaType       = "application/schema+json"
)

// ProductResources are the schemas, which stand on the first page, and the files of finished runs.
func ProductResources(env *app.Env) *Resources {
	return &Resources{
		List: func(_ context.Context, cursor string) ([]app.Resource, string, error) {
			page, next, err := app.PackResources(env, cursor)
			if cursor == "" {
				page = append(schemaList(), page...)
			}
			return page, next, err
		},
		Read: func(_ context.Context, uri string) (string, string, error) {
			name, ok := strings.CutPrefix(uri, schemaResources)
			if !ok {
				return app.ReadPackResource(env, uri)
			}
			if data := schemaText(name); data != nil {
				return string(data), schemaType, nil
			}
			return "", "", gavel.Errorf(gavel.NotFound, "there is no such resource")
		},
	}
}

func schemaList() []app.Resource {
	var list []app.Resource
	for _, name := range append(SchemaNames(), documentResource) {
		list = append(list, app.Resource{
			URI: schemaResources + name, Name: "schema of " + name, MIMEType: schemaType, Size: int64(len(schemaText(name))),
		})
	}
	return list
}

// schemaText is the schema of a tool's arguments, or of the document; nil where there is none.
func schemaText(name string) []byte {
	if name != documentResource {
		return Schema(name)
	}
	data, err := json.MarshalIndent(report.Schema(), "", "  ")
	if err != nil {
		return nil
	}
	return data
}
