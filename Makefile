# Every target sets up what it needs on a machine that has only Python 3.11 or newer, its venv module and make.
# PYTHON=python3.12 make test picks an interpreter; ARGS="-k chain" make test passes arguments on.

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help demo test extras lint format types bench simulation soak mutants page browsers docs site wheel sbom clean

VENV ?= .venv
DEMO_VENV ?= build/demo-venv
EXTRAS_VENV ?= build/extras-venv
FOREIGN := build/foreign
SITE_VENV ?= build/site-venv
SBOM := build/sbom
ARGS ?=

# The first interpreter that is new enough. Looked up only where an environment is made.
PYTHON ?= $(firstword $(shell for python in python3 python3.14 python3.13 python3.12 python3.11; do \
	$$python -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$python; done))

# python -m throughout: scripts in a folder whose path has a space or is too long do not start everywhere.
DEV := $(VENV)/bin/python
EXTRAS := $(EXTRAS_VENV)/bin/python
PIP := -m pip --disable-pip-version-check --quiet install --constraint constraints.txt

# The build backend that pip fetches is pinned as well; the name of that setting depends on pip's version.
export PIP_CONSTRAINT := constraints.txt
export PIP_BUILD_CONSTRAINT := constraints.txt

# Folders too: their time changes when a file goes.
SHIPPED := hatch_build.py constraints.txt LICENSE README.md $(shell find . \( -path './.*' -o -path ./build -o -path ./dist \
	-o -path ./tests -o -path ./eval -o -path ./benchmarks -o -path ./report/browser \) -prune -o ! -path '*/__pycache__*' -print)

# An installed program has its bytecode, and so have the tests from their second run on.
unexport PYTHONDONTWRITEBYTECODE

help: ## this list
	@sed -n 's/^\([a-z]*\):.*## \(.*\)/make \1|\2/p' Makefile | while IFS='|' read -r target text; do \
		printf '%-12s %s\n' "$$target" "$$text"; done

demo: $(DEMO_VENV)/installed ## installs muniment as a person would and runs the main job on sample memories
	@$(DEMO_VENV)/bin/python demo/run.py $(ARGS)

test: $(VENV)/ready ## the whole test suite
	$(DEV) -m pytest -n 3 --dist loadfile $(ARGS)

extras: $(EXTRAS_VENV)/ready $(FOREIGN)/ready ## the tests of what `make test` does not install: MLflow, MCP's inspector and memory server, Claude Code, Gemini CLI, Copilot CLI, OpenCode, frameworks, sigstore, a wallet, vectors, buckets with versions, uv, the SBOM, the site, browsers
	$(EXTRAS_VENV)/bin/python -m pytest tests/agents/mcp/test_inspector.py tests/agents/mcp/test_beside_server_memory.py tests/agents/hooks/test_gemini.py \
		tests/agents/hooks/test_copilot.py tests/agents/install/test_claude_plugin.py tests/agents/install/test_opencode.py tests/agents/test_newcomer.py \
		tests/test_wheel.py::test_uv_installs_the_command tests/test_sbom.py tests/test_site.py \
		tests/proofs/test_sigstore.py tests/proofs/test_evm.py tests/projections/vectors tests/transports/test_versioned_bucket.py tests/eval/test_retrieval.py tests/frameworks $(ARGS)
	@if command -v npm >/dev/null; then $(MAKE) browsers; else echo "there is no npm: the page is not tried in browsers" >&2; fi

lint: $(VENV)/ready ## ruff: rules and format
	$(DEV) -m ruff check .
	$(DEV) -m ruff format --check .

format: $(VENV)/ready ## ruff: mends what it can
	$(DEV) -m ruff check --fix .
	$(DEV) -m ruff format .

types: $(VENV)/ready ## mypy, strict
	$(DEV) -m mypy

bench: $(VENV)/ready ## measures speed and memory beside their floors
	$(DEV) -m benchmarks $(ARGS)

