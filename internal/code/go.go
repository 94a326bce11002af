package code

var goLang = &Language{Name: "go", Program: true, spec: spec{
	line:   []string{"//"},
	blocks: []block{{open: "/*", close: "*/"}},
	quotes: []quote{
		{open: `"`, close: `"`, escape: '\\'},
		{open: "'", close: "'", escape: '\\'},
		{open: "`", close: "`", multiline: true},
	},
}}

var goMod = &Language{Name: "go.mod", spec: spec{
	line:   []string{"//"},
	quotes: []quote{{open: `"`, close: `"`, escape: '\\'}, {open: "`", close: "`", multiline: true}},
}}
