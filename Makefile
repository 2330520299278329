# Everything runs in .venv, made on first use. Needed: make, and Python 3.11 or newer. Nothing is installed elsewhere.

.DEFAULT_GOAL := help
.PHONY: help demo lint test accept bench noise clean

VENV := .venv
RUN := $(VENV)/bin/python
INSTALLED := $(VENV)/.installed
DEVELOPED := $(VENV)/.developed

# The first Python that is new enough and can make an environment. `make PYTHON=...` names another.
NEW_ENOUGH := import ensurepip, sys, venv; sys.exit(sys.version_info < (3, 11))
PYTHON = $(firstword $(foreach name,python3.11 python3 python3.12 python3.13 python3.14 python,\
  $(shell $(name) -c '$(NEW_ENOUGH)' >/dev/null 2>&1 && echo $(name))))

# A user's own settings of pip must not reach into .venv; a slow line gets time.
export PIP_DISABLE_PIP_VERSION_CHECK := 1
export PIP_NO_INPUT := 1
export PIP_ROOT_USER_ACTION := ignore
export PIP_USER := 0
export PIP_RETRIES := 10
export PIP_DEFAULT_TIMEOUT := 60
PIP := $(RUN) -m pip --quiet

# Many tests wait for processes and clocks: half as many again as there are processors keeps these busy.
WORKERS = $$($(RUN) -c 'import os; print((os.cpu_count() or 1) * 3 // 2)')

help: ## what each target does
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "make %-8s %s\n", $$1, $$2 }' Makefile

$(INSTALLED): pyproject.toml
	@echo "Setting up $(VENV) ..."
	@if ! $(RUN) -c 'import pip, sys; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1; then \
	  if [ -z "$(PYTHON)" ]; then \
	    echo "No Python 3.11 or newer with the modules venv and ensurepip was found." >&2; \
	    echo "Install one (on Debian and Ubuntu also python3-venv), or name it: make PYTHON=/path/to/python" >&2; \
	    exit 1; \
	  fi; \
	  rm -rf $(VENV) && "$(PYTHON)" -m venv $(VENV) || exit 1; \
	fi
	@$(PIP) install --upgrade 'pip>=25.1'
	@$(PIP) install --editable .
	@touch $@

$(DEVELOPED): $(INSTALLED)
	@echo "Installing the tools for development ..."
	@$(PIP) install --group dev
	@touch $@

demo: $(INSTALLED) ## check the embedded demo server, then show what a wrong argument does
	@echo
	@echo "1. What a server publishes: toolglot check -- $(RUN) -m toolglot.demo"
	@echo
	@$(RUN) -m toolglot --version >/dev/null
	@$(RUN) -m toolglot check -- $(RUN) -m toolglot.demo; code=$$?; echo; \
	if [ $$code -ne 1 ]; then echo "Exit code $$code: the demo server should have findings (1)." >&2; exit 1; fi; \
	echo "Exit code 1, as it should be: the demo server repeats the faults of real servers on purpose."
	@echo
	@echo "2. What one of these faults does: $(RUN) -m toolglot.demo incident"
	@echo
	@$(RUN) -m toolglot.demo incident
	@echo
	@echo "3. The same call where the server knows the type: $(RUN) -m toolglot.demo incident --typed-values"
	@echo
	@$(RUN) -m toolglot.demo incident --typed-values

lint: $(DEVELOPED) ## ruff and pyright
	$(RUN) -m ruff check
	$(RUN) -m ruff format --check
	$(RUN) -m pyright

test: lint ## lint, type-check and test, with branch coverage
	@rm -f .coverage .coverage.*
	@$(RUN) -m coverage run -m pytest -n $(WORKERS) -m 'not untraced'; code=$$?; \
	$(RUN) -m pytest -n auto -m untraced || code=1; \
	$(RUN) -m coverage combine --quiet && \
	printf 'Branch coverage: %s %%\n' "$$($(RUN) -m coverage report --format=total)"; \
	exit $$code

accept: $(DEVELOPED) ## the corpus in full, real servers, frameworks (up to an hour)
	@echo "What is left out is listed at the end, with the reason."
	@TOOLGLOT_ACCEPT=1 $(RUN) -m pytest -n 0 -rs tests/accept

bench: $(DEVELOPED) ## how long a check takes, normalising, and the proxy, beside others
	@$(RUN) bench/run.py
	@$(RUN) bench/normalize.py
	@$(RUN) bench/proxy.py

noise: $(DEVELOPED) ## findings and output lines over the corpus, by rule
	@$(RUN) bench/noise.py

clean: ## remove .venv and everything that was made
	rm -rf $(VENV) .accept .hypothesis .pytest_cache .ruff_cache build dist .coverage .coverage.*
	find src tests -name __pycache__ -type d -exec rm -rf {} +
