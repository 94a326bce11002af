package detect

import (
	"crypto/sha256"
	"encoding/binary"
	"math"
	"strings"
)

// strength is how much a value looks like a secret that someone really uses.
type strength uint8

const (
	notSecret strength = iota
	plausible          // a password that a person could have chosen
	strong             // looks made by a machine
)

// letterPairs[a*26+b] is -log2 of how likely b follows a in English technical prose, as a digit. Random letters score
// about 6, words about 3.6.
const letterPairs = "9544875959635395934366766935573779359268478446388948375737735944582795535799794654267838955646744656676947435568798553756334766579486743892994663694544989695747266549956436944557898828772788399657379454588978564555599994424695439597953775268859785635973738889846661657399665659636586979476527883973883797555779492576289939865733985648998948433638496676479733668989564475696964425493444458993756377659646834934458897986457778799547976547197886375526693966563795445689595747378439556755864248685937572674399667469345587859545645694993427494439997973665177749966753675777579836563675399554368346777898564645864996675286526665695656567749853462953367698648661888399687589677887564"

// strangeness is the mean of letterPairs over the letters of one run; 0 for runs of fewer than two letters.
func strangeness(run string) float64 {
	sum, n := 0, 0
	for i := 1; i < len(run); i++ {
		a, b := foldByte(run[i-1])-'a', foldByte(run[i])-'a'
		if a < 26 && b < 26 {
			sum += int(letterPairs[int(a)*26+int(b)] - '0')
			n++
		}
	}
	if n == 0 {
		return 0
	}
	return float64(sum) / float64(n)
}

// entropy is the Shannon entropy in bits per byte.
func entropy(s string) float64 {
	var count [256]int
	for i := 0; i < len(s); i++ {
		count[s[i]]++
	}
	bits := 0.0
	for _, n := range count {
		if n > 0 {
			p := float64(n) / float64(len(s))
			bits -= p * math.Log2(p)
		}
	}
	return bits
}

// madeUp reports whether a token of a known shape is one that nobody could use: an example, repeated or counted-up
// characters, a mask.
func madeUp(value string) bool {
	if published(value) {
		return true
	}
	return placeholder(value) || monotonous(value) || repeated(value)
}

// repeated finds three equal parts in a row between hyphens or underscores: 1234-1234-1234.
func repeated(value string) bool {
	last, times := "", 0
	for part := range strings.FieldsFuncSeq(value, func(r rune) bool { return r == '-' || r == '_' }) {
		if part != last || len(part) < 3 {
			last, times = part, 0
		}
		if times++; times == 3 && len(part) >= 3 {
			return true
		}
	}
	return false
}

// unusable is madeUp for tokens of several parts: a masked account in front of a random part does not make it useless.
func unusable(value string) bool {
	if published(value) || placeholder(value) || repeated(value) {
		return true
	}
	core := longestRun(value)
	if len(core) < 16 {
		core = value
	}
	return monotonous(core)
}

// longestRun is the longest run of letters and digits.
func longestRun(value string) string {
	best, from := "", 0
	for i := 0; i <= len(value); i++ {
		if i == len(value) || value[i] == '_' || !isWordByte(value[i]) {
			if i-from > len(best) {
				best = value[from:i]
			}
			from = i + 1
		}
	}
	return best
}

// placeholder reports whether the value holds a word that says that it is none.
func placeholder(value string) bool {
	lower := strings.ToLower(value)
	for _, word := range [...]string{"example", "xxxx", "****", "....", "redacted", "placeholder", "changeme", "your_", "your-", "insert", "dummy"} {
		if strings.Contains(lower, word) {
			return true
		}
	}
	return false
}

