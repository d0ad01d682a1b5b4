# `make run` starts Tally, `make test` tests it; both install what is missing first. `make help` lists the targets:
# it prints the first comment line above each.

VENV := .venv
PYTHON := $(VENV)/bin/python
PAGES := web/collected/staticfiles.json
KOREAN := web/locale/ko/LC_MESSAGES/django
LOCK := uv pip compile --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-header --quiet

C_SOURCES = $(wildcard $(addsuffix /*.[ch],sandbox/native $(addprefix sandbox/native/,init meter preloads states) \
	bench/programs tests/faults tests/sandbox/programs))

NO_SENTENCES := $(addprefix --ignore=,.venv node_modules var tests bench docs setup sandbox)

export PIP_DISABLE_PIP_VERSION_CHECK := 1

# Start Tally: PostgreSQL, Redis, the site and a worker (the default target).
run: setup
	@TALLY_DEMO_ACCOUNTS=1 exec $(PYTHON) -m web.stack

# Run the checks and the tests that protect every change, in lanes side by side (tests/lanes.py).
test: setup test-tools
	@$(PYTHON) -m tests.lanes

# Run every test and every corpus whole, one test at a time (over an hour), and write the corpora's reports.
test-all: setup test-tools
	@$(MAKE) --no-print-directory lint
	@TALLY_TESTS=all unshare --mount $(PYTHON) -m pytest

# Grade every hostile program and write tests/hostile/REPORT.md.
# TALLY_HOSTILE_CORPUS=DIR grades another corpus instead.
test-hostile: setup test-tools
	@TALLY_TESTS=all $(PYTHON) -m pytest tests/hostile

# Inject every fault into real processes and write bench/reports/faults.json and .md.
# It has its own mount namespace, because some faults fill small disks.
test-faults: setup test-tools
	@TALLY_TESTS=all unshare --mount $(PYTHON) -m pytest tests/faults

# Verify every real package, slow ones included, and write tests/packages/REPORT.md.
test-packages: setup test-tools
	@TALLY_TESTS=all $(PYTHON) -m pytest tests/packages

# Grade the labelled programs, compare their findings and write tests/explain/REPORT.md.
test-explain: setup test-tools
	@TALLY_TESTS=all $(PYTHON) -m pytest tests/explain

# Test the sandbox on a Debian kernel with cgroup v2 only, under qemu.
test-v2: setup test-tools
	@tests/v2/run.sh

# Join a second machine under qemu as a worker, kill it, cut its network and step its clock.
test-fleet: setup test-tools
	@tests/fleet/run.sh

# Test the image and docker-compose.yml with a real container engine.
test-container:
	@tests/container/run.sh

# Check format, style, types, imports, translations, scripts, styles, templates and C (ruff, mypy, import-linter, gettext, tests/glued.py, tests/pairs.py, Biome, djLint, clang-format, clang-tidy).
lint: setup test-tools
	$(VENV)/bin/ruff check --quiet
	$(VENV)/bin/ruff format --check --quiet
	$(VENV)/bin/mypy sandbox problems judge web tests bench manage.py
	$(VENV)/bin/lint-imports --no-logo
	@$(PYTHON) -m tests.glued
	@$(PYTHON) -m tests.pairs
	@npm run --silent lint
	@$(VENV)/bin/djlint --lint --quiet web/templates
	@$(VENV)/bin/clang-format --dry-run -Werror $(C_SOURCES)
	@$(MAKE) --no-print-directory --silent -j2 -C sandbox/native lint CLANG_TIDY=$(CURDIR)/$(VENV)/bin/clang-tidy
	@for what in untranslated only-fuzzy; do \
		! msgattrib --no-obsolete --$$what $(KOREAN).po | grep . || { echo "lint: $(KOREAN).po has entries that are $$what"; exit 1; }; \
	done

# Install what running needs: Debian and Python packages, native parts, the pages' scripts and styles.
setup: packages $(VENV)/run.stamp native $(PAGES) $(KOREAN).mo

packages:
	@setup/install.sh run

# Install what the tests and checks need.
test-tools: $(VENV)/test.stamp node_modules/test.stamp
	@setup/install.sh test

# Make the environment again when its Python is gone; update it when a lock file changed.
$(VENV)/run.stamp: requirements.lock | packages
	@test -x $(PYTHON) && $(PYTHON) -c "" || "$$(cat var/python)" -m venv --clear $(VENV)
	@echo "setup: installing Python packages"
	@$(PYTHON) -m pip install --quiet --require-hashes -r requirements.lock
	@touch $@

$(VENV)/test.stamp: requirements-dev.lock $(VENV)/run.stamp
	@echo "setup: installing Python packages for the tests"
	@$(PYTHON) -m pip install --quiet --require-hashes -r requirements.lock -r requirements-dev.lock
	@touch $@

# Build the sandbox's native parts: init, meter, preloads.
native: packages
	@$(MAKE) --no-print-directory --silent -C sandbox/native

node_modules/run.stamp: package.json package-lock.json | packages
	@echo "setup: fetching what the pages' scripts are built from"
	@npm ci --omit=dev --silent --no-audit --no-fund
	@touch $@

node_modules/test.stamp: node_modules/run.stamp
	@echo "setup: fetching what the scripts and styles are checked with"
	@npm install --no-save --include=dev --silent --no-audit --no-fund
	@touch node_modules/run.stamp $@  # npm removes what it does not know

# Bundled, then collected under names with a hash and compressed. The secret key is not needed, and none is to be made.
$(PAGES): package-lock.json $(VENV)/run.stamp $(wildcard web/frontend/* web/frontend/*/* web/frontend/css/*/* web/static/img/*) | node_modules/run.stamp
	@npm run --silent build
	@TALLY_SECRET_KEY=none $(PYTHON) manage.py collectstatic --no-input --verbosity 0
	@touch $@

# The catalogue as Django reads it.
$(KOREAN).mo: $(KOREAN).po | packages
	@msgfmt --check-format -o $@ $<

# Write random passwords for docker-compose.yml, one file each, below secrets/.
secrets:
	@setup/secrets.sh

# Collect every sentence that people read into the catalogue: web/locale/ko/LC_MESSAGES/django.po.
messages: setup test-tools
	@$(PYTHON) manage.py makemessages --locale ko --no-wrap --no-obsolete --add-location file $(NO_SENTENCES)

# Pin the Python packages in requirements*.lock (needs uv).
# The lock files name no registry.
lock:
	$(LOCK) requirements.in -o requirements.lock
	$(LOCK) requirements-dev.in -o requirements-dev.lock

# Remove what was built: environment, native parts, scripts, caches. Keeps var/.
clean:
	$(MAKE) --no-print-directory -C sandbox/native clean
	rm -rf $(VENV) node_modules web/static/build web/collected .mypy_cache .ruff_cache .pytest_cache .import_linter_cache

# List the targets.
help:
	@awk '/^# / { if (!text) text = substr($$0, 3); next } \
		/^[a-z0-9-]+:/ && text { sub(/:.*/, ""); printf "make %-15s %s\n", $$0, text } \
		{ text = "" }' Makefile

.PHONY: help run secrets test test-all test-hostile test-faults test-packages test-explain test-v2 test-fleet test-container lint messages setup packages test-tools native lock clean
