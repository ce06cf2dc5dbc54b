"""Tuples with names: what is declared as with typing's is the same tuple."""

from __future__ import annotations

import copy
import pickle
import typing

import pytest

from ledger import named_tuple


class Ours(named_tuple.NamedTuple):
    """A place."""

    line: int
    names: tuple[str, ...] = ()
    parent: Ours | None = None

    @property
    def first(self) -> str:
        """The first name."""
        return self.names[0]

    @classmethod
    def at(cls, line: int) -> Ours:
        """Return the place of a line."""
        return cls(line)


class Theirs(typing.NamedTuple):
    """A place."""

    line: int
    names: tuple[str, ...] = ()
    parent: Ours | None = None


def test_it_has_the_members_and_defaults_that_its_body_names() -> None:
    assert Ours.at(3) == (3, (), None)
    assert Ours(1, parent=Ours(2)).parent == Ours(2)
    assert Ours(1, ("a", "b")).first == "a"
    assert repr(Ours(1)) == "Ours(line=1, names=(), parent=None)"


def test_it_says_of_itself_what_one_of_typing_says() -> None:
    for asked in ("_fields", "_field_defaults", "__doc__", "__module__", "__match_args__"):
        assert getattr(Ours, asked) == getattr(Theirs, asked), asked
    assert Ours.__bases__ == Theirs.__bases__ == (tuple,)
    assert typing.get_type_hints(Ours) == typing.get_type_hints(Theirs)


def test_it_is_copied_and_sent_to_other_processes() -> None:
    whole = Ours(1, ("a",), Ours(2))
    again = pickle.loads(pickle.dumps(whole))
    assert (type(again), again) == (Ours, whole)
    assert copy.deepcopy(whole) == whole
    assert whole._replace(line=9) == Ours(9, ("a",), Ours(2))


def test_what_is_missing_is_refused() -> None:
    with pytest.raises(TypeError, match="line"):
        Ours()  # type: ignore[call-arg]