// monotonous finds long runs of one character or of a counting sequence, and values made of very few characters.
func monotonous(value string) bool {
	if len(value) < 4 {
		return false
	}
	same, up, down, longest := 1, 1, 1, 1
	var seen [256]bool
	distinct := 0
	for i := 0; i < len(value); i++ {
		if !seen[value[i]] {
			seen[value[i]] = true
			distinct++
		}
		if i == 0 {
			continue
		}
		same = grow(same, value[i] == value[i-1])
		up = grow(up, value[i] == value[i-1]+1 || value[i] == '0' && value[i-1] == '9')
		down = grow(down, value[i]+1 == value[i-1])
		longest = max(longest, same, up, down)
	}
	switch n := len(value); {
	case n >= 12 && distinct <= 4, n >= 6 && distinct <= 2:
		return true
	case n <= 8:
		return longest >= 4
	case n <= 20:
		return longest >= 6 || longest*2 >= n
	}
	return longest >= 8
}

func grow(run int, on bool) int {
	if on {
		return run + 1
	}
	return 1
}

// published reports whether the value is one that a vendor prints in its documentation. The values are kept as the
// first eight bytes of their SHA-256.
func published(value string) bool {
	sum := sha256.Sum256([]byte(value))
	key := binary.BigEndian.Uint64(sum[:8])
	for _, known := range publishedExamples {
		if key == known {
			return true
		}
	}
	return false
}

// template reports whether the text stands for a value that is filled in later.
func template(v string) bool {
	switch v[0] {
	case '$', '%', '<', '{', '#', '@', '!', '*', '&', '?':
		if len(v) < 3 || v[0] == '<' || v[0] == '{' || v[0] == '%' && v[len(v)-1] == '%' || v[0] == '*' || v[0] == '!' || v[0] == '#' || v[0] == '?' {
			return true
		}
		if v[0] == '$' || v[0] == '@' || v[0] == '&' {
			if v[1] == '{' || v[1] == '(' {
				return true
			}
			if isLetter(v[1]) || v[1] == '_' || v[1] == '$' {
				return !looksRandom(v[1:])
			}
		}
	}
	for _, mark := range [...]string{"${", "{{", "#{", "$(", "<%", "%(", "${{", "process.env", "os.environ", "getenv", "secrets.", "vault:", "arn:aws", "://", "...", "…", "***", "{0}", "%s", "%d", "%v", "env.", "var.", "\\d", "\\u", "[a-z", "(?", "&lt;", "ENC("} {
		if strings.Contains(v, mark) {
			return true
		}
	}
	return v[0] == '[' || strings.HasPrefix(v, "$2a$") || strings.HasPrefix(v, "$2b$") || strings.HasPrefix(v, "$2y$") || strings.HasPrefix(v, "$argon") || strings.HasPrefix(v, "$1$") || strings.HasPrefix(v, "$5$") || strings.HasPrefix(v, "$6$") || strings.HasPrefix(v, "pbkdf2") || strings.HasPrefix(v, "sha") && strings.ContainsAny(v[:min(len(v), 9)], ":-$")
}

// looksRandom reports whether letters and digits mix in a way that no word does.
func looksRandom(v string) bool {
	lower, upper, digit, _ := countKinds(v)
	if digit > 0 && lower+upper > 0 && len(v) >= 8 {
		return digitChanges(v) >= 3 || changes(v)*100 >= len(v)*35 && len(v) >= 10 || lower > 0 && upper > 0 && digit >= 2 || digit >= 3 && digitChanges(v) >= 2
	}
	return strangeShare(v) >= 0.5 && len(v) >= 6
}

// hexLetters reports whether the value is made of hexadecimal digits of one case alone.
func hexLetters(v string) bool {
	for i := 0; i < len(v); i++ {
		if !isHex(v[i]) || isLetter(v[i]) && v[i]&0x20 != v[0]&0x20 && isLetter(v[0]) {
			return false
		}
	}
	return true
}

// changes counts how often neighbours are of different kinds: lower case, upper case, digit.
func changes(v string) int {
	kind := func(b byte) int {
		switch {
		case 'a' <= b && b <= 'z':
			return 1
		case 'A' <= b && b <= 'Z':
			return 2
		case '0' <= b && b <= '9':
			return 3
		}
		return 0
	}
	n := 0
	for i := 1; i < len(v); i++ {
		if a, b := kind(v[i-1]), kind(v[i]); a != b && a != 0 && b != 0 {
			n++
		}
	}
	return n
}

