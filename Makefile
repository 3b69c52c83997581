# Every target does its own set-up: a virtual environment in .venv with locked dependencies.
# `make` alone lists the targets, those for users first.

SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:

VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
DEMO_OUT ?= .demo
TRANSFERS ?= 300
SEEDS ?= 100
HOURS ?= 24
# One more than processors: tests that start programs wait for them.
WORKERS ?= $(shell echo $$(($$(getconf _NPROCESSORS_ONLN) + 1)))
PYTEST = $(BIN)/python -m pytest -n $(WORKERS) --dist worksteal
CASES ?= 100000
PROTOCOL ?= channel
IN_USE := "from pyibc.core import native; from iavl import engine; print(native.WHY, engine.WHY, sep='; tree: '); \
	raise SystemExit(native.NATIVE is None or engine.CHOSEN is engine.PYTHON)"
NATIVE_TESTS := $(addprefix tests/,unit/light_client unit/pyibc/core/proofs unit/pyibc/core/crypto unit/pyibc/core/test_native.py \
	unit/conformance/native unit/iavl vectors road/test_security_clients.py road/test_security_proofs.py) \
	$(wildcard tests/properties/test_iavl_*.py)
# The test modules that `make missing` runs: to collect all the others takes longer than to run these.
REGISTRY = $(shell grep -rlE --include='test_*.py' 'mark\.registry' tests)
export PIP_DISABLE_PIP_VERSION_CHECK := 1
# Python and pytest keep what they compiled: collecting the tests takes a third of the time then.
export PYTHONDONTWRITEBYTECODE :=

# What somebody who uses a clone needs, in the order in which they need it.
USERS := demo test doctor setup wheel native cometbft docs

.PHONY: help setup java demo check test test-all missing conformance fuzz simulate relayer-soak mutants spark-range cluster interop \
	interop-go oracle cometbft live cosmpy cosmjs bench proto lock wheel docs release audit native native-test doctor clean

help: ## this list
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' $(MAKEFILE_LIST) | sort | awk -F'\t' -v users="$(USERS)" ' \
		{ text[$$1] = $$2; if (index(" " users " ", " " $$1 " ") == 0) others[++count] = $$1 } \
		function line(name) { printf "  make %-12s %s\n", name, text[name] } \
		END { n = split(users, first, " "); for (i = 1; i <= n; i++) line(first[i]); \
			print "\nfor contributors:"; for (i = 1; i <= count; i++) line(others[i]) }'

$(READY): tools/requirements/dev.lock pyproject.toml conformance/pyproject.toml tools/python.sh
	@test ! -L $(VENV) || { echo "$(VENV) is a link: it is set up where it leads to, not here" >&2; exit 1; }
	@echo "setting up $(VENV) (once)"
	@"$$(tools/python.sh)" -m venv --clear $(VENV)
	@$(BIN)/python -m pip install --quiet --require-hashes -r tools/requirements/dev.lock
	@$(BIN)/python -m pip install --quiet --no-deps --no-build-isolation --no-index --editable . --editable conformance
	@touch $@

setup: $(READY) ## .venv with the locked dependencies

java: ## Java 17+ for Spark: found, or installed by the system's package manager
	@tools/java.sh

demo: $(READY) java ## two chains, real packets, Spark, a report: the main job (PROTOCOL=queue: the early protocol)
	@$(BIN)/pyibc demo --protocol $(PROTOCOL) --out $(DEMO_OUT) --transfers $(TRANSFERS)

check: $(READY) ## rules about the source: ruff, mypy, import-linter, lint_tree (20 s; 90 s the first time)
	@echo "make check: 20 seconds, 90 the first time"
	@$(BIN)/ruff check --quiet .
	@$(BIN)/ruff format --check --quiet .
	@said=$$($(BIN)/lint-imports) || { echo "$$said" >&2; exit 1; }
	@$(BIN)/python -m tools.lint_tree
	@$(BIN)/mypy

test: check java ## make check, then every kind of behaviour; sweeps as a sample (7 minutes on two cores)
	@echo "make test: 7 minutes on two cores"
	@$(PYTEST) -m "not interop and not exhaustive" --ignore=tests/interop tests

test-all: check java ## everything: whole sweeps, every guard removed, 200 networks, all PySparks (nightly: hours)
	@echo "make test-all: some hours on two cores"
	@EXHAUSTIVE=1 $(PYTEST) -m "not interop" --ignore=tests/interop tests
	@$(MAKE) mutants
	@$(MAKE) simulate SEEDS=200
	@$(MAKE) spark-range

missing: $(READY) ## what a new message, query, light client or application still lacks (half a minute)
	@said=0; $(BIN)/python -m tools.lint_tree || said=1; \
	$(BIN)/python -m pytest -q --tb=short -m registry $(REGISTRY) || said=1; exit $$said

conformance: $(READY) ## run the conformance vectors in the folder DIR, by families; ends with `N passed, M failed`
	@$(BIN)/pyibc conformance "$(or $(DIR),$(error say which: make conformance DIR=folder))"

fuzz: $(READY) ## hostile input of every kind: what it costs, in time and memory
	@$(BIN)/python -m conformance.fuzz

simulate: $(READY) ## SEEDS networks under faults, each from a seed; of a committed tree it goes on where it was stopped
	@mkdir -p .cache
	@$(BIN)/python -m conformance.simulation --seeds $(SEEDS) \
		$(if $(shell git status --porcelain),,--done .cache/simulated-$(shell git rev-parse --short HEAD))

