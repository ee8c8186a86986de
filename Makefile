# Everything runs in .venv, which the first target makes: plain Python and pip are all that is needed.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
INSTALLED := $(VENV)/.installed

.PHONY: demo test lint types format clean

demo: $(INSTALLED)  ## Scan vLLM 0.25.0, from the package registry, and print the import that fails
	$(BIN)/python -m tests.support.demo

test: $(INSTALLED)  ## Run all tests
	$(BIN)/python -m pytest

lint: $(INSTALLED)  ## Check style, that each room imports only rooms before it, and that no cycle of our own fails
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports
	$(BIN)/importcycle scan importcycle

types: $(INSTALLED)  ## Check types
	$(BIN)/mypy

format: $(INSTALLED)  ## Put the sources into their style
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

clean:  ## Remove the virtual environment and all caches
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache .grimp_cache .fuzz-lowering

$(INSTALLED): pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[test]'
	touch $@

.PHONY: corpus
corpus: $(INSTALLED)  ## Measure on released packages, from the package registry (ONLY=mypy,django for some of them)
	$(BIN)/python -m tests.corpus --only "$(ONLY)" $(CORPUS_OPTIONS)

N ?= 20000
SEED ?= 1
.PHONY: fuzz
fuzz: $(INSTALLED)  ## Hold N generated packages against CPython (SEED=1; FUZZ_OPTIONS="--save kept" keeps what disagrees)
	$(BIN)/python -m tests.fuzz --packages $(N) --seed $(SEED) $(FUZZ_OPTIONS)

N_INPUTS = $(if $(filter command line,$(origin N)),$(N),50000)
.PHONY: fuzz-input
fuzz-input: $(INSTALLED)  ## Send N mutated sources through the whole scan (SEED=1; FUZZ_OPTIONS="--save kept" keeps what fails)
	$(BIN)/python -m tests.fuzz_input --inputs $(N_INPUTS) --seed $(SEED) $(FUZZ_OPTIONS)

SECONDS_OF_FUZZING ?= 600
.PHONY: fuzz-lowering
fuzz-lowering: $(INSTALLED)  ## Coverage-guided fuzzing of all that reads source text, by atheris, which is installed for it
	$(BIN)/python -m pip install --quiet --disable-pip-version-check atheris
	mkdir -p .fuzz-lowering
	$(BIN)/python -m tests.fuzz_input.lowering .fuzz-lowering fixtures/semantics -max_total_time=$(SECONDS_OF_FUZZING) -max_len=4096

.PHONY: bench
bench: $(INSTALLED)  ## Measure time and memory, against other tools too, into docs/benchmarks.md (BENCH_OPTIONS=--help)
	$(BIN)/python -m benchmarks $(BENCH_OPTIONS)