// digitChanges counts how often letters and digits alternate.
func digitChanges(v string) int {
	n := 0
	for i := 1; i < len(v); i++ {
		a, b := v[i-1], v[i]
		if isLetter(a) && '0' <= b && b <= '9' || isLetter(b) && '0' <= a && a <= '9' {
			n++
		}
	}
	return n
}

// strangeShare is the share of letters that stand in runs no one could pronounce.
func strangeShare(v string) float64 { return shareAbove(v, 4.85, 5.2) }

// shareAbove is strangeShare with other bars: one for runs of six letters and more, one for shorter ones.
func shareAbove(v string, long, short float64) float64 {
	strange, letters := 0, 0
	for i := 0; i < len(v); {
		if !isLetter(v[i]) {
			i++
			continue
		}
		from := i
		i++
		for i < len(v) && isLetter(v[i]) && !('A' <= v[i] && v[i] <= 'Z' && 'a' <= v[i-1] && v[i-1] <= 'z') {
			i++
		}
		run := v[from:i]
		letters += len(run)
		if strangeRun(run, long, short) {
			strange += len(run)
		}
	}
	if letters == 0 {
		return 0
	}
	return float64(strange) / float64(letters)
}

func strangeRun(run string, long, short float64) bool {
	if len(run) < 4 || commonWords.has(strings.ToLower(run)) {
		return false
	}
	if len(run) <= 5 {
		return strangeness(run) > short
	}
	return strangeness(run) > long
}

// judgeValue says how much the value that a name was given looks like a secret in use.
func judgeValue(v string, kind nameKind) strength {
	if len(v) < 4 || len(v) > 1024 || template(v) || madeUp(v) || pathLike(v) {
		return notSecret
	}
	lower, upper, digit, other := countKinds(v)
	letters := lower + upper
	switch {
	case letters == 0 && other == 0:
		return judgeNumber(v, kind)
	case strings.ContainsAny(v, " \t"):
		return judgePhrase(v, kind)
	case placeholderWords(v):
		return notSecret
	}
	if kind == nameKey {
		return judgeKey(v, letters, digit)
	}
	if looksRandom(v) && len(v) >= 12 && digit > 0 {
		return strong
	}
	switch {
	case digit > 0 && letters > 0 && len(v) >= 5, other > 0 && digit > 0 && len(v) >= 6:
		return plausible
	case strangeShare(v) > 0.5, kind == namePassword && shareAbove(v, 4.3, 4.7) > 0.5:
		return plausible
	case kind == namePassword && other > 0 && letters > 0 && len(v) >= 8 && strings.ContainsAny(v, "!@#$%^&*+=?~") && upper > 0 && lower > 0:
		return plausible
	}
	return notSecret
}

// judgeNumber takes numbers that are too long to count anything for the ids and secrets that some issuers give out.
func judgeNumber(v string, kind nameKind) strength {
	if kind == namePassword || len(v) < 16 || len(v) > 64 || entropy(v) < 2.5 {
		return notSecret
	}
	return strong
}

func judgeKey(v string, letters, digit int) strength {
	if len(v) < 8 || entropy(v) < 2.5 || letters == 0 || strings.ContainsAny(v, "(){}[]<>\"\\") {
		return notSecret
	}
	switch {
	case len(v) >= 16 && hexLetters(v):
		return strong
	case len(v) >= 24 && strings.Trim(v, hexDigits) == "":
		return notSecret // both cases: typed by hand, no machine writes hexadecimal digits like that
	case len(v) >= 20 && digitChanges(v) <= 2 && strangeShare(v) < 0.2 && letters >= 2*digit:
		return notSecret // words with a number between them
	case digit > 0 && looksRandom(v) && len(v) >= 10:
		return strong
	case digit == 0 && len(v) >= 12 && strangeShare(v) > 0.6:
		return strong
	}
	return notSecret
}

