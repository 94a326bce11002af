package detect

import (
	"regexp"
	"strings"
	"sync"

	"github.com/gavel-review/gavel"
)

// riskPattern is a rule of a language whose lines are judged one by one.
type riskPattern struct {
	rule  *gavel.Rule
	find  *regexp.Regexp
	not   *regexp.Regexp // what makes the line harmless; may be nil
	shown string         // the message
	level gavel.Severity // NoSeverity = the rule's
}

// linePack makes a pack of patterns. Comments do not count, where they fill a line.
func linePack(words *needles, comment string, patterns ...riskPattern) *riskPack {
	return &riskPack{words: words, tests: false, line: func(p *Pass, l *gavel.Line) {
		text := strings.TrimSuffix(l.Text, "\r")
		if strings.HasPrefix(strings.TrimSpace(text), comment) || len(text) > 4000 {
			return
		}
		for _, r := range patterns {
			at := r.find.FindStringIndex(text)
			if at == nil || r.not != nil && r.not.MatchString(text) {
				continue
			}
			f := p.Report(r.rule, place(l, at[0], at[1]-at[0]), r.shown)
			if r.level != gavel.NoSeverity {
				f.Severity = r.level
			}
		}
	}}
}

var pipeToShell = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\b(?:curl|wget)\b[^|;&#]*https?://[^|;&#]*\|\s*(?:sudo\s+(?:-\S+\s+)*)?(?:env\s+\S+\s+)?(?:/bin/|/usr/bin/)?(?:ba|z|da|k)?sh\b|\b(?:ba|z)?sh\s+(?:-c\s+["']?\$\(|<\()\s*(?:curl|wget)\b`)
})

const pipeMessage = "What the server sends is run unread, and half of it when the connection breaks."

var riskShell = sync.OnceValue(func() *riskPack {
	return linePack(newNeedles("curl", "wget", "rm -", "chmod", "eval", "--insecure", " -k", "--no-check-certificate", "StrictHostKeyChecking", "sslVerify", "SSL_NO_VERIFY", "/tmp/", "strict-ssl"), "#",
		riskPattern{rule: rulePipe, find: pipeToShell(), shown: pipeMessage},
		riskPattern{rule: ruleDelete, find: regexp.MustCompile(`\brm\s+(?:-\w+\s+)*-\w*[rR]\w*\s+(?:-\w+\s+)*["']?\$\{?\w+\}?["']?/(?:\*|\s|$|["'])`), not: regexp.MustCompile(`\$\{\w+:[?+-]`),
			shown: "With the variable unset this deletes from the root of the file system."},
		riskPattern{rule: ruleFileMode, find: regexp.MustCompile(`\bchmod\s+(?:-\w+\s+)*(?:0?777|a\+rwx|0?666|o\+w)\b`), shown: "Every user of the machine can change the file."},
		riskPattern{rule: ruleTLSVerify, find: regexp.MustCompile(`\bcurl\b[^|;&]*\s(?:-\w*k\w*|--insecure)\s|\bwget\b[^|;&]*--no-check-certificate|(?:http\.sslVerify[ =]+false|GIT_SSL_NO_VERIFY=(?:1|true))|strict-ssl[ =]+false`),
			not: regexp.MustCompile(`localhost|127\.0\.0\.1`), shown: "The certificate of the other side is not checked: what is fetched may be anybody's."},
		riskPattern{rule: ruleHostKey, find: regexp.MustCompile(`StrictHostKeyChecking[ =]+no\b`), shown: "Whoever answers is believed.", level: gavel.Low},
		riskPattern{rule: ruleEval, find: regexp.MustCompile(`(?:^|[;&|]\s*|\s)eval\s+["']?[^"'\n]*\$\{?[1-9@*]`), shown: "An argument is run as code.", level: gavel.Low},
	)
})

var riskDocker = sync.OnceValue(func() *riskPack {
	return linePack(newNeedles("ADD ", "add ", "FROM ", "from ", "USER ", "user ", "curl", "wget", "chmod", "--insecure", "sslVerify", "--no-check-certificate"), "#",
		riskPattern{rule: ruleRemoteAdd, find: regexp.MustCompile(`(?i)^\s*ADD\s+(?:--chown=\S+\s+)?https?://`), not: regexp.MustCompile(`--checksum=`), shown: "What the address serves tomorrow may be something else."},
		riskPattern{rule: ruleLatest, find: regexp.MustCompile(`(?i)^\s*FROM\s+(?:--platform=\S+\s+)?[a-z0-9./_-]+:latest\b`), shown: "The image changes under the same name."},
		riskPattern{rule: ruleRootUser, find: regexp.MustCompile(`(?i)^\s*USER\s+(?:root|0)(?::\S+)?\s*$`), shown: "What follows, and perhaps the service, runs as root."},
		riskPattern{rule: rulePipe, find: pipeToShell(), shown: pipeMessage},
		riskPattern{rule: ruleFileMode, find: regexp.MustCompile(`\bchmod\s+(?:-\w+\s+)*(?:0?777|a\+rwx)\b`), shown: "Every user of the container can change the file."},
		riskPattern{rule: ruleTLSVerify, find: regexp.MustCompile(`\bcurl\b[^|;&]*\s(?:-\w*k\w*|--insecure)\s|\bwget\b[^|;&]*--no-check-certificate`), shown: "The certificate of the other side is not checked."},
	)
})

