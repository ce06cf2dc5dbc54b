"""Which documents of ours stand where nothing is rendered, before the first rendering into their folder.

Implements specs/projections.md (P-84). Git or a copy brought them from another folder of the ledger; or local.db was
lost, and a day's note is archived now.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from projections.layout import other_place
from projections.local import Local
from projections.shown_blocks import contents, digest


def left_over(folder: Path, local: Local, paths: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Give path and digest of each document at `paths` that is a rendering of ours; the current ones are in place."""
    rendered = local.rendered(folder)
    for path in paths:
        try:
            now = digest(contents(folder / path))
        except OSError:
            continue
        other = other_place(path)
        is_archived = rendered.get(other) == now and (folder / other).is_file()
        if path not in rendered and (is_archived or local.is_rendering(folder, path, now)):
            yield path, now
