# make demo    sets everything up and audits the sample footage
# make test    sets everything up and runs the tests
# make check   lint, types, layers
#
# Tests of the review page drive Debian's chromium, those of the ledger start a PostgreSQL of their own; without these
# they are skipped, and the summary says so.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
DEMO := runs/demo

.PHONY: demo test check slow clean browser postgres

# Debian ships Python without the module that makes virtual environments; it is installed here if it is missing.
$(READY): pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	  || { echo "handreplay needs Python 3.11 or newer; set PYTHON=python3.11"; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || { \
	  echo "installing python3-venv (needed once, by apt)"; \
	  as_root=; [ "$$(id -u)" = 0 ] || as_root=sudo; \
	  $$as_root apt-get update -q && $$as_root apt-get install -y -q python3-venv; }
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	@touch $@

# 0: clean, 1: findings, 3: incomplete. All three are an audit that ran; only 2 is an error.
demo: $(READY)
	@if [ -e $(DEMO)/review.jsonl ]; then \
	  echo "$(DEMO) has a review log (corrections, decisions or copies made); remove $(DEMO) to audit again"; else \
	  $(BIN)/handreplay audit sample_footage/uth-sample.mp4 --table sample_footage/uth-sample.table.toml --out $(DEMO); \
	  code=$$?; [ $$code -ne 2 ] || exit 2; [ $$code -le 3 ]; fi
	@echo "Look at it, correct and decide: $(BIN)/handreplay review $(DEMO)"

browser:
	@command -v chromium >/dev/null || { [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null \
	  && apt-get update -q && apt-get install -y -q --no-install-recommends chromium; } \
	  || echo "no chromium here: the tests of the review page in a browser are skipped"

# Only the programs: Debian would also make a cluster and start it.
postgres:
	@ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1 || command -v initdb >/dev/null \
	  || { [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null && apt-get update -q \
	  && apt-get install -y -q --no-install-recommends postgresql-common \
	  && { grep -q '^create_main_cluster' /etc/postgresql-common/createcluster.conf \
	    || echo 'create_main_cluster = false' >> /etc/postgresql-common/createcluster.conf; } \
	  && apt-get install -y -q --no-install-recommends postgresql; } \
	  || echo "no PostgreSQL here: the tests of a ledger in it are skipped"

test: $(READY) browser postgres
	$(BIN)/python -m pytest

slow: $(READY)
	$(BIN)/python -m pytest -m slow

check: $(READY)
	$(BIN)/ruff check src tests
	$(BIN)/ruff format --check src tests
	$(BIN)/mypy
	$(BIN)/lint-imports

clean:
	rm -rf $(VENV) $(DEMO) build *.egg-info src/*.egg-info
