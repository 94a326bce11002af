package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"time"

	"github.com/spf13/cobra"

	"github.com/gavel-review/gavel"
	"github.com/gavel-review/gavel/internal/app"
	"github.com/gavel-review/gavel/internal/untrusted"
)

// now is the clock of the operations.
var now = time.Now

// notifier is an output with a remark for people, one line.
type notifier interface{ Notice() string }

// hinter is a notifier that says what to do about it.
type hinter interface{ Hint() string }

// operate runs a leaf with the arguments that flags left over.
func (p *program) operate(cmd *cobra.Command, l *leaf, args []string) error {
	if p.global.verbose {
		p.level.Set(slog.LevelDebug)
	}
	if err := p.checkGlobals(cmd); err != nil {
		return err
	}
	format, err := p.formatOf(cmd, l)
	if err != nil {
		return err
	}
	if err := fill(cmd, l, args); err != nil {
		return err
	}
	if l.run != nil && (l.valued == nil || !l.valued(l.in)) {
		return l.run(cmd.Context(), l.in)
	}
	to, err := p.target(cmd)
	if err != nil {
		return err
	}
	out, err := p.call(cmd.Context(), l)
	if err != nil {
		return err
	}
	return p.print(l, out, format, to)
}

// call runs the operation. What was interrupted has no result, even if the operation made one.
func (p *program) call(ctx context.Context, l *leaf) (any, error) {
	progress := p.startProgress()
	defer progress.stop()
	env, err := p.env(progress)
	if err != nil {
		return nil, err
	}
	out, err := l.op.Run(ctx, env, l.in)
	if ctx.Err() != nil {
		return nil, cancelled(err)
	}
	return out, err
}

func cancelled(cause error) error {
	return &gavel.Error{Class: gavel.Cancelled, Message: "cancelled", Err: cause}
}

// print renders the whole result before the first byte of it is written.
func (p *program) print(l *leaf, out any, format string, to target) error {
	var b bytes.Buffer
	if err := p.render(&b, l, out, format, to); err != nil {
		return err
	}
	if err := to.write(b.Bytes()); err != nil {
		return err
	}
	if n, ok := out.(notifier); ok && !p.global.quiet && n.Notice() != "" {
		fmt.Fprintf(p.stderr, "%s\n", untrusted.Visible(n.Notice()))
		if h, ok := out.(hinter); ok && h.Hint() != "" {
			fmt.Fprintf(p.stderr, "hint: %s\n", untrusted.Visible(h.Hint()))
		}
	}
	if e, ok := out.(app.Exiter); ok {
		p.exit = e.ExitCode()
	}
	return nil
}

func (p *program) render(b *bytes.Buffer, l *leaf, out any, format string, to target) error {
	if format == "json" {
		return encode(b, out)
	}
	o := app.RenderOptions{Format: format, Width: p.width(to)}
	o.Color = format == "text" && p.color(to)
	return l.op.Render(b, out, o)
}

// encode writes a value as every JSON result is written.
func encode(b *bytes.Buffer, v any) error {
	enc := json.NewEncoder(b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(v)
}
