# Every target works in a fresh clone: it creates .venv and builds what it needs.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
NATIVE := $(shell find native -name '*.cpp' -o -name '*.hpp') CMakeLists.txt
# An editable install knows packages by their folders: a new folder asks for a new install.
PACKAGES := $(shell find src -name '__init__.py')
TESTS ?= tests
JOBS ?= $(shell nproc)
# Tests start hundreds of Python processes: each would compile anew all that it imports.
unexport PYTHONDONTWRITEBYTECODE
# Some tests wait for servers and browsers: one worker more keeps the processors busy.
WORKERS ?= $(shell expr $(JOBS) + 1)

# What was compiled without -Werror does not count where it is asked for (CI); what was compiled with it counts everywhere.
STRICT := $(if $(DRAGOMAN_WERROR),-strict)

# The folder of the editable build: its objects serve the native tests, too.
BUILD = $(patsubst %/CMakeCache.txt,%,$(firstword $(wildcard build/cp*/CMakeCache.txt)))

.PHONY: setup demo test test-fast test-native system-packages bench torture lint format stubs pages sanitize docs wheel test-wheel experiments clean

setup: $(BIN)/.tools $(BIN)/.built$(STRICT)

# One virtual environment, filled step by step: what a build needs, what the program needs, what tests and docs need.
PIP := $(BIN)/python -m pip --disable-pip-version-check install --quiet
NEEDED := $(BIN)/python tools/requirements.py

$(BIN)/.build-tools: pyproject.toml tools/requirements.py
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "dragoman needs Python 3.11 or newer; name one with: make PYTHON=python3.12"; exit 1; }
	@command -v $${CXX:-c++} >/dev/null || \
	  { echo "no C++ compiler found; on Debian: apt-get install g++"; exit 1; }
	@echo "1/3 build tools (scikit-build-core, nanobind, cmake, ninja) into $(VENV): some 20 seconds"
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV) || \
	  { echo "cannot create a virtual environment; on Debian: apt-get install python3-venv"; exit 1; }
	@$(PIP) --no-compile $$($(NEEDED) build)
	@touch $@

$(BIN)/.run-time: $(BIN)/.build-tools
	@$(PIP) --no-compile $$($(NEEDED) run)
	@touch $@

$(BIN)/.compiled$(STRICT): $(BIN)/.build-tools $(NATIVE) $(PACKAGES)
	@echo "2/3 the native core, $(words $(filter %.cpp,$(NATIVE))) files of C++, compiled with" \
	  "$(JOBS) at a time: one to two minutes on 2 cores the first time; packages are fetched meanwhile"
	@$(PIP) --no-deps --no-build-isolation --config-settings=cmake.define.DRAGOMAN_TESTS=ON --editable .
	@touch $@ $(@:-strict=)

# Packages come over the net while the compiler works.
$(BIN)/.built$(STRICT): $(BIN)/.build-tools $(NATIVE) $(PACKAGES)
	@$(MAKE) --no-print-directory -j 2 $(BIN)/.compiled$(STRICT) $(BIN)/.run-time
	@touch $@ $(@:-strict=)

$(BIN)/.tools: $(BIN)/.build-tools
	@echo "what tests, lint and docs need, into $(VENV): about two minutes the first time"
	@$(PIP) --upgrade pip
	@$(PIP) --group dev
	@touch $@

demo: $(BIN)/.built$(STRICT)
	@echo "3/3 the demonstration: half a minute"
	$(BIN)/dragoman demo
	@echo "the same in a browser: $(BIN)/dragoman demo --serve"

test: system-packages test-native
	$(BIN)/python -m pytest -n $(WORKERS) --dist worksteal -m "not alone" $(TESTS)
	$(BIN)/python -m pytest --capture=sys -m alone $(TESTS) || [ $$? = 5 ]  # 5: there are none

test-fast: test-native
	$(BIN)/python -m pytest -n $(JOBS) --dist worksteal -m "not slow" $(TESTS)

# What tests need of the system: browsers, servers, and words of several languages.
system-packages:
	@sh tools/system_packages.sh wordnet-base chromium chromium-driver firefox-esr nginx-light postgresql \
	  wamerican wdanish witalian wngerman wpolish

test-native: setup
	$(BIN)/cmake --build $(BUILD) --target native_checks -- --quiet
	@mkdir -p $(BUILD)/tmp
	TMPDIR=$(abspath $(BUILD)/tmp) FUZZ_RUNS=$(or $(FUZZ_RUNS),500) \
	  $(BIN)/ctest --test-dir $(BUILD) --parallel $(JOBS) --output-on-failure
	@grep '^skipped: ' $(BUILD)/Testing/Temporary/LastTest.log || true

# Damaged files, absurd command lines and kills, for so many seconds or so many INPUTS; fails if anything but clean errors
# happens. A short form, of the same inputs every time, is among the tests.
torture: setup
	$(BIN)/python tools/torture.py $(if $(INPUTS),--inputs $(INPUTS),--seconds $(or $(SECONDS),240))

bench: setup
	$(BIN)/python -m bench

lint: setup
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/clang-format --dry-run --Werror $$(find native -name '*.cpp' -o -name '*.hpp')
	$(BIN)/python tools/stubs.py --check
	$(BIN)/python -m tools.audit
	$(BIN)/python tools/patterns.py

format: setup
	$(BIN)/ruff check --fix
	$(BIN)/ruff format
	$(BIN)/clang-format -i $$(find native -name '*.cpp' -o -name '*.hpp')

stubs: setup
	$(BIN)/python tools/stubs.py

pages: setup
	$(BIN)/python tools/settings_pages.py

sanitize: $(BIN)/.build-tools
	$(BIN)/cmake -S . -B build/sanitize -G Ninja -DCMAKE_MAKE_PROGRAM=$(abspath $(BIN)/ninja) \
	  -DDRAGOMAN_PYTHON=OFF -DDRAGOMAN_TESTS=ON -DDRAGOMAN_SANITIZE=ON -DDRAGOMAN_UNITY=ON
	$(BIN)/cmake --build build/sanitize --target native_checks -- --quiet
	@mkdir -p build/sanitize/tmp
	TMPDIR=$(abspath build/sanitize/tmp) FUZZ_RUNS=$(or $(FUZZ_RUNS),20000) \
	  $(BIN)/ctest --test-dir build/sanitize --parallel $(JOBS) --output-on-failure

docs: setup
	NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --strict
	@echo "site/ has the pages; to read and search them: $(BIN)/python -m http.server --directory site 8001"

wheel: $(BIN)/.built$(STRICT)
	@rm -rf dist
	$(PIP:install=wheel) --no-build-isolation --no-deps --wheel-dir dist .
	$(BIN)/python tools/sbom.py dist/dragoman.cdx.json

# The wheel in an environment that has nothing else: does it start, train, translate and score, away from this folder,
# with the newest versions of what it needs and with the oldest that it allows?
test-wheel: wheel
	sh tools/try_wheel.sh $(PYTHON) dist/*.whl

# All of them take days; so the list is shown first.
experiments: setup
	@$(BIN)/python -m experiments
	@printf 'run all of them, one after the other? [y/N] '; read answer && [ "$$answer" = y ]
	@for script in experiments/*/run.py; do echo "== $$script"; $(BIN)/python $$script || exit 1; done

clean:
	rm -rf build site $(VENV)
