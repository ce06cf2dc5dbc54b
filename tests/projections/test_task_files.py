"""Tests projections/task_files.py against specs/projections.md (P-146)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from projections.task_files import (
    DECLARED,
    deno_tasks,
    just_recipes,
    make_targets,
    package_commands,
    package_dependencies,
    package_scripts,
)
from tests.cli.driver import ROOT


def test_scripts_of_a_package() -> None:
    text = '{"scripts": {"build": "x", "test:unit": "y"}, "devDependencies": {"typescript": "5", "@a/eslint": "1"}}'
    assert package_scripts(text) == frozenset({"build", "test:unit"})
    assert package_commands(text) == frozenset(
        {"build", "test:unit", "typescript", "@a/eslint", "eslint", "tsc"}
    )
    assert package_dependencies(text) == frozenset({"typescript", "@a/eslint"})
    assert package_scripts("{}") == package_dependencies("{}") == frozenset()
    assert deno_tasks('{"tasks": {"dev": "deno run a.ts"}}') == frozenset({"dev"})


@pytest.mark.parametrize("text", ["", "[]", "{", '{"scripts": []}', "// a\n{}", "[" * 100_000])
def test_what_cannot_be_read_is_unknown(text: str) -> None:
    assert package_scripts(text) is None
    assert package_commands(text) is None
    assert package_dependencies(text.replace("scripts", "dependencies")) is None


MAKEFILE = """\
CC := gcc
A = b: c
export X ?= 1
.PHONY: all test
all test: one \\
    two
clean::
\techo not: a target
%.o: %.c
one: CFLAGS = -g
one : dep
lib/a.so lib/b.so &: x
# old: gone
"""


def test_targets_of_a_makefile() -> None:
    found = make_targets(MAKEFILE)
    assert found is not None
    assert found >= {"all", "test", "clean", "one", "%.o", "lib/a.so", "lib/b.so", ".PHONY"}
    assert not found & {"CC", "A", "X", "old", "echo", "not"}


def test_our_own_makefile_can_be_read() -> None:
    found = make_targets((ROOT / "Makefile").read_text("utf-8"))
    assert found is not None
    assert {"test", "lint", "types", "demo", "docs", "bench"} <= found


@pytest.mark.parametrize(
    "line", ["include a.mk", "-include b", "$(a $(T)): x", "$(eval $(call f,a))", "  sinclude c"]
)
def test_targets_that_are_computed_or_elsewhere_are_unknown(line: str) -> None:
    assert make_targets(f"all: x\n{line}\n") is None


def test_recipes_of_a_justfile() -> None:
    text = "set shell := ['sh']\nx := 'a'\nalias b := build\nbuild target='a':\n  cc a: b\n@test: build\n# no: x\n"
    assert just_recipes(text) == frozenset({"b", "build", "test"})
    assert just_recipes("import 'a.just'\nall:\n") is None


@given(st.text(max_size=80))
def test_no_file_makes_it_fail(text: str) -> None:
    for _, read in DECLARED.values():
        assert read(text) is None or isinstance(read(text), frozenset)


def test_a_target_may_stand_indented_in_a_condition() -> None:
    """P-146: by spaces; a line that begins with a tab is a command."""
    found = make_targets("ifeq ($(CI),1)\n  lint: deps\n\techo a: b\nendif\n  NAME := a:b\n")
    assert found == frozenset({"lint"})
