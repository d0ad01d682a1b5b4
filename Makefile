# `make run` starts Tally, `make test` checks and tests it; both install first what is missing. See README.md.

VENV := .venv
PYTHON := $(VENV)/bin/python
SCRIPTS := web/static/build/site.js
LOCK := uv pip compile --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-header --quiet

export PIP_DISABLE_PIP_VERSION_CHECK := 1

run: setup
	@TALLY_DEMO_ACCOUNTS=1 exec $(PYTHON) -m web.stack

test: setup test-tools
	@$(MAKE) --no-print-directory lint
	@$(PYTHON) -m pytest

# Every hostile program, not a share of them; writes tests/hostile/REPORT.md.
test-hostile: setup test-tools
	@TALLY_HOSTILE=all $(PYTHON) -m pytest tests/hostile

# Every fault, injected into real processes; writes bench/reports/faults.json and .md. In a mount namespace: some fill small disks.
test-faults: setup test-tools
	@TALLY_FAULTS=all unshare --mount $(PYTHON) -m pytest tests/faults

# Every real package of the three source distributions, the slow ones too; writes tests/packages/REPORT.md.
test-packages: setup test-tools
	@TALLY_PACKAGES=all $(PYTHON) -m pytest tests/packages

# The labelled programs and what is said of them; writes tests/explain/REPORT.md.
test-explain: setup test-tools
	@TALLY_EXPLAIN=report $(PYTHON) -m pytest tests/explain

# The sandbox once more, on a machine with nothing but cgroup v2: a Debian kernel under qemu.
test-v2: setup test-tools
	@tests/v2/run.sh

# The image and docker-compose.yml: the worker with its few privileges in a container, and one program judged there.
test-container:
	@tests/container/run.sh

lint: setup test-tools
	$(VENV)/bin/ruff check --quiet
	$(VENV)/bin/ruff format --check --quiet
	$(VENV)/bin/mypy sandbox problems judge web tests bench manage.py
	$(VENV)/bin/lint-imports --no-logo

# All that running needs: packages, Python packages, the native parts, the pages' scripts.
setup: packages $(VENV)/run.stamp native $(SCRIPTS)

packages:
	@setup/install.sh run

test-tools: $(VENV)/test.stamp
	@setup/install.sh test

# The environment is made again when its Python has gone, and brought up to date when a lock changed.
$(VENV)/run.stamp: requirements.lock | packages
	@test -x $(PYTHON) && $(PYTHON) -c "" || "$$(cat var/python)" -m venv --clear $(VENV)
	@echo "setup: installing Python packages"
	@$(PYTHON) -m pip install --quiet --require-hashes -r requirements.lock
	@touch $@

$(VENV)/test.stamp: requirements-dev.lock $(VENV)/run.stamp
	@echo "setup: installing Python packages for the tests"
	@$(PYTHON) -m pip install --quiet --require-hashes -r requirements.lock -r requirements-dev.lock
	@touch $@

native: packages
	@$(MAKE) --no-print-directory --silent -C sandbox/native

node_modules/.package-lock.json: package.json package-lock.json | packages
	@echo "setup: fetching what the pages' scripts are built from"
	@npm ci --silent --no-audit --no-fund
	@touch $@

$(SCRIPTS): node_modules/.package-lock.json $(wildcard web/frontend/*)
	@npm run --silent build
	@touch $@

# Passwords of its own for docker-compose.yml, each in a file below secrets/.
secrets:
	@setup/secrets.sh

# Needs uv. No address of a registry ends up in the locks.
lock:
	$(LOCK) requirements.in -o requirements.lock
	$(LOCK) requirements-dev.in -o requirements-dev.lock

clean:
	$(MAKE) --no-print-directory -C sandbox/native clean
	rm -rf $(VENV) node_modules web/static/build .mypy_cache .ruff_cache .pytest_cache .import_linter_cache

.PHONY: run secrets test test-hostile test-faults test-packages test-explain test-v2 test-container lint setup packages test-tools native lock clean
