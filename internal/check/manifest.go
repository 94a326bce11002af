package check

import (
	"bytes"
	"errors"
	"strings"
	"time"

	"github.com/pelletier/go-toml/v2"

	"github.com/gavel-review/gavel"
)

// ManifestVersion is the only version of a manifest that there is.
const ManifestVersion = 1

// Manifest declares checks and the tools that they drive. It is data: what a repository brings is parsed like what is
// built in, and runs nothing by being parsed.
type Manifest struct {
	Version int                 `toml:"version"`
	Name    string              `toml:"name"`
	Groups  map[string][]string `toml:"groups"` // name -> ids in order
	Tools   []ToolSpec          `toml:"tool"`
	Checks  []Check             `toml:"check"`
}

// ToolSpec says how a program is found, asked for its version and had.
type ToolSpec struct {
	Name    string   `toml:"name"`
	Version []string `toml:"version"` // arguments that make it tell its version; none = --version
	// Unversioned marks a tool that cannot tell its version; its file's size and time stand for it.
	Unversioned bool   `toml:"unversioned"`
	Local       string `toml:"local"`   // where a project keeps its own: node_modules, venv or nothing
	Package     string `toml:"package"` // the name under which package.json asks for it; "" = Name
	Install     string `toml:"install"` // what a person does to have it
}

// Check is an external tool, how it is called, and how its report is read.
type Check struct {
	ID     string     `toml:"id"`
	Title  string     `toml:"title"`
	Stack  string     `toml:"stack"`  // a name of Stacks, or any
	Family string     `toml:"family"` // one of Families
	Argv   [][]string `toml:"argv"`   // the lines before the last one prepare and have to succeed
	Report ReportSpec `toml:"report"`
	// FindingsExit are the exit codes beside 0 that mean "there are findings". Any other one is a crash.
	FindingsExit     []int             `toml:"findings_exit"`
	Timeout          Duration          `toml:"timeout"`
	Profile          gavel.Profile     `toml:"profile"`  // the least that asks for it
	Required         string            `toml:"required"` // ecosystem, configured, or nothing
	Scope            Scope             `toml:"scope"`
	Place            string            `toml:"place"` // the folder that it runs in: project (default) or config
	Comparison       Comparison        `toml:"comparison"`
	Serial           string            `toml:"serial"` // checks of one name run one after the other
	Requires         Requires          `toml:"requires"`
	Applies          Applies           `toml:"applies"`
	Env              map[string]string `toml:"env"` // beside what Environ lets through
	ExecutesRepoCode bool              `toml:"executes_repo_code"`
	WritesTree       bool              `toml:"writes_tree"` // leaves files beside the sources, so it never runs in a checkout
	EgressValue      any               `toml:"egress"`      // as written: "none", "registry" or { hosts = [...] }
	Egress           Egress            `toml:"-"`
	CoverageSignals  []CoverageSignal  `toml:"coverage_signals"`
	Signals          []Signal          `toml:"signals"`
	Groups           []string          `toml:"groups"`
	Docs             string            `toml:"docs"`
	Controls         []string          `toml:"controls"`
	Weakness         string            `toml:"weakness"` // what it is known not to see
}

// ReportSpec says where the report is and which parser reads it.
type ReportSpec struct {
	// File is {report}, a private file that the arguments name, or a pattern relative to the folder that the check runs
	// in; then every file that matches is a report of its own.
	File   string `toml:"file"`
	Stdout bool   `toml:"stdout"`
	Format string `toml:"format"`
}

// Requires is what has to be there before a check can measure anything.
type Requires struct {
	Tools    []string `toml:"tools"`
	Env      []string `toml:"env"`
	Services []string `toml:"services"` // for people: gavel cannot look whether they run
	// Dependencies says that the project's own packages have to be installed, and to belong to the tree.
	Dependencies bool `toml:"dependencies"`
}

// Applies says what makes a check apply. Files, Keys, Dependencies and Mentions are how a repository configures a tool;
// a check without any of them, and one of the ecosystem, applies wherever its stack is.
type Applies struct {
	Files        []string `toml:"files"`        // a file of this name here or in a folder above; with a slash: from the top
	Keys         []string `toml:"keys"`         // "package.json#prettier", "setup.cfg#tool:pytest": a key in such a file
	Dependencies []string `toml:"dependencies"` // package.json asks for it
	Mentions     []string `toml:"mentions"`     // a word in the repository's own automation, see automation
	Ecosystem    bool     `toml:"ecosystem"`
	Extensions   []string `toml:"extensions"` // which files it looks at: ".go"
	Names        []string `toml:"names"`      // and by name: "Dockerfile"; with a slash: a pattern from the top
	Git          bool     `toml:"git"`        // it needs a repository around the files, so it runs in a checkout alone
}

// configurable reports whether the repository decides.
func (a *Applies) configurable() bool {
	return len(a.Files)+len(a.Keys)+len(a.Dependencies)+len(a.Mentions) > 0
}

// Egress is which part of the network a tool needs.
type Egress struct {
	Registry bool     // of the stack's packages and advisories
	Hosts    []string // these alone
}

