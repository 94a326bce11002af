package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gavel-review/gavel/internal/report"
)

func documentPage(*source) (string, error) {
	var b strings.Builder
	schema := report.Schema()
	fmt.Fprintf(&b, "%s\n\nThe same as JSON Schema: [review.schema.json](review.schema.json).\n\n", schema.Description)
	b.WriteString("## Document\n\n")
	object(&b, schema)
	for _, d := range schema.Defs {
		fmt.Fprintf(&b, "## %s\n\n", d.Name)
		if d.Schema.Description != "" {
			fmt.Fprintf(&b, "%s\n\n", d.Schema.Description)
		}
		object(&b, d.Schema)
	}
	return b.String(), nil
}

func object(b *strings.Builder, n *report.SchemaNode) {
	var rows [][]string
	for _, p := range n.Properties {
		always := ""
		if slices.Contains(n.Required, p.Name) {
			always = "yes"
		}
		rows = append(rows, []string{quote(p.Name), nodeText(p.Schema), always, p.Schema.Description})
	}
	table(b, []string{"field", "value", "always there", "meaning"}, rows)
}

// nodeText says what a schema allows.
func nodeText(n *report.SchemaNode) string {
	switch {
	case n.Ref != "":
		name := n.Ref[strings.LastIndexByte(n.Ref, '/')+1:]
		return fmt.Sprintf("[%s](#%s)", name, anchor(name))
	case len(n.AnyOf) > 0:
		words := make([]string, len(n.AnyOf))
		for i, alternative := range n.AnyOf {
			words[i] = nodeText(alternative)
		}
		return strings.Join(words, " or ")
	case n.Const != nil:
		return fmt.Sprintf("`%v`", n.Const)
	case len(n.Enum) > 0:
		return enumText(n.Enum)
	case n.Items != nil:
		return "list of " + nodeText(n.Items)
	case n.Format == "date-time":
		return "time, RFC 3339"
	}
	return typeWords(n.Type)
}

func enumText(values []any) string {
	words := make([]string, 0, len(values))
	for _, v := range values {
		if v == nil {
			words = append(words, "null")
			continue
		}
		words = append(words, fmt.Sprintf("`%v`", v))
	}
	return strings.Join(words, ", ")
}

func typeWords(t any) string {
	if list, ok := t.([]string); ok {
		return strings.Join(list, " or ")
	}
	return fmt.Sprint(t)
}
