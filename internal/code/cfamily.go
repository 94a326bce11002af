package code

import "strings"

var (
	cLang      = &Language{Name: "c", Program: true, spec: cSpec}
	cpp        = &Language{Name: "c++", Program: true, spec: cSpec}
	objectiveC = &Language{Name: "objective-c", Program: true, spec: cSpec}
)

var cSpec = spec{
	line: slashComment, blocks: starComment, digitSeparator: '\'',
	quotes: []quote{
		{open: `"`, close: `"`, escape: '\\'},
		{open: "'", close: "'", escape: '\\'},
	},
	after: `"'`, word: cPrefix,
}

// cPrefix reads L"…", u8"…" and raw literals R"x(…)x".
func cPrefix(x *lexer, end int) bool {
	switch x.src[x.pos:end] {
	case "L", "u", "U", "u8":
		return x.prefixed(end)
	case "R", "LR", "uR", "UR", "u8R":
	default:
		return false
	}
	const longest = 16 // of a delimiter, by the standard
	paren := strings.IndexByte(x.src[end:min(len(x.src), end+longest+2)], '(')
	if x.src[end] != '"' || paren < 0 {
		return false
	}
	i := end + paren + 1
	shut := ")" + x.src[end+1:end+paren] + `"`
	if n := strings.Index(x.src[i:], shut); n >= 0 {
		x.emit(String, i+n+len(shut))
	} else {
		x.emit(String, len(x.src))
	}
	return true
}

// Languages with comments and strings as C has them.
var (
	dart = &Language{Name: "dart", Program: true, spec: spec{
		line: slashComment, ends: carriageReturn, blocks: nestedStar, ident: "$",
		quotes: []quote{
			{open: `"""`, close: `"""`, escape: '\\', multiline: true, interp: "${"},
			{open: "'''", close: "'''", escape: '\\', multiline: true, interp: "${"},
			{open: `"`, close: `"`, escape: '\\', interp: "${"},
			{open: "'", close: "'", escape: '\\', interp: "${"},
		},
	}}
	zig = &Language{Name: "zig", Program: true, spec: spec{
		line: slashComment, ident: "@",
		quotes: []quote{{open: `"`, close: `"`, escape: '\\'}, {open: "'", close: "'", escape: '\\'}},
	}}
	solidity = &Language{Name: "solidity", Program: true, spec: cLike}
	protobuf = &Language{Name: "protobuf", spec: cLike}
	graphql  = &Language{Name: "graphql", spec: spec{
		line: []string{"#"},
		quotes: []quote{
			{open: `"""`, close: `"""`, multiline: true},
			{open: `"`, close: `"`, escape: '\\'},
		},
	}}
)

var cLike = spec{
	line: slashComment, blocks: starComment,
	quotes: []quote{{open: `"`, close: `"`, escape: '\\'}, {open: "'", close: "'", escape: '\\'}},
}
