package detect

import (
	"encoding/base32"
	"encoding/base64"
	"fmt"
	"math/rand/v2"
	"regexp/syntax"
	"strings"
	"testing"

	"github.com/gavel-review/gavel"
)

// newRand is a generator that gives the same values in every run, so that a failure can be repeated.
func newRand(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 7)) }

// sampleOf makes a value of the family's shape with what its check wants. Nothing that it makes was ever issued.
func sampleOf(t testing.TB, spec *secretSpec, r *rand.Rand) string {
	t.Helper()
	tree, err := syntax.Parse(spec.Regex, syntax.Perl)
	if err != nil {
		t.Fatalf("%s: %v", spec.ID, err)
	}
	for range 300 {
		value := checkedSample(spec.Check, generate(tree, r), r)
		shown := min(spec.Shown, len(value))
		proved := secretProof(spec.Check, value)
		if spec.Group > 0 {
			proved = proofNone // the check is about the submatch
		}
		if (!madeUp(value[shown:]) || spec.Check == "dropbox") && proved != proofNever && proved != proofFails && entropy(value[shown:]) > max(spec.Entropy, 2.5)+0.1 {
			return value
		}
	}
	t.Fatalf("%s: no sample passes its own checks", spec.ID)
	return ""
}

func generate(n *syntax.Regexp, r *rand.Rand) string {
	var b strings.Builder
	switch n.Op {
	case syntax.OpLiteral:
		b.WriteString(string(n.Rune))
	case syntax.OpCharClass:
		b.WriteRune(pickRune(n.Rune, r))
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		b.WriteByte('a' + byte(r.IntN(26)))
	case syntax.OpCapture, syntax.OpConcat:
		for _, sub := range n.Sub {
			b.WriteString(generate(sub, r))
		}
	case syntax.OpAlternate:
		for _, sub := range n.Sub { // an edge of the text is the quietest neighbour
			if sub.Op == syntax.OpBeginText || sub.Op == syntax.OpEndText || sub.Op == syntax.OpEndLine {
				return ""
			}
		}
		b.WriteString(generate(n.Sub[r.IntN(len(n.Sub))], r))
	case syntax.OpQuest:
		if r.IntN(2) == 0 {
			b.WriteString(generate(n.Sub[0], r))
		}
	case syntax.OpStar, syntax.OpPlus, syntax.OpRepeat:
		least := max(n.Min, 1)
		if n.Op == syntax.OpRepeat && n.Min == 0 {
			least = min(24, n.Max)
			if n.Max < 4 {
				least = 0
			}
		}
		for range least {
			b.WriteString(generate(n.Sub[0], r))
		}
	}
	return b.String()
}

// pickRune takes an ASCII character that can be printed from the class where there is one.
func pickRune(pairs []rune, r *rand.Rand) rune {
	var all []rune
	for i := 0; i+1 < len(pairs); i += 2 {
		for c := max(pairs[i], '!'); c <= min(pairs[i+1], '~'); c++ {
			all = append(all, c)
		}
	}
	if len(all) == 0 {
		return ' '
	}
	return all[r.IntN(len(all))]
}

func checkedSample(check, value string, r *rand.Rand) string {
	switch check {
	case "base62-crc32":
		head, body, _ := strings.Cut(value, "_")
		body = body[:len(body)-6]
		return head + "_" + body + base62CRC(body)
	case "grafana-crc32":
		head := value[:strings.LastIndexByte(value, '_')]
		return head + "_" + crcHex(head)
	case "nkey":
		return sampleNkey(r)
	case "bech32":
		return sampleBech32("age-secret-key-", 52, r)
	case "jwt":
		return sampleJWT(r)
	case "jwt64":
		return base64.StdEncoding.EncodeToString([]byte(sampleJWT(r)))
	case "json64":
		body := base64.StdEncoding.EncodeToString(fmt.Appendf(nil, `{"iat":%d,"org":%q,"url":%q,"n":%q,"more":%q}`, r.Uint32(), randomText(r, 12), randomText(r, 24), randomText(r, 20), randomText(r, 90)))
		return value[:strings.Index(value, "eyJ")] + strings.TrimRight(body, "=") + "_" + randomText(r, 43)
	case "macaroon":
		raw := append([]byte("\x02\x01\x08pypi.org\x02\x24"), randomText(r, 90)...)
		return "pypi-" + base64.RawURLEncoding.EncodeToString(raw)
	case "snowflake":
		return base64.RawURLEncoding.EncodeToString(fmt.Appendf(nil, "%018d", 300000000000000000+r.Int64N(1<<58))) + "." + randomText(r, 6) + "." + randomText(r, 30)
	case "base64-64":
		raw := make([]byte, 64)
		for i := range raw {
			raw[i] = byte(r.Uint32())
		}
		return "AccountKey=" + base64.StdEncoding.EncodeToString(raw)
	}
	return value
}

func randomText(r *rand.Rand, n int) string {
	b := make([]byte, n)
	for i := range b {
		b[i] = base62Digits[r.IntN(62)]
	}
	return string(b)
}

func sampleNkey(r *rand.Rand) string {
	raw := make([]byte, 36)
	for i := range raw {
		raw[i] = byte(r.Uint32())
	}
	const seed, user = 18 << 3, 20 << 3
	raw[0], raw[1] = seed|user>>5, user&31<<3
	sum := crc16(raw[:34])
	raw[34], raw[35] = byte(sum), byte(sum>>8)
	return base32.StdEncoding.EncodeToString(raw[:36])[:58]
}

// sampleBech32 computes a checksum the way BIP 173 does, for as many data digits as asked.
func sampleBech32(prefix string, digits int, r *rand.Rand) string {
	data := make([]byte, digits)
	for i := range data {
		data[i] = byte(r.IntN(32))
	}
	sum := uint32(1)
	for i := range len(prefix) {
		sum = bech32Step(sum, prefix[i]>>5)
	}
	sum = bech32Step(sum, 0)
	for i := range len(prefix) {
		sum = bech32Step(sum, prefix[i]&31)
	}
	for _, d := range data {
		sum = bech32Step(sum, d)
	}
	for range 6 {
		sum = bech32Step(sum, 0)
	}
	sum ^= 1
	out := prefix + "1"
	for _, d := range data {
		out += string(bech32Digits[d])
	}
	for i := range 6 {
		out += string(bech32Digits[sum>>(5*(5-i))&31])
	}
	return strings.ToUpper(out)
}

func sampleJWT(r *rand.Rand) string {
	encode := base64.RawURLEncoding.EncodeToString
	return encode([]byte(`{"alg":"HS256","typ":"JWT"}`)) + "." + encode(fmt.Appendf(nil, `{"sub":%q,"iat":%d}`, randomText(r, 10), r.Uint32())) + "." + randomText(r, 43)
}

// added makes a file whose lines are all added.
func added(path, text string) *gavel.File {
	f := &gavel.File{Path: path, Status: gavel.Added, Hunks: []gavel.Hunk{{NewStart: 1}}}
	h := &f.Hunks[0]
	for line := range strings.SplitSeq(text, "\n") {
		h.Lines = append(h.Lines, gavel.Line{Op: gavel.Add, New: len(h.Lines) + 1, Text: line})
	}
	return f
}

// secretsIn scans a text as the given path.
func secretsIn(path, text string) []secretFound {
	var out []secretFound
	s := secretScanner{engine: builtinSecrets(), place: classifySecretPath(path), lines: added(path, text).Hunks[0].Lines}
	s.emit = func(f secretFound) { out = append(out, f) }
	s.scan()
	return out
}