simulation: $(VENV)/ready ## two hundred histories of teams that lose, double and alter what travels
	$(DEV) -m pytest -n 2 -m simulation tests/team $(ARGS)

soak: $(VENV)/ready ## the tests that run for minutes, and every property test with many examples
	HYPOTHESIS_PROFILE=soak $(DEV) -m pytest -n 2 --dist loadfile -m "soak or hypothesis" $(ARGS)

mutants: $(VENV)/ready ## breaks the code in forty places and says which of them no test notices
	$(DEV) -m tests.mutants $(ARGS)

page: report/browser/node_modules ## builds report/page.html from the TypeScript in report/browser; needs Node
	cd report/browser && npm run --silent types && npm run --silent build

browsers: $(VENV)/ready report/browser/node_modules ## the page in Chromium and Firefox, as far as they are installed
	$(DEV) -m pytest tests/report tests/attacks/test_at_the_viewer.py tests/attacks/test_by_a_report.py -m "browser or not browser" $(ARGS)

docs: $(VENV)/ready ## writes each command's --help into the documentation
	$(DEV) docs/make.py $(ARGS)

# The pages stand in the copy as they stand here, so their links work in both places; a link that leads nowhere is a fault.
site: $(SITE_VENV)/ready ## builds the documentation as web pages in build/site
	@rm -rf build/site-source && mkdir -p build/site-source
	@find *.md docs specs \( -name '*.md' -o -name '*.png' \) -exec tar -cf - {} + | tar -xf - -C build/site-source
	@NO_MKDOCS_2_WARNING=1 $(SITE_VENV)/bin/python -m mkdocs build --strict && echo "build/site/index.html"

wheel: $(VENV)/ready ## builds the source distribution, and from it the wheel, into dist/
	$(DEV) -m build --no-isolation --outdir dist .

# The wheel alone is installed from a file; cyclonedx_py reads its version from the project's description.
sbom: $(EXTRAS_VENV)/ready ## lists the wheel and what it needs, at the pinned versions, in dist/ (CycloneDX)
	@rm -rf $(SBOM)
	@$(EXTRAS) -m build --no-isolation --wheel --outdir $(SBOM) . >/dev/null
	@$(EXTRAS) -m venv --without-pip $(SBOM)/venv
	@PIP_PYTHON=$(SBOM)/venv/bin/python $(EXTRAS) $(PIP) $(SBOM)/*.whl
	@version=$$($(EXTRAS) -c "import muniment; print(muniment.__version__)") && mkdir -p dist && \
		sed "s/^dynamic = .*/version = \"$$version\"/" pyproject.toml > $(SBOM)/pyproject.toml && \
		$(EXTRAS) -m cyclonedx_py environment --output-reproducible --pyproject $(SBOM)/pyproject.toml \
			--output-file "dist/muniment-$$version.cdx.json" $(SBOM)/venv/bin/python && echo "dist/muniment-$$version.cdx.json"

clean: ## removes everything that make made
	rm -rf build dist .hypothesis .mypy_cache .pytest_cache .ruff_cache $(VENV)
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# What the tests need, without muniment itself: tests run against the checkout.
$(VENV)/ready: pyproject.toml constraints.txt | $(VENV)/bin/python
	@echo "installing what the tests need into $(VENV)"
	@$(DEV) -c "import tomllib; t = tomllib.load(open('pyproject.toml', 'rb')); p = t['project']; \
		x = p['optional-dependencies'] | t['dependency-groups']; print(*p['dependencies'], *x['dev'], *x['llm'], *x['mcp'], *x['anchors'], *x['postgres'], *x['nats'], *x['s3'], sep='\n')" > $@.txt
	@$(DEV) $(PIP) --requirement $@.txt
	@for server in $$($(DEV) -c "import tomllib; print(*tomllib.load(open('pyproject.toml', 'rb'))['dependency-groups']['engines'])"); do \
		$(DEV) $(PIP) --only-binary :all: "$$server" || echo "$$server is left out, and the tests that need it"; done
	@touch $@

