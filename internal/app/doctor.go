package app

import (
	"context"
	"fmt"
	"io"

	"github.com/gavel-review/gavel"
	"github.com/gavel-review/gavel/internal/git"
	"github.com/gavel-review/gavel/internal/untrusted"
)

// DoctorInput asks for the checks; there is nothing to choose.
type DoctorInput struct{}

// DoctorOutput is what the doctor found, in a fixed order.
type DoctorOutput struct {
	SchemaVersion string        `json:"schema_version"`
	Version       string        `json:"version"`
	Checks        []DoctorCheck `json:"checks"`
}

// DoctorStatus is the outcome of one check.
type DoctorStatus string

// The outcomes, best first. What nobody asked for (no model, no hook) is ok.
const (
	DoctorOK   DoctorStatus = "ok"
	DoctorWarn DoctorStatus = "warn" // gavel works, but perhaps not as meant
	DoctorFail DoctorStatus = "fail" // gavel cannot judge
)

// DoctorCheck is one thing that was looked at.
type DoctorCheck struct {
	ID      string       `json:"id"`
	Status  DoctorStatus `json:"status"`
	Message string       `json:"message"`
	Hint    string       `json:"hint,omitempty"`
}

// Doctor looks at everything that a review depends on. It writes nothing.
var Doctor = Op[DoctorInput, *DoctorOutput]{
	Name:     "doctor",
	Doc:      "Check what a review depends on: git, the repository, configuration, policy, baseline, state folder, hooks.",
	Long:     "Writes nothing. Exit code 3 when a check fails, else 0.",
	Doors:    CLI,
	ReadOnly: true,
	Run:      runDoctor,
	Render:   renderDoctor,
}

func runDoctor(ctx context.Context, env *Env, _ DoctorInput) (*DoctorOutput, error) {
	d := doctor{env: env}
	d.git(ctx)
	d.user()
	d.clock()
	d.state()
	d.repository(ctx)
	d.reviewer()
	d.terminal()
	if err := ctx.Err(); err != nil {
		return nil, gavel.Errorf(gavel.Cancelled, "cancelled: %w", err)
	}
	return &DoctorOutput{gavel.WireVersion, env.Version, d.checks}, nil
}

// ExitCode implements [Exiter].
func (o *DoctorOutput) ExitCode() int {
	for _, c := range o.Checks {
		if c.Status == DoctorFail {
			return gavel.ExitNoVerdict
		}
	}
	return gavel.ExitPass
}

// doctor is an examination under way. user is what could be read of the user's configuration.
type doctor struct {
	env    *Env
	config UserConfig
	checks []DoctorCheck
}

func (d *doctor) add(id string, status DoctorStatus, hint, format string, args ...any) {
	d.checks = append(d.checks, DoctorCheck{id, status, fmt.Sprintf(format, args...), hint})
}

func (d *doctor) ok(id, format string, args ...any) { d.add(id, DoctorOK, "", format, args...) }

// fail turns an error into a failed check.
func (d *doctor) fail(id string, err error) {
	e := gavel.AsError(err)
	d.add(id, DoctorFail, e.Hint, "%s", e.Message)
}

func (d *doctor) git(ctx context.Context) {
	version, err := git.Version(ctx)
	if err != nil {
		d.fail("git", err)
		return
	}
	d.ok("git", "version %s", version)
}

func (d *doctor) user() {
	path := userConfigPath(d.env)
	config, found, err := readUserConfig(path)
	switch {
	case err != nil:
		d.fail("user_config", err)
		return
	case path == "":
		d.ok("user_config", "none (neither HOME nor XDG_CONFIG_HOME names an absolute folder)")
	case !found:
		d.ok("user_config", "none (%s does not exist)", gavel.DisplayPath(path))
	default:
		d.config = config
		d.ok("user_config", "%s", gavel.DisplayPath(path))
	}
	if _, err := environmentPolicy(d.env); err != nil {
		d.fail("environment", err)
	}
}

func (d *doctor) clock() {
	now, fixed, err := d.env.Clock()
	switch {
	case err != nil:
		d.fail("clock", err)
	case fixed:
		d.ok("clock", "fixed at %s by SOURCE_DATE_EPOCH", now.Format("2006-01-02T15:04:05Z"))
	default:
		d.ok("clock", "the system's")
	}
}

func (d *doctor) reviewer() {
	switch p := d.config.Review.Provider; p {
	case "", "none":
		d.ok("reviewer", "no model is configured: the detectors review alone")
	default:
		d.add("reviewer", DoctorWarn, "this version reviews with its detectors only", "the provider %q is configured but cannot be used", p)
	}
}

func (d *doctor) terminal() {
	switch {
	case d.env.Getenv("NO_COLOR") != "":
		d.ok("terminal", "no colours: NO_COLOR is set")
	case d.env.Getenv("TERM") == "" || d.env.Getenv("TERM") == "dumb":
		d.ok("terminal", "no colours: TERM is %q", d.env.Getenv("TERM"))
	default:
		d.ok("terminal", "TERM is %q", d.env.Getenv("TERM"))
	}
}

func renderDoctor(w io.Writer, o *DoctorOutput, _ RenderOptions) error {
	width := 0
	for _, c := range o.Checks {
		width = max(width, len(c.ID))
	}
	failed, warned := 0, 0
	for _, c := range o.Checks {
		if _, err := fmt.Fprintf(w, "%-4s  %-*s  %s\n", c.Status, width, c.ID, untrusted.Visible(c.Message)); err != nil {
			return err
		}
		if c.Hint != "" {
			fmt.Fprintf(w, "%*s%s\n", width+8, "", untrusted.Visible(c.Hint))
		}
		switch c.Status {
		case DoctorFail:
			failed++
		case DoctorWarn:
			warned++
		}
	}
	_, err := fmt.Fprintf(w, "%s, %d failed, %s\n", plural(len(o.Checks), "check"), failed, plural(warned, "warning"))
	return err
}

// plural counts things: "1 rule", "2 rules".
func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
