# Everything a fresh machine needs: `make play` and `make test`. See README.md.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

.PHONY: setup play test lint bench clean

setup: $(VENV)/installed

$(VENV)/installed: pyproject.toml Makefile
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "kibitz needs Python 3.11 or newer; try: make PYTHON=python3.12"; exit 1; }
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV) || \
		{ echo "Python's venv module is missing; on Debian: apt-get install python3-venv"; exit 1; }
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	@touch $@

play: setup
	@$(BIN)/kibitz play connect_four

test: lint
	$(BIN)/python -m pytest -n 2

lint: setup
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy

bench: setup
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[bench]'
	$(BIN)/kibitz bench

clean:
	rm -rf $(VENV)
