package gavel_test

import (
	"context"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/gavel-review/gavel"
)

// classTable is pinned: scripts read the exit codes, MCP clients the words.
var classTable = []gavel.ClassMapping{
	{"invalid_args", 64, 400}, {"repo_not_found", 64, 404}, {"not_a_git_repo", 64, 422}, {"base_not_found", 64, 422},
	{"no_changes", 3, 422}, {"run_failed", 3, 500}, {"run_timeout", 3, 504}, {"run_not_found", 64, 404},
	{"artifact_missing", 64, 404}, {"tool_missing", 3, 503}, {"storage_locked", 3, 423}, {"storage_corrupt", 3, 500},
	{"stale_run", 3, 409}, {"refused", 3, 403}, {"provider_error", 3, 502}, {"budget_exceeded", 3, 402},
	{"job_not_found", 64, 404}, {"job_expired", 64, 410}, {"queue_full", 3, 429}, {"not_found", 64, 404},
	{"conflict", 3, 409}, {"cancelled", 130, 499}, {"internal", 3, 500},
}

func TestClassTableIsPinned(t *testing.T) {
	t.Parallel()
	if !slices.Equal(gavel.Classes[:], classTable) {
		t.Errorf("the table has moved:\n%v\nwant\n%v", gavel.Classes, classTable)
	}
	for _, m := range gavel.Classes {
		if m.Exit == gavel.ExitPass || m.Exit == gavel.ExitBlock || m.Exit == gavel.ExitConditional {
			t.Errorf("%s exits like a verdict: %d", m.Class, m.Exit)
		}
		if got := (&gavel.Error{Class: m.Class}).Mapping(); got != m {
			t.Errorf("%s maps to %v", m.Class, got)
		}
	}
}

// Every constant of type Class stands in the table exactly once.
func TestClassTableIsComplete(t *testing.T) {
	t.Parallel()
	declared := constants(t, "error.go", "Class")
	var listed []string
	for _, m := range gavel.Classes {
		listed = append(listed, string(m.Class))
	}
	slices.Sort(declared)
	slices.Sort(listed)
	if !slices.Equal(declared, listed) {
		t.Errorf("declared %v\nlisted   %v", declared, listed)
	}
}

// constants returns the values of the string constants of a named type in a file.
func constants(t *testing.T, file, typeName string) []string {
	t.Helper()
	tree, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	var values []string
	ast.Inspect(tree, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok {
			return true
		}
		if name, ok := spec.Type.(*ast.Ident); ok && name.Name == typeName {
			for _, v := range spec.Values {
				word, err := strconv.Unquote(v.(*ast.BasicLit).Value)
				if err != nil {
					t.Fatal(err)
				}
				values = append(values, word)
			}
		}
		return true
	})
	return values
}

func TestUnknownClassIsInternal(t *testing.T) {
	t.Parallel()
	want := gavel.ClassMapping{Class: gavel.Internal, Exit: gavel.ExitNoVerdict, HTTP: 500}
	for _, class := range []gavel.Class{"", "nonsense", "INTERNAL"} {
		if got := (&gavel.Error{Class: class}).Mapping(); got != want {
			t.Errorf("%q maps to %v", class, got)
		}
	}
}

func TestErrorf(t *testing.T) {
	t.Parallel()
	e := gavel.Errorf(gavel.StorageCorrupt, "row %d: %w", 7, fs.ErrInvalid)
	if e.Message != "row 7: invalid argument" || e.Error() != "storage_corrupt: row 7: invalid argument" {
		t.Errorf("message %q, error %q", e.Message, e)
	}
	if !errors.Is(e, fs.ErrInvalid) {
		t.Error("the cause is lost")
	}
	hinted := e.WithHint("run %s", "this")
	if hinted.Hint != "run this" || e.Hint != "" || hinted == e {
		t.Errorf("hint %q, on the original %q", hinted.Hint, e.Hint)
	}
}

func TestAsError(t *testing.T) {
	t.Parallel()
	var none *gavel.Error
	own := gavel.Errorf(gavel.QueueFull, "full")
	own.RetryAfter = time.Second
	tests := []struct {
		name string
		err  error
		want gavel.Class
	}{
		{"own", own, gavel.QueueFull},
		{"wrapped", fmt.Errorf("while queueing: %w", own), gavel.QueueFull},
		{"joined", errors.Join(fs.ErrClosed, own), gavel.QueueFull},
		{"other", fs.ErrClosed, gavel.Internal},
		{"cancelled", fmt.Errorf("git: %w", context.Canceled), gavel.Cancelled},
		{"deadline", fmt.Errorf("git: %w", context.DeadlineExceeded), gavel.RunTimeout},
		{"own class wins", gavel.Errorf(gavel.RunFailed, "git: %w", context.Canceled), gavel.RunFailed},
		{"nothing inside", none, gavel.Internal},
	}
	for _, tt := range tests {
		got := gavel.AsError(tt.err)
		if got == nil || got.Class != tt.want || got.Message == "" {
			t.Errorf("%s: %+v, want class %s", tt.name, got, tt.want)
		}
	}
	if gavel.AsError(nil) != nil {
		t.Error("no error became one")
	}
	if got := gavel.AsError(fmt.Errorf("x: %w", own)); got.RetryAfter != time.Second {
		t.Errorf("retry after %v", got.RetryAfter)
	}
}
