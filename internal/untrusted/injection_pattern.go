package untrusted

import (
	"regexp"
	"slices"
	"sync"
)

// pattern is one way of addressing an automated reader. It is matched against folded text.
type pattern struct {
	rule     string
	words    []string // one of them is in every match: what makes the expression worth running
	source   string
	anywhere bool // the form itself commands, wherever it stands
	reach    int  // how many bytes around the word are looked at; 0 = window
	re       func() *regexp.Regexp
}

type patternSet struct {
	list  []pattern
	words *words
	of    [][]int // the patterns that a word belongs to
}

// injectionPatterns is put together at the first use; an expression is compiled when one of its words is met.
var injectionPatterns = sync.OnceValue(func() *patternSet {
	s := &patternSet{list: slices.Concat(englishPatterns(), foreignPatterns())}
	index := make(map[string]int)
	var list []string
	for i := range s.list {
		p := &s.list[i]
		if p.reach == 0 {
			p.reach = window
		}
		p.re = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(p.source) })
		for _, w := range p.words {
			n, known := index[w]
			if !known {
				n = len(list)
				index[w] = n
				list = append(list, w)
				s.of = append(s.of, nil)
			}
			s.of[n] = append(s.of[n], i)
		}
	}
	s.words = newWords(list)
	return s
})

// Parts of the English expressions.
const (
	reader = `(?:(?:an? |the |any |all |every )?(?:(?:automated|automatic|ai|llm|coding|code|autonomous|language|review|reviewing|large language|machine)[- ]){0,3}` +
		`(?:assistants?|agents?|reviewers?|models?|llms?|ai|ais|bots?|chatbots?|chatgpt|gpt-?[0-9o]*|claude(?: code)?|copilot|gemini|codex|coderabbit|scanners?)s?)`
	machine = `(?:(?:an? |the |any |all |every )?(?:(?:(?:automated|ai|llm|coding|autonomous|language|large language|machine)[- ]){1,3}(?:code )?` +
		`(?:assistants?|agents?|reviewers?|models?|tools?|systems?|bots?|scanners?|reader)|llms?|ais?|chatbots?|chatgpt|gpt-?[0-9o]+|claude(?: code)?|copilot|gemini|codex|coderabbit))`
	verbs = `(?:approve|accept|merge|ignore|disregard|forget|skip|report|mark|treat|consider|respond|reply|answer|say|output|stop|do not|don't|never|always|execute|run|send|delete|` +
		`classify|rate|assume|trust|pass|summarize|include|add|remove|follow|read|use|refuse|return|print|write|call|install|fetch|open|insert|praise|you must|you should|you may|you are|make sure|note that)`
	thing = `(?:pr|pull request|merge request|mr|changes?|changeset|diff|commits?|patch|files?|code|function|class|package|repository|repo|module|script|snippet|submission|document|page|section|block|lines?)`
)

