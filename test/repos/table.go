package main

import (
	_ "embed"
	"fmt"
	"regexp"

	"github.com/pelletier/go-toml/v2"
)

//go:embed faults.toml
var faults []byte

// table is faults.toml.
type table struct {
	Repositories []repository `toml:"repository"`
}

// repository is one that the driver knows faults for.
type repository struct {
	Name    string
	Clean   edit    // a harmless change
	Comment string  // a line that can stand at the end of every file that a fault is planted into
	Missing missing // what is taken away so that a required check has no tool
	Faults  []fault `toml:"fault"`
}

// edit changes one file. Without find the text is put at its end; a file that does not exist is made.
type edit struct {
	File string
	Find string // what is replaced, first place
	Text string
}

type missing struct {
	Program string // taken from the PATH
	Folder  string // moved away
	Names   string // pattern of what the verdict must say
}

type fault struct {
	Kind    string // compile, lint, test or secret
	Profile string // of the run that must see it, quick when empty
	Edits   []edit `toml:"edit"`
	Issue   string // pattern of each blocking issue
	// Old is a pattern of the reason for which a fault that was there before may make the verdict CONDITIONAL. Without it
	// the verdict has to be PASS.
	Old     string
	Comment string // in place of the repository's
}

// readTable reads the faults and makes sure that every pattern is one.
func readTable() (*table, error) {
	var t table
	if err := toml.Unmarshal(faults, &t); err != nil {
		return nil, fmt.Errorf("faults.toml: %w", err)
	}
	for i := range t.Repositories {
		r := &t.Repositories[i]
		patterns := []string{r.Missing.Names}
		for _, f := range r.Faults {
			patterns = append(patterns, f.Issue, f.Old)
		}
		for _, p := range patterns {
			if _, err := regexp.Compile(p); err != nil {
				return nil, fmt.Errorf("faults.toml: %s: %w", r.Name, err)
			}
		}
	}
	return &t, nil
}

// profile is the one whose runs must see the fault.
func (f *fault) profile() string {
	if f.Profile == "" {
		return "quick"
	}
	return f.Profile
}
