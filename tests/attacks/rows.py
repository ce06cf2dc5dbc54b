"""Names the row of specs/attacks.md that a test is of."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

_Test = TypeVar("_Test", bound=Callable[..., None])


def row(id_: str) -> Callable[[_Test], _Test]:
    """Mark a test as that of a row; tests/attacks/test_table.py reads the marks out of the source."""
    assert id_.startswith("AT-")
    return lambda test: test