// judgePhrase takes a value with blanks for a password only where it is no sentence.
func judgePhrase(v string, kind nameKind) strength {
	if kind == nameKey || strings.Count(v, " ") > 3 || placeholderWords(v) {
		return notSecret
	}
	_, _, digit, other := countKinds(strings.ReplaceAll(v, " ", ""))
	if digit+other > 0 && strangeShare(v) > 0.3 {
		return plausible
	}
	return notSecret
}

// pathLike finds files, addresses and mail addresses.
func pathLike(v string) bool {
	if strings.HasPrefix(v, "./") || strings.HasPrefix(v, "../") || strings.HasPrefix(v, "~/") || strings.HasPrefix(v, "C:\\") || strings.HasPrefix(v, "http") {
		return true
	}
	if v[0] == '/' && (len(v) < 30 || strangeShare(v) < 0.4) {
		return true
	}
	if dot := strings.LastIndexByte(v, '.'); dot > 0 && fileEndings.has(strings.ToLower(v[dot+1:])) {
		return true
	}
	if at := strings.IndexByte(v, '@'); at > 0 && strings.IndexByte(v[at:], '.') > 1 && strangeShare(v[at:]) < 0.5 && !strings.ContainsAny(v, "!#$%^&*~=/") {
		return true
	}
	return strings.Count(v, "/") >= 2 && strangeShare(v) < 0.3 && digitChanges(v) < 4
}

// placeholderWords reports whether the value is made of words that stand for a value, or of plain words alone.
func placeholderWords(v string) bool {
	folded := unleet(v)
	plain, total := 0, 0
	for i := 0; i < len(folded); {
		if !isLetter(folded[i]) {
			i++
			continue
		}
		from := i
		i++
		for i < len(folded) && isLetter(folded[i]) && !('A' <= folded[i] && folded[i] <= 'Z' && 'a' <= folded[i-1] && folded[i-1] <= 'z') {
			i++
		}
		word := strings.ToLower(folded[from:i])
		total++
		switch {
		case standIns.has(word):
			return true
		case commonWords.has(word) || len(word) <= 2 || prefixedStandIn(word):
			plain++
		}
	}
	return total > 0 && plain == total && digitsOf(v) <= 4 && digitChanges(v) < 3
}

// prefixedStandIn splits words that are written together: testpassword, mysecret.
func prefixedStandIn(word string) bool {
	for cut := 2; cut <= len(word)-2; cut++ {
		if (commonWords.has(word[:cut]) || standIns.has(word[:cut])) && (commonWords.has(word[cut:]) || standIns.has(word[cut:])) {
			return true
		}
	}
	return false
}

func digitsOf(v string) int {
	_, _, digit, _ := countKinds(v)
	return digit
}

// unleet undoes the usual exchange of letters for digits and signs inside words, so that pa55w0rd reads password.
func unleet(v string) string {
	if digitsOf(v) == 0 && !strings.ContainsAny(v, "@$!") {
		return v
	}
	out := []byte(v)
	for i := 1; i < len(out)-1; i++ {
		if !isLetter(out[i-1]) {
			continue
		}
		next := foldByte(v[i+1])
		if !isLetter(next) && strings.IndexByte("013457@$!", next) < 0 {
			continue
		}
		switch out[i] {
		case '0':
			out[i] = 'o'
		case '1', '!':
			out[i] = 'i'
		case '3':
			out[i] = 'e'
		case '4', '@':
			out[i] = 'a'
		case '5', '$':
			out[i] = 's'
		case '7':
			out[i] = 't'
		}
	}
	for i := 1; i < len(out)-1; i++ { // only where the whole run became letters
		if isLetter(out[i]) && !isLetter(v[i]) && !isLetter(out[i+1]) {
			return v
		}
	}
	return string(out)
}
