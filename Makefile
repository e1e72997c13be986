# Readahead Lab: everything that is done with the source, by one word each.
#
#   make run     build and serve on http://127.0.0.1:8080, data in ./data
#   make test    every check: formats, lints, types, unit tests, browser tests
#   make bench   how fast the engine and the trace reader are on this machine
#   make fmt     put the formats right
#   make clean   remove what was built

SHELL := /bin/sh
.DEFAULT_GOAL := run
.PHONY: run test bench fmt clean assets tools chromium lint unit browser

LISTEN ?= 127.0.0.1:8080
DATA ?= data
SUDO := $(shell [ "$$(id -u)" = 0 ] || echo sudo)
APT := $(SUDO) env DEBIAN_FRONTEND=noninteractive apt-get -o Acquire::Retries=3 -q
NEXTEST := $(shell command -v cargo-nextest 2>/dev/null)

run: assets
	# Two arenas of the C library are enough for its threads; more keep memory that was freed.
	MALLOC_ARENA_MAX=2 cargo run --release --locked --bin readahead-lab -- serve --listen $(LISTEN) --data $(DATA)

test: lint unit browser
	@echo "make test: all checks passed"

lint: tools web/node_modules/.package-lock.json
	cargo fmt --all -- --check
	cd web && npm run --silent check
	cargo clippy --locked --workspace --all-targets -- -D warnings

unit: tools web/node_modules/.package-lock.json
	cd web && npm run --silent test
ifeq ($(NEXTEST),)
	cargo test --locked --workspace
else
	cargo nextest run --locked --workspace --no-fail-fast
	cargo test --locked --workspace --doc
endif

# The browser drives the binary of the same profile as the tests, so nothing is built twice.
browser: assets chromium
	cargo build --locked --bin readahead-lab
	cd web && npm run --silent test:browser

bench: tools
	cargo bench --locked -p readahead-lab

fmt: web/node_modules/.package-lock.json
	cargo fmt --all
	cd web && npm run --silent fmt

clean:
	cargo clean
	rm -rf web/node_modules web/build web/test-output static/assets

assets: tools web/node_modules/.package-lock.json
	cd web && npm run --silent build

# npm writes this file last, so it stands for a complete installation of exactly the lock file.
web/node_modules/.package-lock.json: web/package.json web/package-lock.json
	cd web && npm ci --no-audit --no-fund
	@touch $@

# The C compiler builds SQLite and zstd.
tools:
	@command -v cargo >/dev/null || { echo "Rust is missing: https://rustup.rs" >&2; exit 2; }
	@command -v node >/dev/null || { echo "Node 20 or later is missing: https://nodejs.org" >&2; exit 2; }
	@command -v npm >/dev/null || { echo "npm is missing; it comes with Node from https://nodejs.org, or as Debian's package npm" >&2; exit 2; }
	@cargo fmt --version >/dev/null 2>&1 && cargo clippy --version >/dev/null 2>&1 || \
		{ echo "rustfmt or clippy is missing: rustup component add rustfmt clippy" >&2; exit 2; }
	@command -v cc >/dev/null || { $(APT) update && $(APT) install -y --no-install-recommends build-essential; }

chromium:
	@command -v chromium >/dev/null || { $(APT) update && $(APT) install -y --no-install-recommends chromium fonts-dejavu-core; }
