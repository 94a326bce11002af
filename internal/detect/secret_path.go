package detect

import "strings"

// secretSyntax says how values are written in a file.
type secretSyntax uint8

const (
	syntaxUnknown secretSyntax = iota
	syntaxCode                 // literals stand in quotes
	syntaxConfig               // values may stand bare
	syntaxShell                // bare values, options and here documents
	syntaxProse                // anything, mostly explanation
)

// secretPlace is what a path says about the secrets in it.
type secretPlace struct {
	syntax secretSyntax
	sample bool // tests, fixtures, examples, documentation: what has no structure of its own is lowered
	quiet  bool // lock files, minified text, translations: only what has a structure is looked for
}

var (
	sampleFolders = &wordSet{list: `test tests testing testdata test-data test_data spec specs __tests__ fixture fixtures __fixtures__ mock mocks __mocks__ example examples _examples
		sample samples demo demos doc docs e2e cassettes snapshots __snapshots__ integration_tests testsuite testutil testutils test_util test-util playground tutorial tutorials`}
	lockFiles = &wordSet{list: `package-lock.json npm-shrinkwrap.json pnpm-lock.yaml go.sum go.work.sum packages.lock.json gradle.lockfile bun.lockb .terraform.lock.hcl package.resolved
		project.assets.json conda-lock.yml shrinkwrap.yaml`}
	translationFolders = &wordSet{list: `locale locales i18n l10n lang langs translation translations _locales lproj`}
	configEndings      = &wordSet{list: `yml yaml env properties ini conf cfg cnf toml tf tfvars hcl tfstate json json5 jsonc xml config plist service desktop npmrc netrc pgpass pypirc credentials envrc
		dockerfile reg inf htpasswd lst creds`}
	shellEndings = &wordSet{list: `sh bash zsh fish ksh ps1 psm1 bat cmd mk makefile dockerfile vagrantfile jenkinsfile`}
	proseEndings = &wordSet{list: `md markdown mdx rst txt adoc asciidoc html htm tex org wiki log out man ipynb patch diff csv tsv`}
	codeEndings  = &wordSet{list: `go js jsx mjs cjs ts tsx mts cts py pyw java kt kts cs vb fs rb erb php rs swift c h cc cpp cxx hpp hh m mm scala groovy gradle dart ex exs erl hrl lua pl pm r jl
		sql clj cljs hs ml elm vue svelte css scss sass less nim zig sol proto graphql snap rake gemspec spec bicep coffee pas cshtml jsp aspx asp cfm`}
)

func classifySecretPath(name string) secretPlace {
	lower := strings.ToLower(name)
	cut := strings.LastIndexByte(lower, '/') + 1
	folder, base := lower[:cut], lower[cut:]
	var place secretPlace
	for segment := range strings.SplitSeq(strings.TrimSuffix(folder, "/"), "/") {
		place.sample = place.sample || sampleFolders.has(segment) || sampleWord(segment)
		place.quiet = place.quiet || translationFolders.has(segment)
	}
	place.sample = place.sample || sampleFile(base)
	place.quiet = place.quiet || quietFile(base)
	place.syntax = syntaxOf(base)
	if place.syntax == syntaxProse {
		place.sample = true
	}
	return place
}

// sampleWord finds test and example as a word of a longer name: unit-tests, Core.Tests, example_app.
func sampleWord(segment string) bool {
	for word := range strings.FieldsFuncSeq(segment, func(r rune) bool { return r == '-' || r == '_' || r == '.' }) {
		switch word {
		case "test", "tests", "example", "examples", "fixture", "fixtures", "sample", "samples", "mock", "mocks", "spec", "testdata", "demo":
			return true
		}
	}
	return false
}

func sampleFile(base string) bool {
	stem, _, _ := strings.Cut(strings.TrimPrefix(base, "."), ".")
	if sampleWord(base) || strings.HasSuffix(stem, "tests") || strings.HasSuffix(stem, "test") && stem != "latest" {
		return true
	}
	for _, ending := range [...]string{".dist", ".template", ".tmpl", ".tpl", ".snap", ".in"} {
		if strings.HasSuffix(base, ending) {
			return true
		}
	}
	return stem == "readme" || stem == "changelog" || stem == "conftest" || stem == "contributing"
}

func quietFile(base string) bool {
	return lockFiles.has(base) || strings.HasSuffix(base, ".lock") || strings.Contains(base, ".min.") || strings.HasSuffix(base, ".map") ||
		strings.HasSuffix(base, ".po") || strings.HasSuffix(base, ".pot") || strings.HasSuffix(base, ".xliff") || strings.HasSuffix(base, ".resx") || strings.HasSuffix(base, ".svg") ||
		strings.HasPrefix(base, "messages_") && strings.HasSuffix(base, ".properties")
}

func syntaxOf(base string) secretSyntax {
	ending := base[strings.LastIndexByte(base, '.')+1:]
	for _, sample := range [...]string{".example", ".sample", ".dist", ".template", ".tmpl", ".tpl", ".j2", ".erb", ".in", ".bak", ".orig", ".local"} {
		if cut, ok := strings.CutSuffix(base, sample); ok {
			return syntaxOf(cut)
		}
	}
	switch {
	case strings.HasPrefix(base, ".env") || strings.HasPrefix(base, "env.") || base == "config" || base == "credentials":
		return syntaxConfig
	case shellEndings.has(ending) || strings.HasPrefix(base, "dockerfile") || strings.HasPrefix(base, "makefile"):
		return syntaxShell
	case configEndings.has(ending):
		return syntaxConfig
	case codeEndings.has(ending):
		return syntaxCode
	case proseEndings.has(ending):
		return syntaxProse
	}
	return syntaxUnknown
}
