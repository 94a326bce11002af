package detect

import (
	"path"
	"strings"

	"github.com/gavel-review/gavel"
	"github.com/gavel-review/gavel/internal/code"
)

var risk = Detector{Name: "risk", Rules: riskRules(), Run: runRisk}

// riskCheck looks at one token of an added line whose text the pack names.
type riskCheck func(v *riskView, i int)

// riskPack is what one language's rules need: the words that a line with a finding holds, and what to ask at a token.
type riskPack struct {
	words  *needles
	checks map[string][]riskCheck // by the text of an identifier; "\"" is asked at every literal, "/" at every regular expression
	// line looks at an added line without tokens; it may be nil.
	line func(p *Pass, l *gavel.Line)
	// tests says that the rules hold in test files too.
	tests bool
}

// on adds the check for each of the names.
func (k *riskPack) on(check riskCheck, names ...string) {
	for _, n := range names {
		k.checks[n] = append(k.checks[n], check)
	}
}

func runRisk(p *Pass) {
	pack := riskPackOf(p)
	if pack == nil || p.Test && !pack.tests || code.IsFixture(p.File.Path) && !pack.tests {
		return
	}
	var v *riskView
	p.Lines(gavel.Add, func(l *gavel.Line) {
		if !pack.words.in(l.Text) || p.moved(l) {
			return
		}
		if pack.line != nil {
			pack.line(p, l)
		}
		if pack.checks == nil {
			return
		}
		if v == nil {
			v = newRiskView(p)
		}
		v.look(l.New, pack.checks)
	})
}

// look asks the checks at the tokens of the line.
func (v *riskView) look(line int, checks map[string][]riskCheck) {
	from, to := v.onLine(line)
	for i := from; i < to; i++ {
		key := ""
		switch v.tokens[i].Kind {
		case code.Ident:
			key = v.text(i)
		case code.String:
			key = `"`
		case code.Regex:
			key = "/"
		default:
			continue
		}
		for _, check := range checks[key] {
			check(v, i)
		}
	}
}

// riskPackOf returns the pack for the file, nil where there is none.
func riskPackOf(p *Pass) *riskPack {
	switch family(p.Lang) {
	case "go":
		return riskGo()
	case "python":
		return riskPython()
	case "javascript":
		return riskScript()
	case "java", "kotlin":
		return riskJava()
	case "ruby":
		return riskRuby()
	case "rust":
		return riskRust()
	case "shell":
		return riskShell()
	case "dockerfile":
		return riskDocker()
	case "sql":
		return riskSQL()
	case "hcl":
		return riskTerraform()
	case "yaml":
		if strings.HasPrefix(p.File.Path, ".github/workflows/") || strings.Contains(p.File.Path, "/.github/workflows/") || path.Base(p.File.Path) == "action.yml" || path.Base(p.File.Path) == "action.yaml" {
			return riskWorkflow()
		}
		return riskKubernetes()
	case "json":
		if path.Base(p.File.Path) == "package.json" {
			return riskNodePackage()
		}
	case "list", "toml":
		return riskManifest(path.Base(p.File.Path))
	}
	return nil
}
