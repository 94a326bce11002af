package gavel

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// Class is a closed list of what can go wrong. A blocked gate is not an error.
type Class string

// The error classes, as MCP clients see them in error_class.
const (
	InvalidArgs     Class = "invalid_args"
	RepoNotFound    Class = "repo_not_found"
	NotAGitRepo     Class = "not_a_git_repo"
	BaseNotFound    Class = "base_not_found"
	NoChanges       Class = "no_changes"
	RunFailed       Class = "run_failed"
	RunTimeout      Class = "run_timeout"
	RunNotFound     Class = "run_not_found"
	ArtifactMissing Class = "artifact_missing"
	ToolMissing     Class = "tool_missing"
	StorageLocked   Class = "storage_locked"
	StorageCorrupt  Class = "storage_corrupt"
	StaleRun        Class = "stale_run"
	Refused         Class = "refused"
	ProviderError   Class = "provider_error"
	BudgetExceeded  Class = "budget_exceeded"
	JobNotFound     Class = "job_not_found"
	JobExpired      Class = "job_expired"
	QueueFull       Class = "queue_full"
	NotFound        Class = "not_found"
	Conflict        Class = "conflict"
	Cancelled       Class = "cancelled"
	Internal        Class = "internal"
)

// Exit codes of every command.
const (
	ExitPass        = 0
	ExitBlock       = 1
	ExitConditional = 2
	ExitNoVerdict   = 3
	ExitUsage       = 64
	ExitCancelled   = 130
)

// ClassMapping is one row of the table that translates a class for each door.
type ClassMapping struct {
	Class Class
	Exit  int // process exit code
	HTTP  int // response status (RFC 9110)
}

// Classes is the complete table. Anything that kept gavel from judging exits with ExitNoVerdict; a question that was
// wrong exits with ExitUsage.
var Classes = [...]ClassMapping{
	{InvalidArgs, ExitUsage, 400},
	{RepoNotFound, ExitUsage, 404},
	{NotAGitRepo, ExitUsage, 422},
	{BaseNotFound, ExitUsage, 422},
	{NoChanges, ExitNoVerdict, 422},
	{RunFailed, ExitNoVerdict, 500},
	{RunTimeout, ExitNoVerdict, 504},
	{RunNotFound, ExitUsage, 404},
	{ArtifactMissing, ExitUsage, 404},
	{ToolMissing, ExitNoVerdict, 503},
	{StorageLocked, ExitNoVerdict, 423},
	{StorageCorrupt, ExitNoVerdict, 500},
	{StaleRun, ExitNoVerdict, 409},
	{Refused, ExitNoVerdict, 403},
	{ProviderError, ExitNoVerdict, 502},
	{BudgetExceeded, ExitNoVerdict, 402},
	{JobNotFound, ExitUsage, 404},
	{JobExpired, ExitUsage, 410},
	{QueueFull, ExitNoVerdict, 429},
	{NotFound, ExitUsage, 404},
	{Conflict, ExitNoVerdict, 409},
	{Cancelled, ExitCancelled, 499},
	{Internal, ExitNoVerdict, 500},
}

// Error is the one error type that crosses a door.
type Error struct {
	Class      Class
	Message    string        // what is wrong and where, one sentence
	Hint       string        // what to do next, may be empty
	RetryAfter time.Duration // 0 = retrying as it is will not help
	Extra      map[string]any
	Err        error // the cause, for errors.Is and logs
}

// Errorf makes an error of a class.
func Errorf(class Class, format string, args ...any) *Error {
	err := fmt.Errorf(format, args...)
	return &Error{Class: class, Message: err.Error(), Err: errors.Unwrap(err)}
}

// WithHint returns the error with what to do next.
func (e *Error) WithHint(format string, args ...any) *Error {
	c := *e
	c.Hint = fmt.Sprintf(format, args...)
	return &c
}

// Error implements error.
func (e *Error) Error() string { return string(e.Class) + ": " + e.Message }

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// Mapping returns the row of the class; an unknown class is treated as Internal.
func (e *Error) Mapping() ClassMapping {
	for _, m := range Classes {
		if m.Class == e.Class {
			return m
		}
	}
	return ClassMapping{Internal, ExitNoVerdict, 500}
}

// AsError returns the *Error inside err. Anything else is wrapped: a cancelled context as Cancelled, a missed deadline
// as RunTimeout, the rest as Internal. It returns nil for nil alone.
func AsError(err error) *Error {
	if err == nil {
		return nil
	}
	var e *Error
	if errors.As(err, &e) {
		if e == nil {
			return &Error{Class: Internal, Message: "an error without content"}
		}
		return e
	}
	class := Internal
	switch {
	case errors.Is(err, context.Canceled):
		class = Cancelled
	case errors.Is(err, context.DeadlineExceeded):
		class = RunTimeout
	}
	return &Error{Class: class, Message: err.Error(), Err: err}
}
