"""Tools of different kinds stand beside each other, those of one kind exclude each other (L-53)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from language.likeness import likeness
from language.likeness.tool_kinds import are_of_other_kinds
from language.likeness.vocabulary import canonical
from language.value_kinds import purposes

FRAMES = ("Use {} for the release", "We use {} for the web client", "Use `{}` for the release")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Use pnpm for the frontend", "Use React for the frontend"),
        ("Use pnpm for the frontend", "We use React for the frontend"),
        ("Use `pnpm` for the frontend", "Use `react` for the frontend"),
        ("Use pytest for the backend", "Use Postgres for the backend"),
        ("Use mypy for the api", "Use ruff for the api"),
        ("Use tabs for Python", "Use black for Python"),
        ("Use GitHub Actions for deploys", "Use Ansible for deploys"),
    ],
)
def test_different_kinds_stand_beside_each_other(one: str, other: str) -> None:
    assert likeness(one, other) == likeness(other, one) == "different"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Use pnpm for the frontend", "Use npm for the frontend"),
        ("Use Vue for the frontend", "We use React for the frontend"),
        ("Use Redis for the sessions", "Use Postgres for the sessions"),
        ("Use RabbitMQ for the queue", "Use Redis for the queue"),
        ("Use Heroku for deploys", "Use Kubernetes for deploys"),
        ("Use `webpack` for the frontend", "Use `vite` for the frontend"),
        ("Use pnpm for the frontend", "Use frobnicate for the frontend"),  # no table knows it
    ],
)
def test_one_kind_or_an_unknown_one_excludes_the_other(one: str, other: str) -> None:
    assert likeness(one, other) == likeness(other, one) == "contradicts"


NAMES = st.sampled_from(sorted(name for name in purposes() if name.isalpha()))


@given(NAMES, NAMES, st.sampled_from(FRAMES))
def test_no_two_kinds_contradict_each_other(one: str, other: str, frame: str) -> None:
    """Whatever the tools and the frame."""
    if are_of_other_kinds([canonical(one)], [canonical(other)]):
        assert likeness(frame.format(one), frame.format(other)) != "contradicts"
