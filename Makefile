# Every target works in a fresh clone: it creates .venv and builds what it needs.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
NATIVE := $(shell find native -name '*.cpp' -o -name '*.hpp') CMakeLists.txt
# An editable install knows packages by their folders: a new folder asks for a new install.
PACKAGES := $(shell find src -name '__init__.py')
TESTS ?= tests
JOBS ?= $(shell nproc)

# The folder of the editable build: its objects serve the native tests, too.
BUILD = $(patsubst %/CMakeCache.txt,%,$(firstword $(wildcard build/cp*/CMakeCache.txt)))

.PHONY: setup demo test test-fast test-native bench torture lint format stubs pages sanitize docs wheel experiments clean

setup: $(BIN)/.built

$(BIN)/.tools: pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "dragoman needs Python 3.11 or newer; name one with: make PYTHON=python3.12"; exit 1; }
	@command -v $${CXX:-c++} >/dev/null || \
	  { echo "no C++ compiler found; on Debian: apt-get install g++"; exit 1; }
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV) || \
	  { echo "cannot create a virtual environment; on Debian: apt-get install python3-venv"; exit 1; }
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet --group dev
	@touch $@

$(BIN)/.built: $(BIN)/.tools $(NATIVE) $(PACKAGES)
	DRAGOMAN_WERROR=1 $(BIN)/python -m pip install --quiet --no-build-isolation \
	  --config-settings=cmake.define.DRAGOMAN_TESTS=ON --editable .
	@touch $@

demo: setup
	$(BIN)/dragoman demo

test: test-native
	@sh tools/system_packages.sh wordnet-base chromium chromium-driver postgresql
	$(BIN)/python -m pytest -n $(JOBS) $(TESTS)

test-fast: test-native
	$(BIN)/python -m pytest -n $(JOBS) -m "not slow" $(TESTS)

test-native: setup
	$(BIN)/cmake --build $(BUILD) --target native_checks -- --quiet
	@mkdir -p $(BUILD)/tmp
	TMPDIR=$(abspath $(BUILD)/tmp) FUZZ_RUNS=$(or $(FUZZ_RUNS),500) \
	  $(BIN)/ctest --test-dir $(BUILD) --parallel $(JOBS) --output-on-failure

# Damaged files, absurd command lines and kills, for so many seconds; fails if anything but clean errors happens.
torture: setup
	$(BIN)/python tools/torture.py --seconds $(or $(SECONDS),240)

bench: setup
	$(BIN)/python -m bench

lint: setup
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/clang-format --dry-run --Werror $$(find native -name '*.cpp' -o -name '*.hpp')
	$(BIN)/python tools/stubs.py --check

format: setup
	$(BIN)/ruff check --fix
	$(BIN)/ruff format
	$(BIN)/clang-format -i $$(find native -name '*.cpp' -o -name '*.hpp')

stubs: setup
	$(BIN)/python tools/stubs.py

pages: setup
	$(BIN)/python tools/settings_pages.py

sanitize: $(BIN)/.tools
	$(BIN)/cmake -S . -B build/sanitize -G Ninja -DCMAKE_MAKE_PROGRAM=$(abspath $(BIN)/ninja) \
	  -DDRAGOMAN_PYTHON=OFF -DDRAGOMAN_TESTS=ON -DDRAGOMAN_SANITIZE=ON
	$(BIN)/cmake --build build/sanitize --target native_checks -- --quiet
	@mkdir -p build/sanitize/tmp
	TMPDIR=$(abspath build/sanitize/tmp) FUZZ_RUNS=$(or $(FUZZ_RUNS),20000) \
	  $(BIN)/ctest --test-dir build/sanitize --parallel $(JOBS) --output-on-failure

docs: setup
	NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --strict --quiet

wheel: setup
	$(BIN)/python -m pip wheel --quiet --no-build-isolation --no-deps --wheel-dir dist .
	$(BIN)/python tools/sbom.py dist/dragoman.cdx.json

experiments: setup
	@for script in experiments/*/run.py; do echo "== $$script"; $(BIN)/python $$script || exit 1; done

clean:
	rm -rf build site $(VENV)
