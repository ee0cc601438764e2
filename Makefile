# Everything runs from here: a virtual environment in .venv, nothing else is touched.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
TRIALS ?= 3
ROUNDS ?= 10
OUT ?=
MINUTES ?=
DEMO_OUT ?= highwater-runs/demo-$(shell date +%Y%m%d-%H%M%S)

APPLICATIONS := tests/cluster/test_applications.py tests/cluster/test_applications_database.py \
	tests/cluster/test_applications_streams.py
KIP101 := -s kip101-loss-strict -s kip101-loss-no-crash -s kip101-divergence

.PHONY: help setup develop docs pictures applications adapters dependencies dist lock demo test test-all test-beside test-brokers steady check bench bench-checkers bench-explore matrix releases bisect clients results clean

help: ## this list
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*##/\t/' | expand -t 12

setup: $(VENV)/ready ## the virtual environment with what running needs

develop: $(VENV)/ready-to-develop ## the same with what testing needs

# Versions are pinned, so what uv has cached is as good as what an index would send again.
INSTALL = VIRTUAL_ENV=$(VENV) $(BIN)/uv pip install --quiet

$(VENV)/ready: requirements.lock pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or newer is needed")'
	test -x $(BIN)/uv || { $(PYTHON) -m venv --without-pip $(VENV) && \
		$(PYTHON) -m pip --python $(BIN)/python install --quiet --disable-pip-version-check uv; } || \
		{ $(PYTHON) -m venv --clear $(VENV) && $(BIN)/python -m pip install --quiet uv; }
	$(INSTALL) --offline -r requirements.lock 2>/dev/null || $(INSTALL) -r requirements.lock
	$(INSTALL) --no-deps --editable .
	@touch $@

$(VENV)/ready-to-develop: $(VENV)/ready requirements-dev.lock
	$(INSTALL) --offline -r requirements-dev.lock 2>/dev/null || $(INSTALL) -r requirements-dev.lock
# Hundreds of processes are started by the tests; some machines forbid them to keep what they compile.
	$(BIN)/python -m compileall -q -j 0 $(VENV)/lib || true
	@touch $@

$(VENV)/ready-for-docs: $(VENV)/ready-to-develop requirements-docs.lock
	$(INSTALL) --offline -r requirements-docs.lock 2>/dev/null || $(INSTALL) -r requirements-docs.lock
	@touch $@

docs: $(VENV)/ready-for-docs ## the documentation as a site, in site/; a link that leads nowhere fails
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict

pictures: develop ## what the report looks like, light, dark, on a phone and printed, in pictures/
	HIGHWATER_REQUIRE=chromium $(BIN)/pytest tests/browser/test_pictures.py --pictures=pictures

applications: develop ## applications of the user's, one with PostgreSQL, which may not be missing
	HIGHWATER_REQUIRE=postgresql $(BIN)/pytest $(APPLICATIONS) --run-on-demand

adapters: develop ## adapters of other libraries, held against the protocol; none may be missing
	HIGHWATER_REQUIRE=adapters $(BIN)/pytest tests/cluster/test_foreign_clients.py -k rule_of_the_protocol --run-on-demand

# The lowest of each range in pyproject.toml, or the newest there is, on a Python of one's choice.
RESOLUTION ?= lowest-direct
WITH ?= 3.11
OTHER = .venv-$(WITH)-$(RESOLUTION)
INTO_OTHER = VIRTUAL_ENV=$(OTHER) $(BIN)/uv pip install --quiet
dependencies: setup ## unit tests with other dependencies: RESOLUTION=lowest-direct or highest, WITH=3.11
	$(BIN)/uv venv --quiet --clear --python $(WITH) $(OTHER)
	$(INTO_OTHER) --resolution $(RESOLUTION) --group pyproject.toml:unit .
	$(OTHER)/bin/python -m pytest tests/unit

