// Command eval measures the detectors on labelled public data and prints what they find, miss and get wrong, next to a
// peer's row where one is given:
//
//	go run ./test/eval -eval ../shared/eval [-peer peer.jsonl] [-o findings.jsonl] [-write=false]
//
// The data is read from the folder and never copied. A peer's findings are one JSON object a line:
//
//	{"file": "<path relative to the folder>", "line": 12, "end_line": 12, "kind": "<rule>"}
//
// where a rule sample is named secrets/rule-samples/<id> and an ordinary diff noise/diffs/<id>.diff. A peer that reports as
// gitleaks does is brought into that form by, for example,
//
//	gitleaks dir secrets/creddata -f json -r out.json; jq -c '.[] | {file: .File, line: .StartLine, kind: .RuleID}' out.json
//
// Every reported finding counts, whatever its severity; a second row counts those of severity medium and higher alone.
// The precision of every rule, with the number of judged findings, is written to docs/reference/precision.json and, for
// `gavel explain`, beside the detectors.
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
)

func main() {
	var o options
	flag.StringVar(&o.data, "eval", os.Getenv("EVAL"), "folder of the labelled data")
	flag.StringVar(&o.peer, "peer", os.Getenv("PEER"), "file of a peer's findings, one JSON object a line")
	flag.StringVar(&o.out, "o", filepath.Join(os.TempDir(), "gavel-eval-findings.jsonl"), "where the findings go, one JSON object a line")
	flag.StringVar(&o.misses, "misses", "", "where the misses and false alarms go, one a line")
	flag.BoolVar(&o.write, "write", true, "write the precision of the rules into the reference")
	flag.Parse()
	if err := o.run(); err != nil {
		fmt.Fprintln(os.Stderr, "eval:", err)
		os.Exit(1)
	}
}

type options struct {
	data, peer, out, misses string
	write                   bool
}

func (o options) run() error {
	if o.data == "" {
		return fmt.Errorf("name the folder of the labelled data: -eval FOLDER")
	}
	data, err := filepath.Abs(o.data)
	if err != nil {
		return err
	}
	sets, err := readSets(data)
	if err != nil {
		return err
	}
	found, err := runGavel(data, sets)
	if err != nil {
		return err
	}
	if err := writeFindings(o.out, found); err != nil {
		return err
	}
	all := judge(sets, found)
	rows := []row{{"gavel", all}, {"gavel, severity >= medium", judge(sets, atLeastMedium(found))}}
	if o.peer != "" {
		peer, err := readFindings(o.peer)
		if err != nil {
			return err
		}
		rows = append(rows, row{filepath.Base(o.peer), judge(sets, peer)})
	}
	printTable(os.Stdout, rows)
	fmt.Printf("\nfindings: %s\n", o.out)
	if o.misses != "" {
		if err := all.writeMisses(o.misses); err != nil {
			return err
		}
	}
	p := all.precision(sets)
	p.printUnproven(os.Stdout)
	if !o.write {
		return nil
	}
	return p.write()
}