var riskSQL = sync.OnceValue(func() *riskPack {
	return linePack(newNeedles("GRANT", "grant", "DELETE", "delete", "UPDATE", "update", "TRUSTWORTHY", "xp_cmdshell", "TO PUBLIC", "EXEC", "exec", "IDENTIFIED"), "--",
		riskPattern{rule: ruleGrant, find: regexp.MustCompile(`(?i)\bGRANT\s+ALL\b(?:\s+PRIVILEGES)?\s+ON\s+(?:\*\.\*|.*\bTO\s+(?:PUBLIC|'[^']*'@'%'))`), shown: "Far more than one account needs."},
		riskPattern{rule: ruleNoWhere, find: regexp.MustCompile(`(?i)^\s*(?:DELETE\s+FROM\s+[\w."` + "`" + `\[\]]+|UPDATE\s+[\w."` + "`" + `\[\]]+\s+SET\s+[^;]*)\s*;`), not: regexp.MustCompile(`(?i)\bWHERE\b`), shown: "Without WHERE this changes every row."},
		riskPattern{rule: ruleSQL, find: regexp.MustCompile(`(?i)\bEXEC(?:UTE)?(?:\s+IMMEDIATE)?\s*\(?\s*N?'[^']*'\s*(?:\+\s*@|\|\|\s*\w)`), shown: sqlMessage, level: gavel.Low},
	)
})

var riskTerraform = sync.OnceValue(func() *riskPack {
	return linePack(newNeedles("0.0.0.0/0", "::/0", "privileged", "publicly_accessible", "acl", "skip_tls", "insecure", "\"*\"", "encrypted", "host_path"), "#",
		riskPattern{rule: ruleIngress, find: regexp.MustCompile(`(?:cidr_blocks|source_ranges|cidr_ipv4|cidr_ipv6|source_address_prefix|ipv6_cidr_blocks)\s*=\s*\[?\s*"(?:0\.0\.0\.0/0|::/0)"`), shown: "The whole internet gets in, or out, here."},
		riskPattern{rule: rulePrivileged, find: regexp.MustCompile(`\bprivileged\s*=\s*true\b`), shown: "The container can do all that the host's root can."},
		riskPattern{rule: ruleIngress, find: regexp.MustCompile(`\bpublicly_accessible\s*=\s*true\b|\bacl\s*=\s*"public-read(?:-write)?"`), shown: "Everyone on the internet reaches it."},
		riskPattern{rule: ruleTLSVerify, find: regexp.MustCompile(`\b(?:insecure_skip_verify|skip_tls_verify|insecure_skip_tls_verify|insecure_ssl)\s*=\s*true\b`), shown: "The certificate of the other side is not checked."},
		riskPattern{rule: ruleGrant, find: regexp.MustCompile(`(?i)\b"?actions"?\s*[=:]\s*\[?\s*"\*"`), shown: "Far more than one role needs.", level: gavel.Low},
	)
})

var riskKubernetes = sync.OnceValue(func() *riskPack {
	return linePack(newNeedles("privileged", "hostPath", "hostNetwork", "hostPID", "allowPrivilegeEscalation", "runAsUser", "0.0.0.0/0", ":latest", "docker.sock", "insecure", "SYS_ADMIN", "NODE_TLS"), "#",
		riskPattern{rule: rulePrivileged, find: regexp.MustCompile(`^\s*-?\s*(?:privileged|allowPrivilegeEscalation|hostPID|hostIPC)\s*:\s*true\b|-\s*(?:SYS_ADMIN|ALL)\s*$`), not: regexp.MustCompile(`-\s*ALL\s*$`), shown: "The container can do what the host can."},
		riskPattern{rule: ruleHostPath, find: regexp.MustCompile(`^\s*-?\s*hostPath\s*:|/var/run/docker\.sock\s*:`), shown: "The container reads and writes files of the host."},
		riskPattern{rule: rulePrivileged, find: regexp.MustCompile(`^\s*-?\s*(?:hostNetwork\s*:\s*true|runAsUser\s*:\s*0)\b`), shown: "The container is not kept apart from the host.", level: gavel.Low},
		riskPattern{rule: ruleIngress, find: regexp.MustCompile(`(?i)(?:cidr(?:Ip)?|loadBalancerSourceRanges)\s*:\s*\[?\s*["']?0\.0\.0\.0/0`), shown: "The whole internet gets in, or out, here."},
		riskPattern{rule: ruleLatest, find: regexp.MustCompile(`^\s*-?\s*image\s*:\s*["']?[\w./-]+:latest\b`), shown: "The image changes under the same name."},
		riskPattern{rule: ruleTLSVerify, find: regexp.MustCompile(`(?i)^\s*-?\s*(?:insecure[-_]?skip[-_]?(?:tls[-_]?)?verify)\s*:\s*true\b`), shown: "The certificate of the other side is not checked."},
	)
})