dist: develop ## a source distribution and a wheel in dist/, checked
	rm -rf dist
	$(BIN)/python -m build --no-isolation
	$(BIN)/twine check --strict dist/*

lock: develop ## resolve the dependencies anew
	$(BIN)/uv pip compile --quiet --upgrade --python-version 3.11 --no-header \
		--no-emit-index-url --output-file requirements.lock pyproject.toml
	$(BIN)/uv pip compile --quiet --upgrade --python-version 3.11 --no-header \
		--no-emit-index-url --group dev --constraint requirements.lock \
		--output-file requirements-dev.lock pyproject.toml
	$(BIN)/uv pip compile --quiet --upgrade --python-version 3.11 --no-header \
		--no-emit-index-url --group docs --constraint requirements-dev.lock \
		--output-file requirements-docs.lock

demo: setup ## Kafka 0.10.2.2 loses what it acknowledged, 0.11.0.3 keeps it, and why
	$(BIN)/highwater compare $(KIP101) -k 0.10.2.2 -k 0.11.0.3 --control ibp=0.11.0-IV1 -n 2 \
		--out $(DEMO_OUT)

check: $(VENV)/ready-for-docs ## format, lint, types, layers
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/mypy tests
	$(BIN)/lint-imports

# Of the long tests `make test` plays a slice, another one at each commit: make test SLICE=3/86.
SLICE ?= commit
TEST = $(BIN)/pytest --kafka 0.11.0.3 --kafka 4.1.1 --durations 12 --slice $(SLICE)

test: check ## every quick test that this machine can run, and a slice of the long ones
	@$(MAKE) --no-print-directory --jobs=2 --keep-going test-beside test-brokers

test-all: ## the long ones as well
	@$(MAKE) --no-print-directory test SLICE=1/1

# Tests without a Kafka leave processors to those with one, which wait most of the time; what they
# say is shown when they have ended.
test-beside:
	@said=$$(mktemp); $(call twice,nice $(TEST),beside,tests/unit tests/tidy tests/model tests/checkers tests/browser) \
		>$$said 2>&1; ended=$$?; echo; cat $$said; rm $$said; exit $$ended

test-brokers:
	@$(call twice,$(TEST),brokers,tests/cluster tests/docker tests/bench tests/faults)

# What has failed is played once more and alone, and told as FLAKY where it passes then.
define twice
$(BIN)/python -m tests.twice $(1) -o cache_dir=.pytest_cache/$(2) $(3)
endef

steady: develop ## the fast ladder ten times beside two busy loops; ROUNDS=2 plays it twice
	$(BIN)/python -m tests.steadiness $(ROUNDS)

bench: develop ## start-up, throughput, memory, time per trial; rewrites docs/results.md
	$(BIN)/python -m tests.bench > docs/results/bench.json.partial
	mv docs/results/bench.json.partial docs/results/bench.json
	$(BIN)/python -m tests.results page

bench-checkers: develop ## histories of 1, 10 and 22 million records: ours, DuckDB and pandas side by side
	$(BIN)/python -m tests.bench.judging > docs/results/checkers.json.partial
	mv docs/results/checkers.json.partial docs/results/checkers.json
	$(BIN)/python -m tests.results page

bench-explore: develop ## how soon each strategy of a search finds what is known; in parts: OUT=directory MINUTES=10
	$(BIN)/python -m tests.bench.searching $(if $(OUT),--out $(OUT)) $(if $(MINUTES),--minutes $(MINUTES)) $(KAFKAS)

matrix: develop ## the ladder; rewrites docs/results.md. In parts: OUT=directory MINUTES=60
	$(BIN)/python -m tests.results matrix $(TRIALS) $(or $(OUT),highwater-runs/matrix) $(MINUTES)

results: develop ## 20 trials of the KIP-101 scenarios, quiet and under load; rewrites docs/results.md
	$(BIN)/python -m tests.results headline

releases: develop ## hw-two-fetches on every release; rewrites docs/results.md. Resumable: make releases OUT=directory
	$(BIN)/python -m tests.results releases 1 $(OUT)

bisect: develop ## the release where each scenario flips; rewrites docs/results.md. In parts: OUT=directory MINUTES=10
	$(BIN)/python -m tests.results bisect $(TRIALS) $(or $(OUT),highwater-runs/bisect) $(MINUTES)

clients: develop ## the same faults with every client; rewrites docs/results.md. In parts: OUT=directory MINUTES=9
	$(BIN)/python -m tests.results clients $(TRIALS) $(or $(OUT),highwater-runs/clients) $(MINUTES)

clean: ## what runs left behind
	$(BIN)/highwater clean
