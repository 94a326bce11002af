package mcpserver

import (
	"fmt"
	"strings"
	"testing"
)

const (
	ping      = `{"jsonrpc":"2.0","id":"ping","method":"ping"}` + "\n"
	otherPing = `{"jsonrpc":"2.0","id":"other","method":"ping"}` + "\n"
)

// Each hostile line costs one error, and the ping after it is answered.
func TestBadLines(t *testing.T) {
	t.Parallel()
	long := `{"jsonrpc":"2.0",%s"method":"tools/call","params":{"name":"echo","arguments":{"text":"` + strings.Repeat("x", 2000) + `"}}%s}`
	tests := []struct {
		name, line string
		id         string // of the error; "" = no error expected
		code       int
	}{
		{"no JSON", `Starting server...`, "null", -32700},
		{"cut off", `{"jsonrpc":"2.0","id":1,"method":`, "null", -32700},
		{"two on a line", `{"jsonrpc":"2.0","id":1,"method":"ping"} {}`, "null", -32700},
		{"not UTF-8", "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\xff\"}", "null", -32700},
		{"too deep for any parser", strings.Repeat(`{"a":`, 20000), "null", -32700},
		{"binary", "\x00\x01\x02", "null", -32700},
		{"number", `5`, "null", -32600},
		{"string", `"x"`, "null", -32600},
		{"null", `null`, "null", -32600},
		{"empty object", `{}`, "null", -32600},
		{"empty array", `[]`, "null", -32600},
		{"batch", `[{"jsonrpc":"2.0","id":1,"method":"ping"}]`, "null", -32600},
		{"bad batch", `[{"jsonrpc":`, "null", -32700},
		{"no version", `{"id":1,"method":"ping"}`, "1", -32600},
		{"wrong version", `{"jsonrpc":"1.0","id":"a","method":"ping"}`, `"a"`, -32600},
		{"no method", `{"jsonrpc":"2.0","id":1}`, "1", -32600},
		{"numeric method", `{"jsonrpc":"2.0","id":1,"method":5}`, "1", -32600},
		{"other case", `{"JSONRPC":"2.0","ID":1,"METHOD":"ping"}`, "null", -32600},
		{"two methods", `{"jsonrpc":"2.0","id":1,"method":"ping","method":"tools/list"}`, "1", -32600},
		{"two ids", `{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}`, "2", -32600},
		{"null id", `{"jsonrpc":"2.0","id":null,"method":"ping"}`, "null", -32600},
		{"fractional id", `{"jsonrpc":"2.0","id":1.5,"method":"ping"}`, "null", -32600},
		{"inexact id", `{"jsonrpc":"2.0","id":9007199254740995,"method":"ping"}`, "null", -32600},
		{"object id", `{"jsonrpc":"2.0","id":{},"method":"ping"}`, "null", -32600},
		{"unknown method", `{"jsonrpc":"2.0","id":1,"method":"no/such"}`, "1", -32601},
		{"undeclared feature", `{"jsonrpc":"2.0","id":1,"method":"prompts/list"}`, "1", -32601},
		{"undeclared logging", `{"jsonrpc":"2.0","id":1,"method":"logging/setLevel","params":{"level":"info"}}`, "1", -32601},
		{"unknown tool", callLine(1, "no_such", `{}`), "1", -32602},
		{"params of another type", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":[1]}`, "1", -32602},
		{"params too deep", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":` + strings.Repeat("[", 5000) + strings.Repeat("]", 5000) + `}`, "1", -32602},
		{"second initialize", strings.Replace(strings.Split(initLine(hello), "\n")[0], "init", "again", 1), `"again"`, -32600},
		{"too long, id first", fmt.Sprintf(long, `"id":7,`, ""), "7", -32600},
		{"too long, id last", fmt.Sprintf(long, "", `, "id": "seven"`), `"seven"`, -32600},
		{"too long, id nowhere", fmt.Sprintf(long, "", ""), "null", -32600},
		{"too long, nested id", strings.Replace(fmt.Sprintf(long, "", ""), `"}}}`, `","id":5}}}`, 1), "null", -32600},
		{"much too long", strings.Repeat("x", 1<<20), "null", -32600},

		{"blank", "  \t", "", 0},
		{"carriage return", "\r", "", 0},
		{"CRLF", strings.TrimSpace(otherPing) + "\r", "", 0},
		{"BOM", "\ufeff" + strings.TrimSpace(otherPing), "", 0},
		{"unknown notification", `{"jsonrpc":"2.0","method":"no/such"}`, "", 0},
		{"cancel nothing", `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":99}}`, "", 0},
		{"cancel nonsense", `{"jsonrpc":"2.0","method":"notifications/cancelled","params":[]}`, "", 0},
		{"response to nothing", `{"jsonrpc":"2.0","id":1,"result":{}}`, "", 0},
		{"error to nothing", `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"x"}}`, "", 0},
		{"broken response", `{"jsonrpc":"3.0","error":5}`, "", 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := newTestServer(t, func(o *Options) { o.MaxLine = 1500 })
			if strings.HasPrefix(tt.name, "params too deep") || strings.HasPrefix(tt.name, "too deep") {
				s = newTestServer(t, nil)
			}
			all := oneShot(t, s, initLine(hello)+tt.line+"\n"+ping)
			got := byID(all)
			if m, ok := got[`"ping"`]; !ok || m.Error != nil {
				t.Fatalf("the ping was not answered: %v", all)
			}
			var failed []message
			for _, m := range all {
				if m.Error != nil {
					failed = append(failed, m)
				}
			}
			switch {
			case tt.id == "" && len(failed) > 0:
				t.Errorf("unexpected: %v", failed)
			case tt.id != "" && (len(failed) != 1 || string(failed[0].ID) != tt.id || failed[0].Error.Code != tt.code):
				t.Errorf("got %v, want one error %d for id %s", failed, tt.code, tt.id)
			case tt.id != "" && len(failed[0].raw) > 700:
				t.Errorf("the error is %d bytes long", len(failed[0].raw))
			}
		})
	}
}

func TestLineOfSeventeenMegabytes(t *testing.T) {
	t.Parallel()
	input := initLine(hello) + callLine(1, "echo", `{"text":"`+strings.Repeat("x", 17<<20)+`"}`) + callLine(2, "echo", `{"text":"y"}`)
	got := byID(oneShot(t, newTestServer(t, nil), input))
	if m := got["1"]; m.Error == nil || m.Error.Code != -32600 {
		t.Errorf("%s", clip(m.raw, 200))
	}
	if got["2"].tool(t).Body["text"] != "y" {
		t.Errorf("%s", got["2"])
	}
}

// A message just below the limit passes.
func TestLineAtTheLimit(t *testing.T) {
	t.Parallel()
	line := strings.TrimSpace(callLine(1, "echo", `{"text":"`+strings.Repeat("x", 100_000)+`"}`))
	for _, over := range []int{0, 1} {
		s := newTestServer(t, func(o *Options) { o.MaxLine = len(line) - over })
		got := byID(oneShot(t, s, initLine(hello)+line+"\r\n"))
		if m := got["1"]; (m.Error != nil) != (over > 0) {
			t.Errorf("%d bytes over the limit: %s", over, clip(m.raw, 200))
		}
	}
}

func TestBeforeInitialize(t *testing.T) {
	t.Parallel()
	input := ping + `{"jsonrpc":"2.0","id":1,"method":"tools/list"}` + "\n" + callLine(2, "echo", `{}`) +
		`{"jsonrpc":"2.0","id":3,"method":"initialize"}` + "\n" + `{"jsonrpc":"2.0","id":4,"method":"initialize","params":{"protocolVersion":5}}` + "\n" +
		`{"jsonrpc":"2.0","id":5,"method":"server/discover"}` + "\n" + `[{"jsonrpc":"2.0","id":6,"method":"ping"}]` + "\n"
	got := byID(oneShot(t, newTestServer(t, nil), input))
	if got[`"ping"`].Error != nil {
		t.Errorf("%s", got[`"ping"`])
	}
	for id, code := range map[string]int{"1": -32600, "2": -32600, "5": -32601, "null": -32600} {
		if m := got[id]; m.Error == nil || m.Error.Code != code {
			t.Errorf("id %s: %s, want %d", id, m, code)
		}
	}
	for _, id := range []string{"3", "4"} {
		if m := got[id]; m.Error == nil || m.Error.Code == 0 {
			t.Errorf("id %s: %s", id, m)
		}
	}
}

func TestIDsComeBackAsTheyWere(t *testing.T) {
	t.Parallel()
	ids := []string{`0`, `-7`, `9007199254740992`, `""`, `"a\u0062"`, `"ü"`, `"1"`, `1`}
	var input strings.Builder
	input.WriteString(initLine(hello))
	for _, id := range ids {
		fmt.Fprintf(&input, `{"jsonrpc":"2.0","id":%s,"method":"ping"}`+"\n", id)
	}
	got := byID(oneShot(t, newTestServer(t, nil), input.String()))
	for _, id := range ids {
		if m, ok := got[id]; !ok || m.Error != nil {
			t.Errorf("id %s: %s", id, m)
		}
	}
}

func TestIDInUse(t *testing.T) {
	t.Parallel()
	input := initLine(hello) + callLine(1, "sleeps", `{"n":100}`) + callLine(1, "echo", `{}`)
	got := byID(oneShot(t, newTestServer(t, nil), input))
	if got["1"].tool(t).Body["ok"] != true {
		t.Errorf("the first call: %s", got["1"])
	}
	if m := got["null"]; m.Error == nil || m.Error.Code != -32600 {
		t.Errorf("the second call: %s", m)
	}
}

func TestBatchOfOldRevision(t *testing.T) {
	t.Parallel()
	batch := `[{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","method":"notifications/x"},5,{"jsonrpc":"2.0","id":2,"method":"tools/list"},` +
		`{"jsonrpc":"2.0","id":3,"method":"initialize"},{"jsonrpc":"2.0","id":9,"result":{}},{"jsonrpc":"2.0","id":1,"method":"ping"}]`
	for _, version := range []string{"2024-11-05", "2025-03-26"} {
		var out lockedBuffer
		s := newTestServer(t, nil)
		input := initLine(version) + batch + "\n" + `[{"jsonrpc":"2.0","method":"notifications/x"}]` + "\n" + `[]` + "\n" + "[" + strings.Repeat("1,", 200) + "1]\n" + `[{"jsonrpc":"2.0","id":` + "\n"
		if err := s.Serve(t.Context(), strings.NewReader(input), &out); err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(strings.TrimSpace(out.String()), "\n")
		if len(lines) != 5 { // initialize, the batch, empty, too many, cut off
			t.Fatalf("%s: %d lines:\n%s", version, len(lines), out.String())
		}
		all := byID(oneShot(t, newTestServer(t, nil), initLine(version)+batch+"\n"))
		if all["1"].Error != nil || all["2"].Error != nil || all["3"].Error == nil || all["null"].Error == nil || len(all) != 5 {
			t.Errorf("%s: %v", version, all)
		}
	}
}
