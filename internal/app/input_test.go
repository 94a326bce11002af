//go:build unix

package app

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/gavel-review/gavel"
)

// ends fails a test that would hang. The bound is far above what anything here takes.
func ends(t *testing.T, do func() error) error {
	t.Helper()
	done := make(chan error, 1)
	go func() { done <- do() }()
	select {
	case err := <-done:
		return err
	case <-time.After(time.Minute):
		t.Fatal("it hangs")
		return nil
	}
}

func pipe(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// Whatever reads what the user named ends with the context, however the pipe is stuck.
func TestStuckInputEndsWithTheContext(t *testing.T) {
	t.Parallel()
	readers := map[string]func(context.Context, *Env, string) error{
		"guard": func(ctx context.Context, env *Env, path string) error {
			_, err := GuardInput{FromJSON: path}.document(ctx, env)
			return err
		},
		"patch": func(ctx context.Context, env *Env, path string) error {
			r, err := newReviewer(ctx, env, ReviewInput{Patch: path})
			if err != nil {
				return err
			}
			_, err = r.reviewPatch(ctx)
			return err
		},
		"rules": func(ctx context.Context, env *Env, path string) error {
			return (&ReviewInput{Rules: path}).readRules(ctx, env)
		},
	}
	stuck := map[string]func(t *testing.T, env *Env) string{
		"nobody opens the other end": func(t *testing.T, _ *Env) string { return pipe(t) },
		"nothing is written": func(t *testing.T, _ *Env) string {
			path := pipe(t)
			f, err := os.OpenFile(path, os.O_RDWR, 0)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { f.Close() })
			return path
		},
		"standard input": func(t *testing.T, env *Env) string {
			r, w := io.Pipe()
			t.Cleanup(func() { w.Close() })
			env.Stdin = r
			return "-"
		},
	}
	for name, read := range readers {
		for how, place := range stuck {
			if name == "rules" && how == "standard input" {
				continue // "-" is a file there
			}
			t.Run(name+"/"+how, func(t *testing.T) {
				t.Parallel()
				env := testEnv(t, nil)
				env.Dir, env.Progress, env.Now = t.TempDir(), func(string) {}, time.Now
				path := place(t, env)
				ctx, cancel := context.WithCancel(t.Context())
				time.AfterFunc(50*time.Millisecond, cancel)
				err := ends(t, func() error { return read(ctx, env, path) })
				if err == nil || gavel.AsError(err).Class != gavel.Cancelled {
					t.Errorf("%v", err)
				}
			})
		}
	}
}

// A pipe that is written is read whole: <(command) is one.
func TestInputReadsAPipe(t *testing.T) {
	t.Parallel()
	path := pipe(t)
	want := bytes.Repeat([]byte("0123456789abcdef\n"), 20_000)
	go func() {
		if f, err := os.OpenFile(path, os.O_WRONLY, 0); err == nil {
			_, _ = f.Write(want)
			f.Close()
		}
	}()
	err := ends(t, func() error {
		in, err := openInput(t.Context(), path)
		if err != nil {
			return err
		}
		defer in.Close()
		got, err := io.ReadAll(in)
		if err == nil && !bytes.Equal(got, want) {
			err = errors.New("the bytes differ")
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

func TestInputErrors(t *testing.T) {
	t.Parallel()
	if _, err := openInput(t.Context(), filepath.Join(t.TempDir(), "none")); !os.IsNotExist(err) {
		t.Errorf("%v", err)
	}
	env := testEnv(t, nil)
	broken := errors.New("broken")
	env.Stdin = io.MultiReader(strings.NewReader("some"), &failing{broken})
	in, err := env.input(t.Context(), "-")
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	if got, err := io.ReadAll(in); string(got) != "some" || !errors.Is(err, broken) {
		t.Errorf("%q, %v", got, err)
	}
}

type failing struct{ err error }

func (f *failing) Read([]byte) (int, error) { return 0, f.err }