$(EXTRAS_VENV)/ready: pyproject.toml constraints.txt | $(EXTRAS_VENV)/bin/python
	@echo "installing what the tests of the extras need into $(EXTRAS_VENV)"
	@$(EXTRAS_VENV)/bin/python -c "import tomllib; t = tomllib.load(open('pyproject.toml', 'rb')); p = t['project']; \
		x = p['optional-dependencies'] | t['dependency-groups']; print(*p['dependencies'], *x['dev'], *x['mcp'], *x['anchors'], *x['vectors'], *x['sigstore'], *x['wallet'], *x['postgres'], *x['nats'], *x['s3'], *x['moto'], *x['anthropic'], *x['release'], *x['docs'], *x['langgraph'], *x['llama-index'], *x['pydantic-ai'], *x['openai-agents'], *x['mem0-needs'], sep='\n')" > $@.txt
	@$(EXTRAS_VENV)/bin/python $(PIP) --requirement $@.txt
	@$(EXTRAS_VENV)/bin/python $(PIP) --no-deps "$$($(EXTRAS_VENV)/bin/python -c "import tomllib; print(*tomllib.load(open('pyproject.toml', 'rb'))['dependency-groups']['mem0'])")"
	@touch $@

$(SITE_VENV)/ready: pyproject.toml constraints.txt | $(SITE_VENV)/bin/python
	@echo "installing what builds the web pages into $(SITE_VENV)"
	@$(SITE_VENV)/bin/python -c "import tomllib; print(*tomllib.load(open('pyproject.toml', 'rb'))['dependency-groups']['docs'], sep='\n')" > $@.txt
	@$(SITE_VENV)/bin/python $(PIP) --requirement $@.txt
	@touch $@

# With the Node that it needs, whatever is installed; without npm its tests are skipped, and say so.
$(FOREIGN)/ready: Makefile
	@mkdir -p $(@D)
	@if command -v npm >/dev/null; then \
		echo "installing MCP's inspector and memory server, Claude Code, Gemini CLI, Copilot CLI and OpenCode into $(@D)"; \
		here="$$(node -p 'process.platform + "-" + process.arch')"; \
		npm install --prefix $(@D) --silent --no-fund --no-audit --no-save --ignore-scripts --force \
			@modelcontextprotocol/inspector@2.12.0 @modelcontextprotocol/server-memory@2026.8.31 @anthropic-ai/claude-code@2.1.332 @google/gemini-cli@0.61.0 \
			"@github/copilot-$$here@1.0.102" "opencode-$$here@1.18.33" "node-$$here@26.10.0"; \
	else echo "there is no npm: MCP's inspector and memory server, Claude Code, Gemini CLI, Copilot CLI and OpenCode are left out" >&2; fi
	@touch $@

# Versions are pinned by name in package.json.
report/browser/node_modules: report/browser/package.json
	@echo "installing what builds the page into report/browser/node_modules"
	@cd report/browser && npm install --silent
	@touch $@

# pip installs a folder again whatever its version says, so a changed source arrives.
$(DEMO_VENV)/installed: $(SHIPPED) | $(DEMO_VENV)/bin/python
	@echo "installing muniment into $(DEMO_VENV)"
	@$(DEMO_VENV)/bin/python $(PIP) .
	@touch $@

$(VENV)/bin/python $(DEMO_VENV)/bin/python $(EXTRAS_VENV)/bin/python $(SITE_VENV)/bin/python:
	@test -n "$(PYTHON)" || { echo "muniment needs Python 3.11 or newer; install it or set PYTHON=/path/to/python" >&2; exit 1; }
	@"$(PYTHON)" -m venv "$(@:/bin/python=)" || { rm -rf "$(@:/bin/python=)"; \
		echo "could not make a virtual environment with $(PYTHON); is its venv module installed?" >&2; exit 1; }
