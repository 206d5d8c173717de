# Weir's tasks. `make` lists them.

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help

# Modules of their own beside the library and the service.
MODULES := . benchmarks
# How long `make fuzz` fuzzes each target.
FUZZTIME ?= 1m
# How often `make bench` repeats.
COUNT ?= 6

.PHONY: help
help: ## list the tasks
	@grep -hE '^[a-z]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 12

.PHONY: run
run: ## run the service on 127.0.0.1:8080
	go run ./cmd/weir serve

.PHONY: test
test: ## run every test, with the race detector
	@tools/need 'echo "#include <stdlib.h>" | gcc -E -' gcc libc6-dev # the race detector is linked by a C compiler
	for module in $(MODULES); do CGO_ENABLED=1 go -C $$module test -race ./...; done
	go test ./memory # memory and allocations, which the race detector distorts

.PHONY: lint
lint: bin/golangci-lint ## check formatting, the walls and the linters
	for module in $(MODULES); do (cd $$module && $(CURDIR)/bin/golangci-lint run --config $(CURDIR)/.golangci.yml ./...); done
	for module in $(MODULES); do go -C $$module mod tidy -diff; done

.PHONY: bench
bench: ## run the benchmarks, peers beside Weir (COUNT=6 repeats)
	@mkdir -p bin
	go -C benchmarks test -run '^$$' -bench . -count $(COUNT) ./... | tee bin/bench.txt
	go -C tools tool benchstat -col /impl $(CURDIR)/bin/bench.txt

.PHONY: fuzz
fuzz: ## fuzz the arithmetic and the parsers (FUZZTIME=1m each)
	for package in $$(go list ./...); do \
		list=$$(go test -list '^Fuzz' $$package); \
		for target in $$(grep '^Fuzz' <<<"$$list" || true); do \
			echo "$$package $$target"; \
			go test -run '^$$' -fuzz "^$$target\$$" -fuzztime $(FUZZTIME) $$package; \
		done; \
	done

.PHONY: clean
clean: ## remove what make has built
	rm -rf bin

# Tools are built as tools/go.mod pins them.
bin/golangci-lint: tools/go.mod
	go -C tools build -o $(CURDIR)/bin/ github.com/golangci/golangci-lint/v2/cmd/golangci-lint