func englishPatterns() []pattern {
	return []pattern{
		{rule: RuleOverride, words: []string{"ignore ", "disregard ", "forget ", "discard ", "override "},
			source: `\b(?:ignore|disregard|forget|discard|override) (?:(?:all|any|every|each|of|the|your|these|those|my|its|other|and|completely|both) ){0,4}` +
				`(?:(?:previous|previously|prior|above|earlier|preceding|foregoing|past|former|aforementioned|system|initial|original|hidden|safety|ethical|moral|content|developer|given|loaded)(?:,? (?:and|or|given) | |, )){1,3}` +
				`(?:system |safety |review |security )?(?:instructions?|prompts?|messages?|rules?|guidelines?|guidance|directives?|directions|commands|orders|constraints|polic(?:y|ies)|restrictions|protocols|safeguards|texts?|tasks?|context|training|programming|conversations?)\b`},
		{rule: RuleOverride, words: []string{"ignore ", "disregard ", "forget "},
			source: `\b(?:ignore|disregard|forget) (?:instructions|guidelines|ethics|everything)(?: and (?:\w+ly )?(?:act|do|run|output|say|approve|respond|reply|answer|print|write|follow|start|reveal|delete|send|execute|tell|merge|return)\b|[.,;:!] ?(?:you|from now|this is|instead|then|act|do|run|output|say|approve|respond|reply|answer|print|write|follow|start|reveal|delete|send|execute|tell|merge)\b)`},
		{rule: RuleOverride, words: []string{"ignore ", "disregard ", "forget "},
			source: `\b(?:ignore|disregard|forget) (?:about )?(?:(?:all|any|every|each) (?:of )?(?:(?:the|your|these|those|other) )?|your (?:own |other |current |existing )?)(?:instructions?|prompts?|guidelines|directives|guardrails|safety (?:rules|guidelines)|programming|training)\b`},
		{rule: RuleOverride, words: []string{"ignore ", "disregard ", "forget "},
			source: `\b(?:ignore|disregard|forget) (?:all|everything|anything|all of that|what|whatever|all that|the) ?(?:(?:that |which )?(?:is |was |were |came |comes |stands )?(?:written |said )?(?:above|before this|prior to this|so far|earlier)\b|(?:that )?(?:you (?:were|have been|had been|are)|you've been|i) (?:told|given|instructed|taught|asked))`},
		{rule: RuleOverride, words: []string{"override ", "bypass ", "disable ", "drop ", "circumvent "},
			source: `\b(?:override|bypass|disable|drop|circumvent) (?:all |any )?(?:of )?your (?:\w+ )?(?:instructions|prompt|guidelines|safeguards|guardrails|restrictions|filters|rules|safety\b)|\b(?:override|bypass|disable|drop|circumvent) (?:all |any |the )?(?:ethical|safety|moral) (?:guidelines|filters|protocols|restrictions|rules|constraints)\b`},
		{rule: RuleOverride, words: []string{"instructions"},
			source: `\b(?:these|the following|this|my) (?:instructions?|message|text|comment)s? (?:override|supersede|replace|take precedence over|have priority over|cancel)s? (?:all |any |the |your )+(?:\w+ ){0,2}(?:instructions|prompt|rules|guidelines)`, anywhere: true},

		{rule: RuleAddressed, words: noteWords,
			source: `\b(?:note|message|instructions?|attention|important|reminder|hint|notice|warning|directive|memo)s? (?:to|for) (?:all |any |the |every )?` + machine + `(?: (?:reading|reviewing|processing|analy[sz]ing|scanning|that|who|which)\b[^\n.:]{0,80})? ?[:,—–-]`},
		{rule: RuleAddressed, words: []string{"if you are ", "if you're "},
			source: `\bif you(?:'re| are) (?:a |an |the )?` + machine + `\b[^\n.:]{0,100}[,:] ?(?:please |then |you )?(?:\w+ ){0,2}` + verbs + `\b`},
		{rule: RuleAddressed, reach: 64, words: addressWords,
			source: `\b(?:(?:dear|hey|hi|hello|attention|calling all|to all|to any|to the|to) )?` + reader + ` ?[,:!—–] ?(?:(?:please|you|kindly|now|also|just) ){0,2}` + verbs + `\b`},
		{rule: RuleAddressed, words: readingWords,
			source: machine + ` (?:that is |that are |who is |who are )?(?:reading|reviewing|processing|analy[sz]ing|scanning|summari[sz]ing|parsing) (?:this|the)\b[^\n.]{0,60}\b(?:must|should|shall|(?:are|is) (?:required|instructed|asked|told|to)|needs? to|ha(?:s|ve) to|may not)\b`},
		{rule: RuleAddressed, words: []string{"as an ai", "as a language", "as an llm", "as an automated", "as a large"},
			source: `\bas an? (?:ai|llm|automated|language|large language)(?:[ -]\w+){0,3}, (?:you (?:must|should|will|shall|are|have to|need to)|please|always|never|do not)\b`},

		{rule: RuleVerdict, words: []string{"approve ", "merge ", "accept "},
			source: `\b(?:approve|merge|accept) (?:and merge )?(?:this|the|these) ` + thing + `\b[^\n.]{0,40}\b(?:without|immediately|regardless|unconditionally|no matter|automatically|right away|in any case)\b`},
		{rule: RuleVerdict, words: []string{"mark ", "label ", "classify ", "treat ", "consider ", "rate ", "regard ", "report ", "describe ", "score "},
			source: `\b(?:mark|label|classify|treat|consider|rate|regard|report|describe|score) (?:this|these|the(?: (?:entire|whole|following|above))?) ` + thing + `\b(?: (?:above|below|here|itself|it))?(?: (?:as|to be|to))? (?:(?:fully|completely|perfectly|being|already|a|an|entirely) ){0,2}` +
				`(?:safe|secure|approved?|benign|trusted|trustworthy|harmless|passed|passing|clean|reviewed|false positives?|non-?issues?|low[- ](?:risk|severity)|compliant|vetted|audited|10/10|legitimate|correct)\b`},
		{rule: RuleVerdict, words: []string{"report ", "say ", "state ", "conclude ", "output ", "confirm "},
			source: `\b(?:report|say|state|conclude|output|confirm) (?:that )?(?:there (?:are|is|were) )?(?:no|zero) (?:(?:security|serious|critical|further|other|such|new|real) )?(?:issues|findings|vulnerabilit(?:y|ies)|problems|bugs|concerns|defects|comments)\b`},
		{rule: RuleVerdict, words: []string{"say ", "answer ", "respond ", "reply ", "output "},
			source: `\b(?:say|answer|respond|reply|output)(?: (?:only|just|simply|exactly|solely|always|with|by saying|the|word|words|text|phrase|single|that))* ?["'` + "`" + `“‘]?(?:lgtm|approved?|no (?:security )?(?:issues|findings|problems)(?: found)?|verdict: ?\w+|looks good(?: to me)?|safe to merge|ship it|all clear|"?pass(?:ed)?["'` + "`" + `”])`},
		{rule: RuleVerdict, words: []string{"do not ", "don't ", "never ", "skip "},
			source: `\b(?:do not|don't|never) (?:report|flag|mention|raise|comment on|review|scan|analy[sz]e|inspect|warn about|criticise|criticize|question)(?: (?:any|the|anything|issues?|findings?|problems?|bugs?|vulnerabilit(?:y|ies)|errors?|security|or|a|it|warnings?))* (?:(?:in|about|from|on|within|inside|below|for) )?(?:this|these|the following|the rest of (?:this|the)) ` + thing + `\b`},
		{rule: RuleVerdict, words: []string{"skip "},
			source: `\bskip (?:the |all |any |further |your )?(?:security |code )?(?:review|analysis|audit)(?:s|ing)? (?:of|for|on) (?:this|these|the following|the rest of (?:this|the)) ` + thing + `\b`},

		{rule: RuleSecrets, words: []string{"prompt", "instructions"},
			source: `\b(?:reveal|print|output|repeat|show|display|disclose|leak|expose|share|recite|dump|tell me|give me|paste|echo|reproduce|write out|return|translate) (?:me |us )?(?:(?:all|the|of|full|entire|exact|complete|back|out|verbatim) ){0,4}(?:your (?:\w+ ){0,3}(?:prompt|instructions)|(?:hidden|secret|initial|original) (?:system )?(?:prompt|instructions)|(?:system )?(?:prompt|instructions)(?: that)? (?:above|verbatim|you (?:were|have been) given|word for word))\b`},
		{rule: RuleSecrets, words: []string{"system prompt", "system message", "system instructions"},
			source: `\b(?:reveal|disclose|leak|expose|recite|tell me|give me|exfiltrate) (?:(?:all|the|full|entire|exact|complete|current) ){0,3}system (?:prompt|message|instructions)\b`},
		{rule: RuleSecrets, words: []string{"send ", "post ", "upload ", "forward ", "exfiltrate ", "leak ", "transmit ", "submit ", "email ", "copy "},
			source: `\b(?:send|post|upload|forward|exfiltrate|leak|transmit|submit|email|copy) (?:[\w'.,/~-]+ ){0,8}?(?:environment variables?|env vars?|credentials|secrets|passwords|private keys?|ssh keys?|api keys|\.env(?: file)?|access tokens|session cookies|id_rsa)(?: [\w'.,/~-]+){0,6}? (?:to|via|at|using) (?:https?:|the (?:following|url|address|endpoint below)|this (?:url|address|endpoint|webhook|server)|[\w.+-]+@[\w-]+|curl)`},

		{rule: RuleConceal, words: []string{"do not ", "don't ", "never "},
			source: `\b(?:do not|don't|never) (?:ever )?(?:tell|inform|mention|reveal|disclose|admit)(?: (?:this|it|that|anything|these instructions|of this|about this|any of this))?(?: to)? (?:the |your |any )(?:user|human|developer|operator|person|owner|reviewer)s?\b(?: (?:that|about|of|anything|what|why|you|this|these|know)|[.,!;]|$)`},
		{rule: RuleConceal, words: []string{"do not ", "don't ", "never "},
			source: `\b(?:do not|don't|never) (?:mention|reveal|disclose|repeat|acknowledge|refer to|quote|summari[sz]e|talk about) (?:this|these|the (?:above|following|hidden|preceding)|that you (?:saw|read|received|got)) (?:hidden |secret )?(?:instructions?|message|note|prompt|request|directive|command)s?\b`},

		{rule: RuleRole, words: []string{"you are now "},
			source: `\byou are now (?:a |an |in |the |my |operating |acting )?(?:as )?(?:an? )?(?:[\w'-]+ ){0,4}?(?:assistant|ai|model|chatbot|dan|persona|unrestricted|unfiltered|uncensored|jailbroken|developer mode|god mode|maintenance mode|root|hacker|reviewer who|free (?:of|from))\b`, anywhere: true},
		{rule: RuleRole, words: []string{"from now on"},
			source: `\bfrom now on,? (?:you (?:are|have|will|must|shall|should|only|have to|may|can|do)|(?:only |always |never )?(?:act|respond|answer|reply|ignore|behave|pretend|speak|obey|approve|follow)\b)`},
		{rule: RuleRole, words: []string{"pretend ", "act as ", "roleplay ", "behave as ", "respond as "},
			source: `\b(?:pretend|act as|roleplay as|behave as|respond as)(?: to be| that you are| you are| if you were| if you had| though you are)? (?:an? |the |my )?(?:unrestricted|unfiltered|uncensored|jailbroken|evil|dan\b|(?:different |new |helpful )?(?:ai|assistant|language model|llm|chatbot)\b|no (?:rules|restrictions|guidelines)|root user|system administrator with)`},
		{rule: RuleRole, words: []string{"you are dan", "you're dan", "do anything now"},
			source: `\byou(?: are|'re) dan\b|\bdo anything now\b`},
		{rule: RuleRole, words: []string{"<|im_start|>", "<|start_header_id|>", "<<sys>>", "[inst] ", "<|system|>"},
			source: `<\|im_start\|> ?(?:system|user|assistant)|<\|start_header_id\|> ?(?:system|user)|<<sys>>|\[inst\] [a-z]|<\|system\|>`, anywhere: true},
		{rule: RuleRole, words: []string{"system:", "system prompt:", "system message:", "new instructions:", "updated instructions:", "admin override", "system override"},
			source: `(?:system|system prompt|system message|(?:new|updated) (?:system )?instructions): ?(?:you (?:are|must|will|should|have)|ignore|disregard|override|from now|new (?:instructions|rules|task)|approve|the (?:user|assistant|reviewer)|your (?:new )?(?:task|role|goal))\b|(?:admin|system) override(?: activated| engaged)? ?[:!\]]`},
	}
}

// addressWords are the words by which an automated reader is named.
var addressWords = []string{"ai ", "ai:", "ai,", "ai-", "ais ", "llm", "language model", "chatgpt", "gpt", "claude", "copilot", "gemini", "codex", "coderabbit", "chatbot", "automated ", "coding agent",
	"coding assistant", "autonomous agent", "assistant", "agent", "reviewer"}

// noteWords open a note to somebody.
var noteWords = []string{"note to ", "note for ", "notes to ", "notes for ", "message to ", "message for ", "instruction to ", "instruction for ", "instructions to ", "instructions for ",
	"attention to ", "important for ", "important to ", "reminder to ", "reminder for ", "hint to ", "hint for ", "hints for ", "notice to ", "notice for ", "warning to ", "warning for ",
	"directive to ", "directive for ", "directives for ", "memo to ", "memo for "}

// readingWords say that somebody reads this.
var readingWords = []string{"reading th", "reviewing th", "processing th", "analyzing th", "analysing th", "scanning th", "summarizing th", "summarising th", "parsing th"}
