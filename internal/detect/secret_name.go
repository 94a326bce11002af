package detect

import "strings"

// nameKind is what a name says about the value that it is given.
type nameKind uint8

const (
	nameOther    nameKind = iota
	namePassword          // people choose the value: words with digits happen
	nameSecret            // a secret of either kind
	nameKey               // machines make the value: it looks random
)

// words splits an identifier at case changes, digits, underscores, hyphens and dots, in lower case. It returns at most
// sixteen.
func nameWords(name string, into *[16]string) []string {
	words := into[:0]
	start := 0
	flush := func(end int) {
		if end > start && len(words) < cap(words) {
			words = append(words, strings.ToLower(name[start:end]))
		}
		start = end
	}
	for i := 0; i < len(name); i++ {
		b := name[i]
		switch {
		case !isLetter(b):
			flush(i)
			start = i + 1
		case i > start && 'A' <= b && b <= 'Z':
			prevUpper := 'A' <= name[i-1] && name[i-1] <= 'Z'
			nextLower := i+1 < len(name) && 'a' <= name[i+1] && name[i+1] <= 'z'
			if !prevUpper || nextLower {
				flush(i)
			}
		}
	}
	flush(len(name))
	return words
}

// classifyName decides by the last word that speaks of a secret; what follows it must not turn the name into one of
// something else: a field, a path, a policy.
func classifyName(name string) nameKind {
	var buffer [16]string
	words := nameWords(name, &buffer)
	for i := len(words) - 1; i >= 0; i-- {
		kind := wordKind(words, i)
		if kind == nameOther {
			if !trailingWords.has(words[i]) {
				return nameOther
			}
			continue
		}
		for _, w := range words[:i] {
			if leadingWords.has(w) {
				return nameOther
			}
		}
		return kind
	}
	return nameOther
}

func wordKind(words []string, i int) nameKind {
	w := words[i]
	switch w {
	case "password", "passwd", "pass", "pwd", "passphrase", "passcode", "passwort", "pswd", "psw", "pw", "userpass", "userpassword", "dbpassword", "dbpass", "rootpassword", "mypassword", "requirepass", "masterauth", "passin", "passout", "keypass", "storepass", "authpass", "passw", "masterpass", "mdp":
		return namePassword
	case "secret", "secrets", "clientsecret", "appsecret", "secretkey", "sharedsecret", "apisecret", "mysecret", "totpsecret", "jwtsecret":
		return nameSecret
	case "token", "tokens", "accesstoken", "authtoken", "apitoken", "bearer", "credential", "credentials", "creds", "authorization", "auth", "jwt", "pat", "apikey", "accesskey", "authkey", "appkey", "privatekey", "encryptionkey", "masterkey", "signingkey", "secretaccesskey", "oauthtoken", "bottoken", "usertoken":
		return nameKey
	case "key", "keys", "skey":
		if i > 0 && keyQualifiers.has(words[i-1]) || i > 1 && keyQualifiers.has(words[i-2]) {
			return nameKey
		}
	case "by":
		if i > 0 && words[i-1] == "identified" {
			return namePassword
		}
	}
	for _, suffix := range [...]string{"password", "passwd", "passphrase"} {
		if strings.HasSuffix(w, suffix) {
			return namePassword
		}
	}
	for _, suffix := range [...]string{"secret", "secretkey"} {
		if strings.HasSuffix(w, suffix) {
			return nameSecret
		}
	}
	for _, suffix := range [...]string{"token", "apikey", "accesskey"} {
		if strings.HasSuffix(w, suffix) {
			return nameKey
		}
	}
	return nameOther
}

var keyQualifiers = &wordSet{list: `api access secret private encryption encrypt signing sign auth authentication master account consumer client app application
	service admin crypto cipher aes hmac jwt shared validation decryption decrypt write read integration webhook deploy subscription license storage server
	session cookie security functions host function ssh rsa bot user team project deployment ingest publish subscribe maps geo tumblr stripe aws gcp azure
	google twitter github sendgrid datadog sentry mailgun twilio algolia flask django laravel rails vpn wpa wifi psk passkey vault root base raw product`}

// capitalKey reports whether the name is an environment variable of someone's key: STEAM_KEY.
func capitalKey(name string) bool {
	prefix, ok := strings.CutSuffix(name, "_KEY")
	if !ok || prefix == "" || strings.ToUpper(name) != name {
		return false
	}
	return !leadingWords.has(strings.ToLower(prefix[strings.LastIndexByte(prefix, '_')+1:]))
}

// trailingWords may follow the word that speaks of a secret without changing what the name means.
var trailingWords = &wordSet{list: `value val text string str default prod production dev development staging stage live test testing old new raw plain plaintext
	clear base b encoded bytes data literal const a b c d x y z v db database admin user root main primary secondary backup local remote is equals equal of for to and
	eq should be expected actual`}

// leadingWords before the word that speaks of a secret make the name mean something harmless.
var leadingWords = &wordSet{list: `non not mismatch mismatched mismatching unmatched public pub hashed hash encrypted page next continuation cursor cancellation cancel sync pagination eos bos pad unk sep cls mask forgot
	reset no without missing invalid empty blank wrong bad incorrect label placeholder primary foreign cache sort site publishable shortcut hot translate map dict partition i18n translation`}
