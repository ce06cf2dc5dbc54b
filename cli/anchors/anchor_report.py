"""How the verbs of muniment anchor tell what came of an anchor: one place, so that all of them say the same.

Implements specs/cli.md (X-270). No verb.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from cli.app import App
from language.printable import plain, short
from proofs.evidence import NOT_UNIQUE

if TYPE_CHECKING:
    from proofs.anchoring import AnchorResult


def tell(app: App, given: AnchorResult) -> None:
    """Print what came of an anchor, and what it does not show."""
    if app.json:
        app.emit(given.to_json())
    else:
        app.line(f"{short(given.id) or '-'}  {given.checkpoint.size} events  {plain(str(given.path))}")
        for each in given.evidence:
            app.line(f"  {plain(str(each))}")
    app.note(NOT_UNIQUE)
