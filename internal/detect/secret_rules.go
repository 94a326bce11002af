package detect

import "github.com/gavel-review/gavel"

// matcherRules document the secrets that are found by code instead of by a pattern.
var matcherRules = [...]gavel.Rule{
	{ID: "secret/private-key", Title: "Private key in the text",
		Text:   "Whoever has the key is its owner: signs, decrypts, signs in. It fires on PEM and OpenSSH blocks with a body, over several lines or on one with escaped line ends, and on their base64. A header without a body does not fire. A key whose first bytes are not those of one is high instead of critical, an encrypted one medium.",
		Fix:    "Replace the key pair wherever its public half is trusted, and keep the new private half out of the repository.",
		Before: "-----BEGIN PRIVATE KEY-----\nMIIE…\n-----END PRIVATE KEY-----", After: "key_file = /run/secrets/server.key",
		Severity: gavel.Critical, Category: gavel.CategorySecret, Confidence: gavel.ConfidenceHigh, CWE: "CWE-321"},
	{ID: "secret/pgp-private-key", Title: "PGP private key in the text",
		Text:   "Whoever has the key signs and decrypts in its owner's name, unless its passphrase holds. It fires on an armored private key block with a body.",
		Fix:    "Revoke the key and publish a new one.",
		Before: "-----BEGIN PGP PRIVATE KEY BLOCK-----\n\nlQOY…", After: "gpg --import \"$SIGNING_KEY_FILE\"",
		Severity: gavel.High, Category: gavel.CategorySecret, Confidence: gavel.ConfidenceHigh, CWE: "CWE-321"},
	{ID: "secret/putty-private-key", Title: "PuTTY private key in the text",
		Text:   "Whoever has the key signs in where its public half is trusted, unless its passphrase holds. It fires on a PuTTY key file with private lines.",
		Fix:    "Replace the key pair wherever its public half is trusted.",
		Before: "PuTTY-User-Key-File-3: ssh-ed25519\n…\nPrivate-Lines: 1\nAAAA…", After: "key_file = ~/.ssh/deploy.ppk",
		Severity: gavel.Critical, Category: gavel.CategorySecret, Confidence: gavel.ConfidenceHigh, CWE: "CWE-321"},
	{ID: "secret/jwk-private-key", Title: "Private JSON web key in the text",
		Text:   "Whoever has the private member of a JSON web key signs tokens that others believe. It fires on the member d, or k of a symmetric key, near a kty.",
		Fix:    "Replace the key at its issuer and publish the new public half.",
		Before: `{"kty": "EC", "crv": "P-256", "d": "…"}`, After: `{"kty": "EC", "crv": "P-256", "x": "…", "y": "…"}`,
		Severity: gavel.Critical, Category: gavel.CategorySecret, Confidence: gavel.ConfidenceHigh, CWE: "CWE-321"},
	{ID: "secret/url-password", Title: "Password in an address",
		Text:   "An address with user and password opens what it names, and addresses end up in logs. It fires on scheme://user:password@host and on driver strings such as user:password@tcp(host). Template references, placeholder words and a password equal to its user do not fire. An address of the same machine is medium.",
		Fix:    "Change the password and put the address together from the environment.",
		Before: "postgres://app:…@db.internal/orders", After: "postgres://app:${DB_PASSWORD}@db.internal/orders",
		Severity: gavel.High, Category: gavel.CategorySecret, Confidence: gavel.ConfidenceHigh, CWE: "CWE-798"},
	{ID: "secret/authorization-header", Title: "Credentials in an authorization header",
		Text:   "A bearer token or a basic pair in a header is usable as it stands. It fires on Bearer with a value that looks machine-made, on Basic with base64 of user:password, and on either after the header's name.",
		Fix:    "Revoke the token or change the password, and build the header from the environment.",
		Before: `curl -H "Authorization: Bearer …"`, After: `curl -H "Authorization: Bearer $TOKEN"`,
		Severity: gavel.Medium, Category: gavel.CategorySecret, Confidence: gavel.ConfidenceMedium, CWE: "CWE-798"},
	{ID: "secret/command-line-password", Title: "Password on a command line",
		Text:   "A password on a command line stands in the history, in the list of processes and here. It fires on curl -u user:password, mysql -ppassword and sshpass -p password; options whose names speak of a password are secret/assigned-password.",
		Fix:    "Change the password and hand it over by environment, standard input or a file outside the repository.",
		Before: "curl -u admin:… https://host/", After: "curl --netrc-file \"$NETRC\" https://host/",
		Severity: gavel.Medium, Category: gavel.CategorySecret, Confidence: gavel.ConfidenceMedium, CWE: "CWE-798"},
	{ID: "secret/assigned-password", Title: "Password or secret given as a literal",
		Text:   "A password in the text is known to everyone who can read it, and stays in the history. It fires where a name that speaks of a password or secret is given a quoted literal in code, a bare value in configuration, an option's value or SQL's IDENTIFIED BY. Placeholder words, plain words, template references, paths and hashes do not fire.",
		Fix:    "Change the password and read the new one from the environment or a secret store.",
		Before: `db_password = "…"`, After: `db_password = os.environ["DB_PASSWORD"]`,
		Severity: gavel.Medium, Category: gavel.CategorySecret, Confidence: gavel.ConfidenceMedium, CWE: "CWE-798"},
	{ID: "secret/assigned-key", Title: "Key or token given as a literal",
		Text:   "A key in the text is known to everyone who can read it, and stays in the history. It fires where a name that speaks of a key, token or credential is given a literal that mixes letters and digits the way machines do. Placeholder words, plain words, template references, paths and lock files do not fire.",
		Fix:    "Revoke the key and read the new one from the environment or a secret store.",
		Before: `api_key = "…"`, After: `api_key = os.environ["API_KEY"]`,
		Severity: gavel.Medium, Category: gavel.CategorySecret, Confidence: gavel.ConfidenceMedium, CWE: "CWE-798"},
}

func matcherRule(id string) *gavel.Rule {
	for i := range matcherRules {
		if matcherRules[i].ID == id {
			return &matcherRules[i]
		}
	}
	return nil
}
