# Two commands do everything on a machine with python3 and make: `make demo` and `make test`.
PYTHON ?= python3
ENV := .venv
BIN := $(ENV)/bin
READY := $(ENV)/.ready

.PHONY: env demo browser test lint bench slow fuzz faults coverage clean

env: $(READY)

$(READY): pyproject.toml
	$(PYTHON) -m venv $(ENV)
	$(BIN)/python -m pip install --quiet --editable ".[dev]"
	touch $(READY)

demo: env
	$(BIN)/tlpo demo --out out

browser:
	scripts/install-browser

test: demo browser
	$(BIN)/python -m pytest -n auto --maxprocesses 4

lint: env
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/codespell src tests docs benchmarks *.md

slow: env
	$(BIN)/python -m pytest -m slow

fuzz: env
	$(BIN)/python -m pytest tests --hypothesis-profile=new

faults: env
	$(BIN)/python tests/faults.py --kills 100 --damages 500 --workers 10

coverage: env
	$(BIN)/python -m tlpo.experiments.coverage --csv docs/coverage.csv --write docs/inference.md

bench: env
	$(BIN)/python benchmarks/dispatch.py
	$(BIN)/python benchmarks/engines.py
	$(BIN)/python benchmarks/inference.py
	$(BIN)/python benchmarks/execution.py

clean:
	rm -rf $(ENV) out
