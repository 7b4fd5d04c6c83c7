# Everything a fresh machine needs: `make play` and `make test`. See README.md.

PYTHON ?= python3
PORT ?= 8000
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check

# The oldest numba that pyproject.toml allows.
OLDEST := $(shell sed -n 's/.*"numba>=\([^,]*\),.*/\1/p' pyproject.toml)

.PHONY: setup play test oldest quick soak lint docs browser sandbox database bench clean

setup: $(VENV)/installed

$(VENV)/made: Makefile
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "kibitz needs Python 3.11 or newer; try: make PYTHON=python3.12"; exit 1; }
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV) || \
		{ echo "Python's venv module is missing; on Debian: apt-get install python3-venv"; exit 1; }
	@touch $@

# What it takes to play …
$(VENV)/playable: $(VENV)/made pyproject.toml
	$(PIP) --editable '.[web,logs]'
	@touch $@

# … and to work on it.
$(VENV)/installed: $(VENV)/made pyproject.toml
	$(PIP) --editable '.[dev]'
	@touch $@ $(VENV)/playable

play: $(VENV)/playable
	@$(BIN)/kibitz serve --port $(PORT)

# Three at a time, also on two cores: much of what is tested waits for browsers, servers and other processes.
test: lint browser sandbox database
	$(BIN)/python -m pytest -n 3 --dist worksteal --durations 20
	@$(MAKE) --no-print-directory oldest

# The tests above ran with the newest numba; these are about what kibitz needs of it, with the oldest.
oldest: $(VENV)/numba-$(OLDEST)
	PYTHONPATH=$(CURDIR)/$< $(BIN)/python -m pytest -n 2 --dist worksteal tests/compiler

$(VENV)/numba-$(OLDEST): | $(VENV)/installed
	$(PIP) --target $@ numba==$(OLDEST)

# What takes long is left out, and so is the page: for a look while working.
quick: setup
	$(BIN)/python -m pytest -n 2 --dist worksteal -m "not slow" --ignore tests/web/browser

# What takes too long for every run: kill -9 by the dozen, nonsense for the server by the ten thousand, every fault of a bot twenty
# times, clusters that lose nodes, bit flips by the hundred, games of Hexplode by the thousand, legs of Camel Up by the million, every game as environment and
# in OpenSpiel, and the long commands in the docs.
soak: setup
	$(BIN)/python benchmarks/kill_and_resume.py
	$(BIN)/python benchmarks/faults.py
	$(BIN)/python benchmarks/kill_server.py --kills 50
	$(BIN)/python benchmarks/kill_server.py --kills 50 --postgresql
	$(BIN)/python benchmarks/kill_server.py --kills 50 --postgresql --servers 2
	$(BIN)/python benchmarks/fuzz_server.py --minutes 10
	$(BIN)/python benchmarks/ray_engine.py --kills 6
	$(BIN)/python benchmarks/camelup.py legs --rules second --games 10000000
	NUMBA_OPT=3 KIBITZ_SOAK=1 $(BIN)/python -m pytest tests/adapters tests/cluster tests/compiler/test_numba_interfaces.py tests/docs tests/records tests/games/test_hexplode_damage.py \
		tests/web/test_openapi.py tests/web/test_fuzz.py tests/web/test_turmoil.py tests/web/browser/test_browser_link.py tests/web/browser/test_browser_games.py \
		tests/web/browser/test_browser_drawing_moves.py

lint: setup
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy

# The documentation as a web site, in build/site; it needs no network to be read or searched.
docs: setup
	$(BIN)/python docs/make_site.py

# The page is tested in real browsers.
browser:
	@command -v chromium > /dev/null && command -v firefox-esr > /dev/null || \
		{ test "$$(id -u)" = 0 && command -v apt-get > /dev/null && \
		echo "Installing Chromium and Firefox for the tests of the web page …" && \
		apt-get update -qq && apt-get install -qq --yes chromium firefox-esr > /dev/null; } || \
		{ echo "The tests of the web page need browsers; on Debian: sudo apt-get install chromium firefox-esr"; exit 1; }

# Bots that are not trusted are tested in every kind of sandbox that the machine gives.
sandbox:
	@command -v bwrap > /dev/null || \
		{ test "$$(id -u)" = 0 && command -v apt-get > /dev/null && \
		echo "Installing bubblewrap for the tests of sandboxes …" && \
		apt-get update -qq && apt-get install -qq --yes bubblewrap libseccomp2 > /dev/null; } || \
		echo "The sandbox bwrap is not tested here; on Debian: sudo apt-get install bubblewrap"

# Tables are kept in SQLite, which comes with Python, or in PostgreSQL. The tests start a server of their own.
database:
	@test -n "$(wildcard /usr/lib/postgresql/*/bin/initdb)" || \
		{ test "$$(id -u)" = 0 && command -v apt-get > /dev/null && \
		echo "Installing PostgreSQL for the tests of the web server …" && \
		apt-get update -qq && apt-get install -qq --yes postgresql > /dev/null; } || \
		echo "Tables in PostgreSQL are not tested here; on Debian: sudo apt-get install postgresql"

bench: setup
	$(PIP) --editable '.[bench]'
	$(BIN)/kibitz bench

clean:
	rm -rf $(VENV)
