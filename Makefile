# Everything runs in .venv/, which the first target that needs it makes; a later run installs nothing
# until pyproject.toml or constraints.txt changes. Needs Python >= 3.11 and git. PYTHON=… chooses the Python.
PYTHON ?= $(shell for python in python3 python3.14 python3.13 python3.12 python3.11 python; do \
	$$python -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$python && break; done)
OUT ?= output
SITE ?= site
READY := .venv/.ready
ERRCAT := .venv/bin/errcat

.PHONY: dataset match pages diff refresh test lint format bench bench-history readme constraints clean

dataset: $(READY)
	@$(ERRCAT) dataset $(if $(SHA),--sha '$(SHA)') $(if $(RELEASE),--release '$(RELEASE)') --out '$(OUT)' $(ARGS)

match: $(READY)
	@$(ERRCAT) match $(FILE) --out '$(OUT)' $(ARGS)

diff: $(READY)
	@$(ERRCAT) diff '$(FROM)' '$(TO)' $(ARGS)

# The newest dataset unless DATASET=… names one; SITE=… is where the pages go, BASE_URL=… where they will be.
pages: $(READY)
	@$(ERRCAT) pages $(DATASET) --out '$(SITE)' $(if $(BASE_URL),--base-url '$(BASE_URL)') $(ARGS)

# The newest release with RELEASE=latest, the newest commit of BRANCH=…, or of the default branch.
refresh: $(READY)
	@$(ERRCAT) refresh $(if $(RELEASE),--release '$(RELEASE)') $(if $(BRANCH),--branch '$(BRANCH)') $(if $(SHA),--sha '$(SHA)') \
		--out '$(OUT)' $(ARGS)

test: $(READY)
	.venv/bin/python -m pytest $(ARGS)

lint: $(READY)
	.venv/bin/ruff check .
	.venv/bin/ruff format --check .
	.venv/bin/mypy

format: $(READY)
	.venv/bin/ruff check --fix .
	.venv/bin/ruff format .

bench: $(READY)
	.venv/bin/python tests/bench.py $(ARGS)
	.venv/bin/python tests/bench_explain.py
	.venv/bin/python tests/bench_match.py
	.venv/bin/python tests/bench_diff.py
	.venv/bin/python tests/bench_pages.py
	.venv/bin/python tests/bench_browser.py
	.venv/bin/python tests/bench_serve.py
	.venv/bin/python tests/bench_refresh.py

bench-history: $(READY)
	.venv/bin/python tests/bench_history.py $(ARGS)

readme: $(READY)
	.venv/bin/python tests/test_readme.py

# The newest versions that pyproject.toml allows, in a venv of their own; nothing but names and versions is kept.
constraints:
	$(PYTHON) -m venv --clear build/fresh
	build/fresh/bin/python -m pip install --quiet --editable '.[dev]'
	build/fresh/bin/python -m pip freeze --exclude-editable > constraints.txt
	rm -rf build/fresh

clean:
	rm -rf .venv build *.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis

$(READY): pyproject.toml constraints.txt
	@test -n '$(PYTHON)' || { echo 'errcat needs Python 3.11 or newer with venv; name one with PYTHON=…' >&2; exit 2; }
	@.venv/bin/python -m pip --version >/dev/null 2>&1 || '$(PYTHON)' -m venv --clear .venv
	@.venv/bin/python -m pip install -qq --disable-pip-version-check --constraint constraints.txt --editable '.[dev]'
	@touch $@
