package mcpserver

import (
	"context"
	"encoding/json"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

const newMeta = `{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{},"io.modelcontextprotocol/clientInfo":{"name":"t","version":"1"}}`

func TestNegotiation(t *testing.T) {
	t.Parallel()
	for asked, want := range map[string]string{
		"2024-11-05": "2024-11-05", "2025-03-26": "2025-03-26", "2025-06-18": "2025-06-18", "2025-11-25": "2025-11-25",
		"2026-07-28": "2025-11-25", "2099-01-01": "2025-11-25", "1.0": "2025-11-25", "": "2025-11-25",
	} {
		all := oneShot(t, newTestServer(t, nil), initLine(asked))
		var got struct {
			ProtocolVersion string
			Capabilities    map[string]any
			Instructions    string
			ServerInfo      struct{ Name, Version string }
		}
		if len(all) != 1 || json.Unmarshal(all[0].Result, &got) != nil || got.ProtocolVersion != want {
			t.Fatalf("%s: %v", asked, all)
		}
		if len(got.Capabilities) != 1 || got.Capabilities["tools"] == nil {
			t.Errorf("capabilities: %v", got.Capabilities)
		}
		if got.ServerInfo.Name != "gavel" || got.ServerInfo.Version != "test" || got.Instructions != instructions {
			t.Errorf("%s: %s", asked, all[0])
		}
		if booked := negotiated(json.RawMessage(`{"protocolVersion":"` + asked + `"}`)); booked != want {
			t.Errorf("%s: the connection thinks %s", asked, booked)
		}
	}
}

// 2026-07-28 needs no handshake.
func TestDiscover(t *testing.T) {
	t.Parallel()
	input := `{"jsonrpc":"2.0","id":1,"method":"server/discover","params":{"_meta":` + newMeta + `}}` + "\n" +
		`{"jsonrpc":"2.0","id":2,"method":"tools/list","params":{"_meta":` + newMeta + `}}` + "\n" +
		`{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"echo","arguments":{"n":1},"_meta":` + newMeta + `}}` + "\n" +
		`{"jsonrpc":"2.0","id":4,"method":"ping","params":{"_meta":` + newMeta + `}}` + "\n" +
		`{"jsonrpc":"2.0","id":5,"method":"tools/list","params":{"_meta":` + strings.Replace(newMeta, "2026-07-28", "2027-01-01", 1) + `}}` + "\n" +
		`[{"jsonrpc":"2.0","id":6,"method":"ping"}]` + "\n"
	got := byID(oneShot(t, newTestServer(t, nil), input))
	var d struct {
		SupportedVersions  []string
		ResultType         string
		TTLMs              *int
		CacheScope         string
		Capabilities, Meta map[string]any
	}
	if err := json.Unmarshal(got["1"].Result, &d); err != nil || len(d.SupportedVersions) != 5 || d.ResultType != "complete" {
		t.Errorf("%s", got["1"])
	}
	for _, id := range []string{"1", "2"} {
		if json.Unmarshal(got[id].Result, &d) != nil || d.TTLMs == nil || *d.TTLMs <= 0 || d.CacheScope != "private" {
			t.Errorf("%s", got[id])
		}
	}
	if r := got["3"].tool(t); r.Body["n"] != 1.0 {
		t.Errorf("%s", got["3"])
	}
	for id, code := range map[string]int{"4": -32601, "5": -32022, "null": -32600} {
		if m := got[id]; m.Error == nil || m.Error.Code != code {
			t.Errorf("id %s: %s", id, m)
		}
	}
}

// The SDK's own client, at every revision.
func TestClientRoundTrip(t *testing.T) {
	t.Parallel()
	for _, version := range mcp.SupportedProtocolVersions() {
		t.Run(version, func(t *testing.T) {
			t.Parallel()
			inR, inW := io.Pipe()
			outR, outW := io.Pipe()
			done := make(chan error, 1)
			s := newTestServer(t, nil)
			go func() { done <- s.Serve(t.Context(), inR, outW) }()
			client := mcp.NewClient(&mcp.Implementation{Name: "t", Version: "1"}, &mcp.ClientOptions{Capabilities: &mcp.ClientCapabilities{}})
			cs, err := client.Connect(t.Context(), &mcp.IOTransport{Reader: outR, Writer: inW}, &mcp.ClientSessionOptions{ProtocolVersion: version})
			if err != nil {
				t.Fatal(err)
			}
			list, err := cs.ListTools(t.Context(), nil)
			if err != nil || len(list.Tools) != len(fixtureTools()) {
				t.Errorf("%v, %v", list, err)
			}
			res, err := cs.CallTool(t.Context(), &mcp.CallToolParams{Name: "echo", Arguments: map[string]any{"text": "hi"}})
			if err != nil || res.IsError || res.StructuredContent.(map[string]any)["text"] != "hi" {
				t.Errorf("%v, %v", res, err)
			}
			if _, err := cs.CallTool(t.Context(), &mcp.CallToolParams{Name: "no_such"}); err == nil {
				t.Error("an unknown tool was called")
			}
			cs.Close()
			if err := <-done; err != nil {
				t.Error(err)
			}
		})
	}
}

func TestToolsets(t *testing.T) {
	t.Parallel()
	names := func(sets ...string) []string {
		s := newTestServer(t, func(o *Options) { o.Tools, o.Toolsets = realTools(), sets })
		var l struct{ Tools []struct{ Name string } }
		got := byID(oneShot(t, s, initLine(hello)+`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`+"\n"))
		if err := json.Unmarshal(got["1"].Result, &l); err != nil {
			t.Fatal(err)
		}
		var all []string
		for _, tool := range l.Tools {
			all = append(all, tool.Name)
		}
		return all
	}
	if got := names(); !slices.Equal(got, []string{"health", "review"}) {
		t.Errorf("all: %v", got)
	}
	if got := names("runs"); !slices.Equal(got, []string{"health"}) {
		t.Errorf("runs: %v", got)
	}
	for list, want := range map[string]string{"": "[]", "all": "[]", "review, runs": "[review runs]", "runs,all": "[]", "revue": "error"} {
		sets, err := ParseToolsets(list)
		got := strings.Join([]string{"[", strings.Join(sets, " "), "]"}, "")
		if err != nil {
			got = "error"
		}
		if got != want {
			t.Errorf("ParseToolsets(%q) = %s, want %s", list, got, want)
		}
	}
	if _, err := New(Options{Toolsets: []string{"x"}}); err == nil {
		t.Error("an unknown toolset was accepted")
	}
}

// What the conformance program needs: capabilities and features the product does not have, on the same constructor.
func TestAdjust(t *testing.T) {
	t.Parallel()
	s := newTestServer(t, func(o *Options) {
		o.Adjust = func(so *mcp.ServerOptions) {
			so.Capabilities.Prompts = &mcp.PromptCapabilities{}
			//lint:ignore SA1019 the conformance fixtures still need it
			so.Capabilities.Logging = &mcp.LoggingCapabilities{}
		}
	})
	s.SDK().AddPrompt(&mcp.Prompt{Name: "p"}, nil)
	got := byID(oneShot(t, s, initLine(hello)+`{"jsonrpc":"2.0","id":1,"method":"prompts/list"}`+"\n"+
		`{"jsonrpc":"2.0","id":2,"method":"logging/setLevel","params":{"level":"info"}}`+"\n"+
		`{"jsonrpc":"2.0","id":3,"method":"resources/list"}`+"\n"))
	if !strings.Contains(got["1"].raw, `"name":"p"`) || got["2"].Error != nil || got["3"].Error == nil {
		t.Errorf("%v", got)
	}
}

// A panic outside any tool costs one request.
func TestPanicInMiddleware(t *testing.T) {
	t.Parallel()
	s := newTestServer(t, func(o *Options) {
		o.Adjust = func(so *mcp.ServerOptions) {
			so.SetCacheable = func(context.Context, mcp.Request, *mcp.Cacheable) { panic("a bug") }
		}
	})
	got := byID(oneShot(t, s, initLine(hello)+`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`+"\n"+callLine(2, "echo", `{}`)))
	if got["1"].Error == nil || got["1"].Error.Code != -32603 || got["2"].tool(t).IsError {
		t.Errorf("%v", got)
	}
}
