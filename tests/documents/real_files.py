"""Documents that people and agents really wrote: a fixed sample for `make test`, the others for `make soak`.

They are not ours and lie beside the checkout.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

FOLDER = Path(__file__).resolve().parents[3] / "shared" / "data" / "memory-files"
_EVERY = 4
_LARGE = 100_000
"""Bytes: a file that is larger takes seconds."""


def each_of(files: Sequence[Path]) -> pytest.MarkDecorator:
    """Run a test for each of these files as `path`; three of four, and large ones, only run in `make soak`."""
    return pytest.mark.parametrize("path", [_given(at, path) for at, path in enumerate(files)])


def _given(at: int, path: Path) -> Any:
    name = path.relative_to(FOLDER).as_posix()
    sampled = at % _EVERY == 0 and path.stat().st_size <= _LARGE
    return pytest.param(path, id=name, marks=[] if sampled else [pytest.mark.soak])