// Any reports whether the tool needs a network at all.
func (e Egress) Any() bool { return e.Registry || len(e.Hosts) > 0 }

// String is none, registry, or the hosts.
func (e Egress) String() string {
	switch {
	case e.Registry:
		return "registry"
	case len(e.Hosts) > 0:
		return strings.Join(e.Hosts, ", ")
	}
	return "none"
}

// CoverageSignal is a pattern on what a tool says that means that it looked at less than it should.
type CoverageSignal struct {
	Pattern string `toml:"pattern"`
	Label   string `toml:"label"`
}

// Signal is a pattern on what a failing tool says that means that it measured nothing.
type Signal struct {
	Pattern string `toml:"pattern"`
	Exit    []int  `toml:"exit"` // only with one of these exit codes; none = with any but 0
	Reason  Reason `toml:"reason"`
	Hint    string `toml:"hint"`
	// Module says that the pattern's first group names a module, and that the signal holds only where the tree has none
	// of that name: an import of a file that was lost is a failure, one of a package that nobody installed is not.
	Module bool `toml:"module"`
}

// Scope is what a check looks at.
type Scope string

// The scopes.
const (
	ScopeRepo         Scope = "repo"
	ScopeProject      Scope = "project"
	ScopeChangedFiles Scope = "changed-files"
)

// Comparison says how old is told from new.
type Comparison string

// The comparisons.
const (
	CompareLines  Comparison = "lines"   // what is on changed lines is new; the base is asked about the rest
	CompareOnBase Comparison = "on-base" // what fails runs on the merge base too
	CompareNone   Comparison = "none"    // cannot be told
)

// When a check is required without a policy saying so.
const (
	RequiredEcosystem  = "ecosystem"  // wherever it applies
	RequiredConfigured = "configured" // where a file or a key configures it
)

// Where a check runs.
const (
	placeProject = "project"
	placeConfig  = "config"
)

// StackAny is the stack of a check that belongs to none.
const StackAny = "any"

// Families are the kinds of check, in the order in which documents name them.
var Families = [...]string{"build", "types", "lint", "format", "tests", "audit", "security"}

// Duration is a time span as a manifest writes it: "90s", "10m".
type Duration time.Duration

// UnmarshalText implements encoding.TextUnmarshaler.
func (d *Duration) UnmarshalText(text []byte) error {
	span, err := time.ParseDuration(string(text))
	if err != nil {
		return errors.New("no duration, write 90s or 10m")
	}
	*d = Duration(span)
	return nil
}

// maxManifest bounds the text of a manifest, in bytes.
const maxManifest = 1 << 20

// ReadManifest reads a manifest strictly: an unknown key, an id that is taken, a format that nobody reads and a line of
// arguments that calls nothing are errors of class invalid_args, and the message names the file, the line and the key.
func ReadManifest(name string, data []byte) (*Manifest, error) {
	m := new(Manifest)
	if len(data) > maxManifest {
		return nil, manifestError(name, 0, "%d bytes are more than a manifest may have (%d)", len(data), maxManifest)
	}
	dec := toml.NewDecoder(bytes.NewReader(data)).DisallowUnknownFields()
	if err := dec.Decode(m); err != nil {
		return nil, decodeError(name, err)
	}
	f := faults{name: name, data: data}
	f.manifest(m)
	if f.first != nil {
		return nil, f.first
	}
	return m, nil
}

// readEgress reads "none", "registry" or a table of hosts. Nothing said is none.
func readEgress(value any) (e Egress, ok bool) {
	switch v := value.(type) {
	case nil:
		return e, true
	case string:
		return Egress{Registry: v == "registry"}, v == "none" || v == "registry"
	case map[string]any:
		hosts, _ := v["hosts"].([]any)
		for _, h := range hosts {
			host, _ := h.(string)
			if host == "" {
				return e, false
			}
			e.Hosts = append(e.Hosts, host)
		}
		return e, len(v) == 1 && len(hosts) > 0
	}
	return e, false
}

func decodeError(name string, err error) error {
	var strict *toml.StrictMissingError
	if errors.As(err, &strict) && len(strict.Errors) > 0 {
		row, _ := strict.Errors[0].Position()
		return manifestError(name, row, "unknown key %q", strings.Join(strict.Errors[0].Key(), "."))
	}
	var decode *toml.DecodeError
	if errors.As(err, &decode) {
		row, _ := decode.Position()
		message := strings.TrimPrefix(decode.Error(), "toml: ")
		if key := strings.Join(decode.Key(), "."); key != "" && !strings.Contains(message, key) {
			message = key + ": " + message
		}
		return manifestError(name, row, "%s", message)
	}
	return manifestError(name, 0, "%v", err)
}

func manifestError(name string, line int, format string, args ...any) *gavel.Error {
	if line > 0 {
		return gavel.Errorf(gavel.InvalidArgs, "%s: line %d: "+format, append([]any{name, line}, args...)...)
	}
	return gavel.Errorf(gavel.InvalidArgs, "%s: "+format, append([]any{name}, args...)...)
}
