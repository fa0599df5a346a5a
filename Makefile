# quota-constructs: `make demo` shows it, `make test` proves it, `make check` runs what CI runs. `make help` lists the rest.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
TOOLS  := .tools
READY  := $(VENV)/.ready
CDK    := $(TOOLS)/node_modules/.bin/cdk
RUN    := PATH="$(CURDIR)/$(TOOLS)/bin:$(CURDIR)/$(BIN):$$PATH"
PYTEST := $(RUN) $(BIN)/pytest

SOURCES := quota_constructs lambda sample_app examples tests benchmarks tools

.DEFAULT_GOAL := help
.PHONY: help setup demo test test-e2e test-clients test-browser test-wheel test-nightly test-pythons lint types contracts check bench format docs instance-types clean

help:  ## list the targets
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / {printf "  make %-13s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

setup: $(READY) $(CDK)  ## virtual environment, packages, Node and the cdk command line, below this folder only

$(READY): pyproject.toml constraints.txt tools/setup
	@PYTHON="$(PYTHON)" tools/setup python $(VENV)
	@touch $@

$(CDK): $(READY) package.json
	@tools/setup cdk $(VENV) $(TOOLS)
	@touch $@

demo: setup  ## the main job on a local cloud: declare, deploy, change, be warned
	@$(RUN) $(BIN)/python -m sample_app.demo

test: setup  ## the tests, deployments with the real cdk command line among them
	$(PYTEST) -n 2 --dist loadgroup -m "not e2e and not clients and not browser and not wheel and not nightly"

test-e2e: setup  ## the longer deployments
	$(PYTEST) -n 2 --dist loadgroup -m e2e

test-clients: setup  ## the unmodified SageMaker Python SDK against the local Batch (its own environment, about 1 GB)
	tools/setup clients .venv-clients
	$(PYTEST) -m clients

test-browser: setup  ## the HTML report in headless Chromium
	$(PYTEST) -m browser

test-wheel: setup  ## the built wheel in a clean environment, outside the checkout
	$(PYTEST) -m wheel

test-pythons:  ## constructs, rules and model on every further Python found on PATH or with pyenv
	tools/test-pythons

test-nightly: setup  ## the long sweeps: brute force over subsets, faults at every call
	$(PYTEST) -m nightly

lint: $(READY)  ## ruff: format and rules
	$(BIN)/ruff format --check $(SOURCES)
	$(BIN)/ruff check $(SOURCES)

format: $(READY)  ## put the format right
	$(BIN)/ruff check --fix-only --exit-zero $(SOURCES)
	$(BIN)/ruff format $(SOURCES)

types: $(READY)  ## mypy, strict
	$(BIN)/mypy

contracts: $(READY)  ## imports point downward only
	$(BIN)/lint-imports

check: lint types contracts test test-wheel test-e2e test-clients test-browser test-pythons  ## all that CI runs

bench: setup  ## the benchmarks, as ratios measured in one run
	@for bench in benchmarks/bench_*.py; do echo "== $$bench"; $(RUN) $(BIN)/python $$bench || exit 1; done

docs: $(READY)  ## docs/rules.md from the registry of rules
	$(BIN)/python tools/rules_page.py > docs/rules.md

instance-types: $(READY)  ## the table of instance types from the installed botocore
	$(BIN)/python tools/generate_instance_types.py

clean:  ## everything that setup, tests and demo have made
	rm -rf $(VENV) .venv-clients .venv-pythons $(TOOLS) .local dist cdk.out .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache
