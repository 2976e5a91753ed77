# Two commands: `make run` opens the demo, `make test` runs every check.
# Both make .venv first if it is missing; the only host they need is the package index.

PYTHON ?= python3
BIN := .venv/bin

.PHONY: run test check slow bench snapshots lock clean

run: .venv/installed
	$(BIN)/sakur4-tui demo

test: check
	$(BIN)/python -m pytest -n 2 --dist loadgroup

check: .venv/installed
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-cache

slow: .venv/installed
	$(BIN)/python -m pytest -m slow -n 2 --dist loadgroup --timeout 600

snapshots: .venv/installed
	$(BIN)/python -m pytest tests/tui -n 2 --snapshot-update

lock:
	uv pip compile pyproject.toml --group dev --extra web --universal --python-version 3.11 \
		--generate-hashes --no-emit-index-url --no-header -o requirements.lock

.venv/installed: pyproject.toml requirements.lock
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --require-hashes -r requirements.lock
	$(BIN)/python -m pip install --quiet --no-deps --editable .
	touch $@

clean:
	rm -rf .venv .mypy_cache .ruff_cache .pytest_cache dist
