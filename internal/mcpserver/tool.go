package mcpserver

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/gavel-review/gavel"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Tool is one operation as an agent sees it.
type Tool struct {
	Name        string          // [a-z0-9_], at most 30 characters: hosts put a prefix before it
	Title       string          // for people, may be empty
	Description string          // for the model, at most 200 characters
	Toolset     string          // one of [Toolsets]; empty = always offered
	InputSchema json.RawMessage // a flat object in the subset that [Schema] files use
	Annotations Annotations
	Timeout     time.Duration // of one call, waiting for a free slot included; 0 = DefaultTimeout
	// Call runs the operation. args is a JSON object that fits InputSchema, without nulls and duplicate keys.
	// progress may be called at any time, from any goroutine, until Call returns. Call must end soon after ctx does.
	// An error that is no *gavel.Error reaches the client as class internal.
	Call func(ctx context.Context, args json.RawMessage, progress func(message string)) (Result, error)

	compiled func() (*schema, error)
}

// Annotations are the hints of the protocol. All four are always sent, because clients assume the worst of a missing one.
type Annotations struct {
	ReadOnly, Destructive, Idempotent, OpenWorld bool
}

// Result is a successful answer.
type Result struct {
	Body    any    // encodes to a JSON object; schema_version is added where it lacks
	Summary string // one line; when given it is the first text block and the body the second
}

// DefaultTimeout bounds a call of a tool that sets no timeout of its own.
const DefaultTimeout = 2 * time.Minute

const (
	maxToolName    = 30
	maxDescription = 200
)

// Toolsets are the names that --tools takes, besides "all".
var Toolsets = []string{"review", "runs", "checks", "issues", "evidence", "code"}

// ParseToolsets reads a comma-separated list of toolsets. Empty and "all" mean every one and give nil.
func ParseToolsets(list string) ([]string, error) {
	var sets []string
	for _, word := range strings.Split(list, ",") {
		switch word = strings.TrimSpace(word); {
		case word == "":
		case word == "all":
			return nil, nil
		case !slices.Contains(Toolsets, word):
			return nil, unknownToolset(word)
		default:
			sets = append(sets, word)
		}
	}
	return sets, nil
}

func unknownToolset(word string) *gavel.Error {
	return gavel.Errorf(gavel.InvalidArgs, "unknown toolset %q", word).
		WithHint("use all or a comma-separated list of %s", strings.Join(Toolsets, ", "))
}

func selectTools(all []Tool, sets []string) ([]Tool, error) {
	for _, word := range sets {
		if !slices.Contains(Toolsets, word) {
			return nil, unknownToolset(word)
		}
	}
	var tools []Tool
	seen := map[string]bool{}
	for _, t := range all {
		if err := t.check(); err != nil {
			return nil, fmt.Errorf("tool %q: %w", t.Name, err)
		}
		if seen[t.Name] {
			return nil, fmt.Errorf("tool %q: registered twice", t.Name)
		}
		seen[t.Name] = true
		if len(sets) == 0 || t.Toolset == "" || slices.Contains(sets, t.Toolset) {
			t.compiled = sync.OnceValues(func() (*schema, error) { return compileSchema(t.InputSchema) })
			tools = append(tools, t)
		}
	}
	return tools, nil
}

// check holds what must be true before the tool can be listed. The schema itself is compiled at its first use, to
// keep the start short; tests compile every one.
func (t *Tool) check() error {
	switch {
	case !validName(t.Name):
		return fmt.Errorf("the name must match [a-z][a-z0-9_]{0,%d}", maxToolName-1)
	case t.Description == "" || len(t.Description) > maxDescription:
		return fmt.Errorf("the description has %d bytes, want 1 to %d", len(t.Description), maxDescription)
	case t.Toolset != "" && !slices.Contains(Toolsets, t.Toolset):
		return unknownToolset(t.Toolset)
	case t.Call == nil:
		return fmt.Errorf("nothing to call")
	}
	return checkRoot(t.InputSchema)
}

func validName(name string) bool {
	if name == "" || len(name) > maxToolName || name[0] < 'a' || name[0] > 'z' {
		return false
	}
	return strings.Trim(name, "abcdefghijklmnopqrstuvwxyz0123456789_") == ""
}

func (t *Tool) describe() *mcp.Tool {
	a := t.Annotations
	return &mcp.Tool{
		Name: t.Name, Title: t.Title, Description: t.Description, InputSchema: t.InputSchema,
		Annotations: &mcp.ToolAnnotations{
			ReadOnlyHint: a.ReadOnly, IdempotentHint: a.Idempotent,
			DestructiveHint: &a.Destructive, OpenWorldHint: &a.OpenWorld,
		},
	}
}

func (t *Tool) timeout() time.Duration {
	if t.Timeout > 0 {
		return t.Timeout
	}
	return DefaultTimeout
}
