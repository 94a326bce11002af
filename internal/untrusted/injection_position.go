package untrusted

import (
	"strings"
	"unicode/utf8"
)

// leadIns are words that may stand between the start of a sentence and its command.
var leadIns = []string{
	"please", "now", "then", "also", "just", "simply", "kindly", "immediately", "always", "instead", "first", "importantly", "hereby", "ok", "okay",
	"bitte", "nun", "jetzt", "por favor", "ahora", "agora", "veuillez", "maintenant", "per favore", "adesso", "пожалуйста", "теперь",
	"alsjeblieft", "nu", "prosze", "teraz", "lutfen", "simdi", "请", "現在", "现在", "請",
}

// bindings are what makes a sentence about "you" a command: you must, you will, you are to.
var bindings = []string{
	"you must", "you should", "you shall", "you will", "you have to", "you need to", "you are to", "you are required to", "you are instructed to",
	"you can", "must", "your task is to", "your job is to", "your goal is to", "i want you to", "i need you to", "we need you to", "make sure to", "be sure to", "remember to",
	"it is important to", "it is important that you", "you are authorized to", "you are ordered to", "feel free to",
	"du musst", "sie mussen", "debes", "tienes que", "voce deve", "vous devez", "tu dois", "devi", "ты должен", "вы должны", "你必须", "你应该", "你需要", "必须",
}

// quotes open a quotation.
const quotes = "\"'`“‘«「『„"

// commands reports whether what begins at i of the folded text stands where a command stands: at the start of a sentence, but for a
// lead-in, or behind "you must" and the like. What an opening quotation mark inside a sentence precedes is talked about.
func (f *folded) commands(i int) bool {
	const mostLeadIns = 4
	before := f.text[:i]
	for range mostLeadIns {
		before = strings.TrimRight(before, " ")
		r, size := utf8.DecodeLastRuneInString(before)
		switch {
		case before == "":
			return true
		case strings.ContainsRune(quotes, r):
			return opensSentence(before[:len(before)-size])
		case strings.ContainsRune("\n.!?;:…—–。！？；：，、)]}>|=#", r):
			return true
		case r == '(' || r == '[' || r == '{' || r == '<':
			return true
		case r == ',':
			return afterName(before[:len(before)-1])
		case r == '/': // of a comment behind code
			return len(before) == 1 || before[len(before)-2] == ' ' || before[len(before)-2] == '/'
		case r == '-':
			return len(before) == 1 || before[len(before)-2] == ' ' || before[len(before)-2] == '-'
		}
		rest, ok := cutLeadIn(before)
		if !ok {
			return bound(before)
		}
		before = rest
	}
	return false
}

// opensSentence reports whether nothing of a sentence stands before the quotation mark.
func opensSentence(before string) bool {
	before = strings.TrimRight(before, " ")
	if before == "" {
		return true
	}
	switch before[len(before)-1] {
	case '\n', '=', '{', '[':
		return true
	}
	return false
}

// afterName accepts a comma behind a short opening, as in "from now on, …" and "assistant, …".
func afterName(before string) bool {
	start := strings.LastIndexAny(before, "\n.!?;:") + 1
	return len(strings.Fields(before[start:])) <= 4
}

func cutLeadIn(before string) (string, bool) {
	for _, w := range leadIns {
		if rest, ok := strings.CutSuffix(before, w); ok && borders(rest, w) {
			return rest, true
		}
	}
	return before, false
}

func bound(before string) bool {
	for _, w := range bindings {
		rest, ok := strings.CutSuffix(before, w)
		if !ok || !borders(rest, w) {
			continue
		}
		if w != "must" {
			return !mentioned(rest)
		}
		// "must" alone needs the one that must
		for _, who := range []string{"assistant", "assistants", "ai", "ais", "agent", "agents", "model", "models", "llm", "llms", "reviewer", "bot"} {
			if head, ok := strings.CutSuffix(strings.TrimRight(rest, " "), who); ok && borders(head, who) {
				return true
			}
		}
	}
	return false
}

// mentioned reports whether an opening quotation mark inside a sentence stands at the end.
func mentioned(before string) bool {
	before = strings.TrimRight(before, " ")
	r, size := utf8.DecodeLastRuneInString(before)
	return strings.ContainsRune(quotes, r) && size > 0 && !opensSentence(before[:len(before)-size])
}

// borders reports whether no letter stands before the word.
func borders(rest, word string) bool {
	return rest == "" || word[0] >= 0x80 || !asciiWord(rest[len(rest)-1])
}
