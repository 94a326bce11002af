// Command repos plants faults into copies of real repositories and holds the verdicts of `gavel run` against what was
// planted: a clean change passes; a compile error, a lint error, a failing test or a secret blocks with exactly that; the
// same fault on the base is not charged to the change; a missing tool is named, and no verdict is claimed.
//
//	go run ./test/repos [-gavel BINARY] [-only gin,flask] [-case clean,compile] [-budget 10m] [-keep] FOLDER
//
// FOLDER holds repositories by the names of faults.toml, with their dependencies installed, so that nothing has to be
// fetched. They are only read: each is worked on in a copy with a state folder of its own. A first run that does not
// count fills the tools' own caches.
package main

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"
	"time"
)

type driver struct {
	gavel   string
	scratch string
	only    []string // names of repositories; empty = all
	cases   []string // names of cases; empty = all
	budget  string   // of every run; "" = that of the profile
	rows    []row
}

// row is what became of one case.
type row struct {
	repository, name, verdict string
	exit                      int
	took                      time.Duration
	misses                    []string
	remarks                   []string // what a person may want to see of an accepted outcome
}

func main() {
	var d driver
	var only, cases string
	flag.StringVar(&d.gavel, "gavel", "", "binary to drive; built when not given")
	flag.StringVar(&only, "only", "", "names of repositories, with commas")
	flag.StringVar(&cases, "case", "", "beginnings of names of cases, with commas")
	flag.StringVar(&d.budget, "budget", "", "time for each run, where the machine is too slow for that of the profile")
	keep := flag.Bool("keep", false, "keep the copies and the state folders, and say where they are")
	flag.Parse()
	if flag.NArg() != 1 {
		fmt.Fprintln(os.Stderr, "usage: repos [-gavel BINARY] [-only NAMES] [-case NAMES] [-keep] FOLDER")
		os.Exit(64)
	}
	d.only, d.cases = words(only), words(cases)
	ok, err := d.run(flag.Arg(0), *keep)
	if err != nil {
		fmt.Fprintln(os.Stderr, "repos:", err)
	}
	if err != nil || !ok {
		os.Exit(1)
	}
}

func words(list string) []string {
	return strings.FieldsFunc(list, func(r rune) bool { return r == ',' })
}

func (d *driver) run(folder string, keep bool) (ok bool, err error) {
	table, err := readTable()
	if err != nil {
		return false, err
	}
	if d.scratch, err = os.MkdirTemp("", "gavel-repos-"); err != nil {
		return false, err
	}
	if keep {
		fmt.Println("kept in", d.scratch)
	} else {
		defer os.RemoveAll(d.scratch)
	}
	if d.gavel == "" {
		d.gavel = filepath.Join(d.scratch, "gavel")
		if out, err := exec.Command("go", "build", "-o", d.gavel, "./cmd/gavel").CombinedOutput(); err != nil {
			return false, fmt.Errorf("building gavel: %w\n%s", err, out)
		}
	}
	for i := range table.Repositories {
		r := &table.Repositories[i]
		from := filepath.Join(folder, r.Name)
		if len(d.only) > 0 && !slices.Contains(d.only, r.Name) {
			continue
		}
		if _, err := os.Stat(from); err != nil {
			fmt.Printf("%s: not there, left out\n", r.Name)
			continue
		}
		if err := d.repository(r, from); err != nil {
			return false, fmt.Errorf("%s: %w", r.Name, err)
		}
		if !keep {
			os.RemoveAll(filepath.Join(d.scratch, r.Name))
		}
	}
	return d.conclude(), nil
}

// add keeps the outcome of a case and tells it.
func (d *driver) add(r row) {
	d.rows = append(d.rows, r)
	word := "ok  "
	if len(r.misses) > 0 {
		word = "MISS"
	}
	fmt.Printf("%s %s %s: %s, exit %d, %.1fs\n", word, r.repository, r.name, r.verdict, r.exit, r.took.Seconds())
	for _, m := range r.misses {
		fmt.Println("     miss:", m)
	}
	for _, m := range r.remarks {
		fmt.Println("     says:", m)
	}
}

// conclude prints the table: a line a repository, a column a case.
func (d *driver) conclude() bool {
	var names, repositories []string
	cell := make(map[[2]string]string)
	missed := 0
	for _, r := range d.rows {
		if !slices.Contains(names, r.name) {
			names = append(names, r.name)
		}
		if !slices.Contains(repositories, r.repository) {
			repositories = append(repositories, r.repository)
		}
		cell[[2]string{r.repository, r.name}] = r.verdict
		if len(r.misses) > 0 {
			missed++
			cell[[2]string{r.repository, r.name}] += " MISS"
		}
	}
	fmt.Println()
	t := tabwriter.NewWriter(os.Stdout, 0, 8, 2, ' ', 0)
	fmt.Fprintln(t, "case\t"+strings.Join(repositories, "\t"))
	for _, name := range names {
		line := name
		for _, repository := range repositories {
			line += "\t" + cell[[2]string{repository, name}]
		}
		fmt.Fprintln(t, line)
	}
	t.Flush()
	fmt.Printf("%d cases, %d missed\n", len(d.rows), missed)
	return missed == 0 && len(d.rows) > 0
}
