package main

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/gavel-review/gavel"
)

// exits says what every exit code means.
var exits = []struct {
	code    int
	meaning string
}{
	{gavel.ExitPass, "PASS, or CONDITIONAL without `--strict`; with `--fail-on`: nothing reached the threshold; nothing staged or changed; or mode `shadow` or `warn` in place of 1 and 2"},
	{gavel.ExitBlock, "BLOCK, or a suppression that waits for a person; with `--fail-on`: a finding reached the threshold"},
	{gavel.ExitConditional, "CONDITIONAL, with `--strict`"},
	{gavel.ExitNoVerdict, "no trustworthy verdict: something that had to be judged was not, or a range that was named holds no change"},
	{gavel.ExitUsage, "the question was wrong: arguments, configuration, repository"},
	{gavel.ExitCancelled, "cancelled"},
}

// classMeanings says what every error class means.
var classMeanings = map[gavel.Class]string{
	gavel.InvalidArgs:     "an argument or the configuration is wrong; the message names it",
	gavel.RepoNotFound:    "the repository's path does not exist or is not absolute",
	gavel.NotAGitRepo:     "the path lies in no git work tree, or the repository is damaged",
	gavel.BaseNotFound:    "the base to compare with does not resolve",
	gavel.NoChanges:       "there is nothing to judge; the message names the scope or the filter",
	gavel.RunFailed:       "something that was needed failed, a program or a file",
	gavel.RunTimeout:      "the time was up",
	gavel.RunNotFound:     "there is no run or kept review with that id, or none for HEAD",
	gavel.ArtifactMissing: "the run or kept review has no such file",
	gavel.ToolMissing:     "nothing can run at all: git is missing or too old; `tool` names it",
	gavel.StorageLocked:   "another process holds the lock",
	gavel.StorageCorrupt:  "kept state cannot be read",
	gavel.StaleRun:        "what was asked for is not finished, or no longer fits",
	gavel.Refused:         "refused for safety; the hint says how a person allows it",
	gavel.ProviderError:   "the model's provider failed",
	gavel.BudgetExceeded:  "it would cost more than allowed",
	gavel.JobNotFound:     "there is no job with that id",
	gavel.JobExpired:      "the job's result is no longer kept",
	gavel.QueueFull:       "too much is already waiting",
	gavel.NotFound:        "there is nothing with that name",
	gavel.Conflict:        "something else is in the way; nothing was changed",
	gavel.Cancelled:       "the call was cancelled",
	gavel.Internal:        "a fault in gavel itself",
}

func errorsPage(*source) (string, error) {
	var b strings.Builder
	b.WriteString("## Exit codes\n\nThe same for every command. 3 outranks 0 and 2; 1 outranks all.\n\n")
	rows := make([][]string, 0, len(exits))
	for _, e := range exits {
		rows = append(rows, []string{strconv.Itoa(e.code), e.meaning})
	}
	table(&b, []string{"exit code", "meaning"}, rows)
	b.WriteString("## Error classes\n\nAn error has a class, a message and often a hint. On the command line it goes to standard error; over MCP it is a result with `isError` and `error_class`. A blocked gate is not an error.\n\n")
	rows = nil
	for _, c := range gavel.Classes {
		text, ok := classMeanings[c.Class]
		if !ok {
			return "", fmt.Errorf("class %s has no meaning", c.Class)
		}
		rows = append(rows, []string{quote(string(c.Class)), text, strconv.Itoa(c.Exit), strconv.Itoa(c.HTTP)})
	}
	table(&b, []string{"class", "meaning", "exit code", "HTTP status"}, rows)
	return b.String(), nil
}
