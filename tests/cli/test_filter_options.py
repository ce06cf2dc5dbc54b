"""The options by which a person says which memories are meant."""

from __future__ import annotations

import click
import pytest

from cli.filter_options import filter_options
from projections.query import Filter


def parsed(*arguments: str) -> Filter:
    """Return the filter that a command gets."""
    got: list[Filter] = []

    @click.command()
    @filter_options
    def command(*, wanted: Filter) -> None:
        got.append(wanted)

    command.main(list(arguments), standalone_mode=False)
    return got[0]


@pytest.mark.parametrize(
    ("arguments", "wanted"),
    [
        ((), Filter()),
        (("--section", "Own"), Filter(section="Own")),
        (("--type", "note"), Filter(type="note")),
        (("--status", "deleted", "--status", "erased"), Filter(statuses=("deleted", "erased"))),
        (("--status", "all"), Filter(statuses=())),
        (("--status", "deleted", "--status", "all"), Filter(statuses=())),
        (("--tag", "a", "--tier", "daily", "--source", "auto"), Filter(tag="a", tier="daily", source="auto")),
    ],
)
def test_options_become_a_filter(arguments: tuple[str, ...], wanted: Filter) -> None:
    """By default, what stands."""
    assert parsed(*arguments) == wanted


def test_every_member_of_a_filter_has_its_option() -> None:
    """So that none is forgotten; but for those of the search query alone (P-103) and of the library."""
    for member in Filter._fields:
        if member in ("tags", "texts", "author", "since", "until", "document"):
            continue
        name = {"statuses": "status"}.get(member, member)
        value = {"type": "note", "tier": "daily", "source": "auto", "importance": "low", "statuses": "erased"}
        given = value.get(member, "x")
        found = getattr(parsed(f"--{name}", given), member)
        assert found == ((given,) if member == "statuses" else given)


def test_an_unknown_value_is_refused() -> None:
    """Where the values are known."""
    with pytest.raises(click.BadParameter):
        parsed("--type", "thing")
