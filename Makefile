# Two commands are all that a newcomer needs: `go run ./cmd/gavel review …` and `go run ./test/all`.
GO ?= go
EVAL ?=
PEER ?=

.PHONY: build test bench docs eval fuzz

build:
	CGO_ENABLED=0 $(GO) build -trimpath -ldflags "-s -w" -o gavel ./cmd/gavel

test:
	$(GO) run ./test/all

docs:
	$(GO) run ./docs/generate

bench:
	$(GO) run ./test/bench
	$(GO) test -run '^$$' -bench . -benchmem ./...

# What the detectors find and get wrong on labelled data: make eval EVAL=FOLDER [PEER=FINDINGS.jsonl]
eval:
	$(GO) run ./test/eval -eval "$(EVAL)" -peer "$(PEER)"