relayer-soak: $(READY) ## HOURS simulated hours, or LIVE seconds, of the relayer's daemon: five chains, six paths, all of them bad in turn
	@$(BIN)/python -m conformance.soak $(if $(LIVE),--live $(LIVE),--hours $(HOURS))

mutants: $(READY) ## remove each guard: its tests must go red (NAMES=prefixes, CHANGED=commit, ROWS=rows of docs/spec-coverage.md)
	@$(BIN)/python -m tools.mutants $(NAMES) $(if $(ROWS),--rows $(ROWS)) $(if $(CHANGED),--changed $(CHANGED))

spark-range: $(READY) java ## the Spark tests on every minor of PySpark that pyproject.toml admits (VERSIONS=4.0.5,...)
	@$(BIN)/python tools/spark_range.py $(if $(VERSIONS),--versions $(VERSIONS))

cluster: $(READY) java ## the documented command on a standalone cluster
	@$(BIN)/python -m pytest -q tests/spark/test_cluster.py

interop: $(READY) ## the tests that run foreign binaries; each says what it lacks
	@$(BIN)/python -m pytest -m interop tests/interop

cometbft: ## CometBFT with our patch into .cache/bin, for `make interop` (needs Go; STOCK=1: as released)
	@tools/cometbft.sh

live: ## simd (ibc-go), Hermes and CometBFT into .cache/live/bin, for `make interop` (needs Go and Rust)
	@tools/live.sh

cosmpy: $(READY) ## cosmpy into .cache/cosmpy, for `make interop`: its protobuf is older than ours
	@$(BIN)/python -m venv .cache/cosmpy
	@.cache/cosmpy/bin/python -m pip install --quiet cosmpy==0.12.2

cosmjs: ## CosmJS into .cache/cosmjs, for `make interop` (needs Node.js)
	@mkdir -p .cache/cosmjs && echo '{"private":true}' > .cache/cosmjs/package.json
	@cd .cache/cosmjs && npm install --no-audit --no-fund --silent @cosmjs/stargate@0.39.0 @cosmjs/proto-signing@0.39.0

bench: $(READY) java ## benchmarks, each beside a peer or a baseline of the same run
	@$(BIN)/python benchmarks/run.py

interop-go: $(READY) ## ibc-go judges SEEDS random walks of our chains (needs Go)
	@$(BIN)/python tools/interop_go.py --seeds $(SEEDS)

oracle: $(READY) ## CASES generated cases a kind, answered by us and by ibc-go, ics23 and CometBFT (needs Go)
	@$(BIN)/python tools/oracle.py --cases $(CASES)

proto: $(READY) ## compile proto/ again
	@$(BIN)/python tools/protos.py

LOCK = uv pip compile --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-header --no-annotate
lock: ## renew the locks in tools/requirements/ (needs uv)
	$(LOCK) --extra dev --no-emit-package pyibc pyproject.toml -o tools/requirements/dev.lock
	$(LOCK) tools/requirements/release.in -o tools/requirements/release.lock
	$(LOCK) tools/requirements/docs.in -o tools/requirements/docs.lock

wheel: $(READY) ## build the wheel into dist/
	@$(BIN)/python -m pip wheel --quiet --no-deps --no-build-isolation --wheel-dir dist .

.cache/docs/.ready: tools/requirements/docs.lock
	@"$$(tools/python.sh)" -m venv --clear .cache/docs
	@.cache/docs/bin/python -m pip install --quiet --require-hashes -r tools/requirements/docs.lock
	@touch $@

docs: .cache/docs/.ready ## the documentation site into .site, with strict links (SERVE=1: on 127.0.0.1:8000)
	@NO_MKDOCS_2_WARNING=1 .cache/docs/bin/mkdocs $(if $(SERVE),serve,build) --config-file tools/site/mkdocs.yml

.cache/release/.ready: tools/requirements/release.lock
	@"$$(tools/python.sh)" -m venv --clear .cache/release
	@.cache/release/bin/python -m pip install --quiet --require-hashes -r tools/requirements/release.lock
	@touch $@

release: .cache/release/.ready ## a release in dist/: built twice, checked, SBOM, checksums, each extra tried (PYTHONS=3.12,... EXTRAS=...)
	@.cache/release/bin/python -m tools.release --into dist $(if $(PYTHONS),--pythons $(PYTHONS)) $(if $(EXTRAS),--extras $(EXTRAS)) \
		$(if $(TAG),--tag $(TAG))

audit: .cache/release/.ready ## known vulnerabilities of what the locks name (pip-audit)
	@for lock in tools/requirements/*.lock; do \
		.cache/release/bin/pip-audit --require-hashes --strict --disable-pip --progress-spinner off -r $$lock; done

native: $(READY) ## the optional native part into .venv: faster verification and tree, the same verdicts and hashes (needs Rust)
	@$(BIN)/python -m pip install --quiet --no-deps --force-reinstall ./native
	@$(BIN)/python -c $(IN_USE)

native-test: $(READY) ## the native part, built aside: short tests of what it touches, spoilt input (needs Rust; 4 minutes)
	@$(BIN)/python -m pip install --quiet --no-deps --upgrade --target .cache/native ./native
	@PYTHONPATH=.cache/native $(BIN)/python -c $(IN_USE)
	@PYTHONPATH=.cache/native $(BIN)/python -m conformance.native --cases 1000
	@PYTHONPATH=.cache/native $(PYTEST) -m "not exhaustive" $(NATIVE_TESTS)

doctor: $(READY) ## what is missing on this machine, and how to fix it
	@$(BIN)/pyibc doctor

clean: ## remove what the targets made
	rm -rf $(VENV) .demo .cache dist build .site .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
