.PHONY: help install test lint types docs bench
.DEFAULT_GOAL := help

install: ## install the package with everything that development needs
	python -m pip install -e ".[dev]"

test: ## run tests and doctests, with coverage
	python -m pytest --cov

lint: ## check style and formatting
	ruff check .
	ruff format --check .

types: ## check types, strictly, in package and tests
	mypy

docs: ## make the generated parts of the documentation anew
	python docs/generate.py

bench: ## run the benchmarks; they print ratios
	for program in benchmarks/*.py; do python $$program || exit 1; done

help: ## show the targets
	@grep -E '^[a-z]+:.*##' Makefile | sed 's/:.*## /\t/'
