package detect

import "github.com/gavel-review/gavel"

var rulePipe = &gavel.Rule{
	ID:       "risk/pipe-to-shell",
	Title:    "Download is run unread",
	Text:     "A script that goes from the network straight into a shell is seen by nobody, and nothing says that it is the one that was meant.",
	Fix:      "Download it, check its hash, then run it.",
	Before:   "curl -sSL https://example.com/i.sh | sh",
	After:    "curl -sSLo i.sh https://example.com/i.sh\necho \"$SUM  i.sh\" | sha256sum -c && sh i.sh",
	Severity: gavel.Low, Category: gavel.CategoryRisk, Confidence: gavel.ConfidenceHigh, CWE: "CWE-494",
}

var ruleDelete = &gavel.Rule{
	ID:       "risk/delete-unset",
	Title:    "Deletes from the root when a variable is unset",
	Text:     `rm -rf "$DIR/" with an empty DIR is rm -rf /.`,
	Fix:      `Write "${DIR:?}", which stops instead.`,
	Before:   `rm -rf "$BUILD"/*`,
	After:    `rm -rf "${BUILD:?}"/*`,
	Severity: gavel.Low, Category: gavel.CategoryRisk, Confidence: gavel.ConfidenceMedium, CWE: "CWE-73",
}

var ruleRemoteAdd = &gavel.Rule{
	ID:       "risk/docker-remote-add",
	Title:    "ADD from an address",
	Text:     "The image is built from whatever the address serves on that day.",
	Fix:      "Use ADD --checksum, or curl and a check of the hash.",
	Before:   "ADD https://example.com/tool /bin/tool",
	After:    "ADD --checksum=sha256:… https://example.com/tool /bin/tool",
	Severity: gavel.Low, Category: gavel.CategoryRisk, Confidence: gavel.ConfidenceHigh, CWE: "CWE-494",
}

var ruleLatest = &gavel.Rule{
	ID:       "risk/latest-tag",
	Title:    "Image without a fixed version",
	Text:     "The tag latest moves: two builds of one commit differ.",
	Fix:      "Name a version, better a digest.",
	Before:   "FROM node:latest",
	After:    "FROM node:24.1-slim",
	Severity: gavel.Low, Category: gavel.CategoryRisk, Confidence: gavel.ConfidenceHigh, CWE: "CWE-1357",
}

var ruleRootUser = &gavel.Rule{
	ID:       "risk/docker-root-user",
	Title:    "Container runs as root",
	Text:     "A hole in the service is then a hole in the host's first line of defence.",
	Fix:      "End with USER and a name without rights.",
	Before:   "USER root",
	After:    "USER app",
	Severity: gavel.Info, Category: gavel.CategoryRisk, Confidence: gavel.ConfidenceMedium, CWE: "CWE-250",
}

var rulePrivileged = &gavel.Rule{
	ID:       "risk/privileged-container",
	Title:    "Container is not kept apart from the host",
	Text:     "Privileged containers, the host's namespaces and added capabilities undo the isolation.",
	Fix:      "Give single capabilities, and only where they are needed.",
	Before:   "privileged: true",
	After:    "privileged: false",
	Severity: gavel.Low, Category: gavel.CategoryRisk, Confidence: gavel.ConfidenceHigh, CWE: "CWE-250",
}

var ruleHostPath = &gavel.Rule{
	ID:       "risk/host-path",
	Title:    "Container reaches files of the host",
	Text:     "A folder of the host in a container, above all the socket of its engine, is a way out of it.",
	Fix:      "Use a volume of the cluster.",
	Before:   "hostPath:\n  path: /",
	After:    "emptyDir: {}",
	Severity: gavel.Low, Category: gavel.CategoryRisk, Confidence: gavel.ConfidenceHigh, CWE: "CWE-668",
}

var ruleIngress = &gavel.Rule{
	ID:       "risk/open-ingress",
	Title:    "Open to the whole internet",
	Text:     "A range of 0.0.0.0/0 lets everyone in.",
	Fix:      "Name the ranges that are meant, or put a load balancer in front.",
	Before:   `cidr_blocks = ["0.0.0.0/0"]`,
	After:    "cidr_blocks = [var.office_range]",
	Severity: gavel.Low, Category: gavel.CategoryRisk, Confidence: gavel.ConfidenceMedium, CWE: "CWE-284",
}

