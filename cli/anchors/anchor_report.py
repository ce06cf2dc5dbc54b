"""How the verbs of muniment anchor tell what came of an anchor: one place, so that all of them say the same.

Implements specs/cli.md (X-270). No verb.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from cli.app import App
from language.printable import plain, short
from proofs.evidence import NOT_UNIQUE
from proofs.receipts import digest

if TYPE_CHECKING:
    from proofs.anchoring import Given

__all__ = ["as_json", "tell"]


def as_json(given: Given) -> dict[str, Any]:
    """Return what came of an anchor as `--json` has it."""
    made = given.checkpoint
    return {
        "size": made.size,
        "root": made.root.hex(),
        "digest": digest(made.text()).hex(),
        "file": str(given.path),
        "id": given.id or None,
        "evidence": [each.to_json() for each in given.evidence],
        "waiting": list(given.waiting),
    }


def tell(app: App, given: Given) -> None:
    """Print what came of an anchor, and what it does not show."""
    if app.json:
        app.emit(as_json(given))
    else:
        app.line(f"{short(given.id) or '-'}  {given.checkpoint.size} events  {plain(str(given.path))}")
        for each in given.evidence:
            app.line(f"  {plain(str(each))}")
    app.note(NOT_UNIQUE)
