package mcpserver

import (
	"context"
	"runtime/debug"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// guard refuses the methods of features that were not declared, which the SDK would answer with empty lists, and turns
// a panic on the way into a JSON-RPC error, so that one bad request does not end the session.
func (s *Server) guard(refused map[string]bool) mcp.Middleware {
	return func(next mcp.MethodHandler) mcp.MethodHandler {
		return func(ctx context.Context, method string, req mcp.Request) (res mcp.Result, err error) {
			defer func() {
				if p := recover(); p != nil {
					s.log.Error("panic", "method", method, "panic", p, "stack", string(debug.Stack()))
					res, err = nil, &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: "internal error in " + method}
				}
			}()
			if refused[method] {
				return nil, &jsonrpc.Error{Code: jsonrpc.CodeMethodNotFound, Message: method + " is not offered by this server"}
			}
			return next(ctx, method, req)
		}
	}
}

// undeclared lists the methods that belong to capabilities the server does not have.
func undeclared(o *mcp.ServerOptions) map[string]bool {
	caps := o.Capabilities
	refused := map[string]bool{}
	refuse := func(have bool, methods ...string) {
		for _, m := range methods {
			refused[m] = !have
		}
	}
	//lint:ignore SA1019 clients of older revisions may still ask for it, and have to be refused
	refuse(caps != nil && caps.Logging != nil, "logging/setLevel")
	refuse(caps != nil && caps.Prompts != nil, "prompts/list", "prompts/get")
	refuse(caps != nil && caps.Resources != nil, "resources/list", "resources/templates/list", "resources/read",
		"resources/subscribe", "resources/unsubscribe")
	refuse(o.CompletionHandler != nil, "completion/complete")
	return refused
}