var ruleGrant = &gavel.Rule{
	ID:       "risk/wide-grant",
	Title:    "More rights than one needs",
	Text:     "Rights to everything turn a small hole into a large one.",
	Fix:      "Grant what is used.",
	Before:   "GRANT ALL ON *.* TO 'app'@'%'",
	After:    "GRANT SELECT, INSERT ON shop.orders TO 'app'@'10.0.%'",
	Severity: gavel.Low, Category: gavel.CategoryRisk, Confidence: gavel.ConfidenceMedium, CWE: "CWE-250",
}

var ruleNoWhere = &gavel.Rule{
	ID:       "risk/sql-without-where",
	Title:    "DELETE or UPDATE of every row",
	Text:     "A missing WHERE is rarely meant.",
	Fix:      "Add the condition, or say TRUNCATE.",
	Before:   "DELETE FROM orders;",
	After:    "DELETE FROM orders WHERE id = 7;",
	Severity: gavel.Low, Category: gavel.CategoryRisk, Confidence: gavel.ConfidenceLow, CWE: "CWE-1164",
}

var ruleTargetCheckout = &gavel.Rule{
	ID:       "risk/workflow-target-checkout",
	Title:    "Foreign code runs with this repository's rights",
	Text:     "pull_request_target, workflow_run and issue_comment run with secrets and a token that writes. Checking out the pull request's head there gives both to whoever opened it.",
	Fix:      "Use pull_request, or do not run anything of what was checked out.",
	Before:   "on: pull_request_target\n…\n    ref: ${{ github.event.pull_request.head.sha }}",
	After:    "on: pull_request",
	Severity: gavel.High, Category: gavel.CategoryRisk, Confidence: gavel.ConfidenceHigh, CWE: "CWE-829",
}

var ruleWorkflowScript = &gavel.Rule{
	ID:       "risk/workflow-script-injection",
	Title:    "Outsider's text in a workflow's script",
	Text:     "Expressions are pasted into the script before the shell sees it; a title or a branch name can hold commands.",
	Fix:      "Pass it through env and quote the variable.",
	Before:   `run: echo "${{ github.event.issue.title }}"`,
	After:    "env:\n  TITLE: ${{ github.event.issue.title }}\nrun: echo \"$TITLE\"",
	Severity: gavel.Low, Category: gavel.CategoryRisk, Confidence: gavel.ConfidenceHigh, CWE: "CWE-94",
}

var ruleUnpinned = &gavel.Rule{
	ID:       "risk/workflow-unpinned-action",
	Title:    "Action is not pinned to a commit",
	Text:     "A tag can be moved to other code, which then runs with the job's secrets. Actions of GitHub itself are information.",
	Fix:      "Pin to the full hash and keep the tag as a comment.",
	Before:   "uses: vendor/action@v1",
	After:    "uses: vendor/action@0123456789abcdef0123456789abcdef01234567 # v1",
	Severity: gavel.Info, Category: gavel.CategoryRisk, Confidence: gavel.ConfidenceHigh, CWE: "CWE-829",
}

var ruleInstallScript = &gavel.Rule{
	ID:       "risk/install-script",
	Title:    "Script that runs when the package is installed",
	Text:     "It runs on every machine that installs the package, before anybody has looked at it.",
	Fix:      "Leave it out, or move the work into the build.",
	Before:   `"postinstall": "node setup.js"`,
	After:    `"build": "node setup.js"`,
	Severity: gavel.Low, Category: gavel.CategoryRisk, Confidence: gavel.ConfidenceMedium, CWE: "CWE-829",
}

var ruleLookalike = &gavel.Rule{
	ID:       "risk/lookalike-dependency",
	Title:    "Name is one letter from a popular package",
	Text:     "Such names are registered to be mistaken.",
	Fix:      "Check the name against the project's own pages.",
	Before:   `"expres": "^4.0.0"`,
	After:    `"express": "^4.0.0"`,
	Severity: gavel.Low, Category: gavel.CategoryRisk, Confidence: gavel.ConfidenceLow, CWE: "CWE-1357",
}
