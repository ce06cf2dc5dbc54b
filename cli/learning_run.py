"""What the commands that learn by themselves share: which ledgers take what was learned, who writes, and how it is told.

Implements specs/cli.md (X-150…X-152, X-161, X-173, X-180).
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cli.app import App
from documents.proposal import Proposal
from language.printable import plain, redacted, short
from learning import authorship
from ledger.actor import is_agent
from ledger.errors import NoLedgerError
from ledger.event import By
from muniment import MemoryLedger

if TYPE_CHECKING:
    from collections.abc import Mapping

    from documents.scope import Scope
    from learning.detection.language_model import LanguageModel
    from learning.intake import Taken, Taking

_SAYS_WHY = frozenset(("candidate", "known", "refused", "discarded", "queued", "asked", "unwritten", "older"))
_COLORS = {
    "created": "green",
    "superseded": "green",
    "promoted": "green",
    "refused": "red",
    "queued": "yellow",
    "unwritten": "red",
}


def ledgers(app: App) -> dict[str, MemoryLedger]:
    """Return the ledgers that take what is learned: of each scope that there is one, or under "" the one that is named.

    Raises:
        NoLedgerError: there is none.
        UsageError: an option names a scope that is not here.
    """
    found = app.scopes()
    if not found and app.directory is not None:
        app.memory().workspace.index  # noqa: B018 - says where there is none
    if not found:
        raise NoLedgerError("there is no ledger that could learn: run muniment init to create one")
    if app.directory is not None or app.scope is not None:
        return {"": found[0]}
    return {memory.workspace.place.scope: memory for memory in found}


@contextmanager
def opened_ledgers(
    directory: Path | None = None, scope: str | None = None
) -> Iterator[dict[str, MemoryLedger]]:
    """Open the ledgers that take what is learned, and close them; raises as `ledgers` does."""
    app = App(directory=directory, scope=scope)
    try:
        yield ledgers(app)
    finally:
        app.close()


def writer(app: App) -> By:
    """Return who writes what is learned by itself: never a person, and under an agent the agent (X-151)."""
    named = app.by_name is not None or os.environ.get("MUNIMENT_BY")
    return authorship.writer(
        "cli", under_agent=is_agent(), name=app.by().name if named else authorship.CAPTURE
    )


def opened(scopes: Mapping[str, MemoryLedger]) -> dict[str, Scope]:
    """Return the scopes as learning takes them."""
    return {name: memory.scope for name, memory in scopes.items()}


def taking(app: App, scopes: dict[str, MemoryLedger], *, dry: bool = False) -> Taking:
    """Return what takes proposals in."""
    from learning.intake import Taking

    return Taking(opened(scopes), writer(app), dry=dry)


def language_model(name: str) -> LanguageModel:
    """Return the language model of a name; importing what asks it costs a quarter of a second (X-180).

    Raises:
        UsageError: the library, the model or its key is missing.
    """
    from learning.detection.language_model import LanguageModel

    return LanguageModel(name)


def text_of(proposal: Proposal) -> str:
    """Return what a proposal says, on one line and without what looks like a secret."""
    return redacted(proposal.memory.text if proposal.memory is not None else f"forget {_forgotten(proposal)}")


def _forgotten(proposal: Proposal) -> str:
    """Return what is to be forgotten: by its name, else by its memories, else by the words that refer to it."""
    if proposal.about or proposal.targets:
        return proposal.about or ", ".join(map(short, proposal.targets))
    return f"what is meant by “{proposal.reason}”" if proposal.reason else "what was named"


def line_of(app: App, taken: Taken) -> str:
    """Return one line: outcome, id, confidence, text, topic, and why where that is not plain."""
    proposal = taken.proposal
    outcome = app.style(f"{taken.outcome:<10}", fg=_COLORS.get(taken.outcome))
    confidence = f"{proposal.memory.confidence:.2f}" if proposal.memory is not None else "    "
    why = f"  ({redacted(taken.why)})" if taken.why and taken.outcome in _SAYS_WHY else ""
    old = "".join(f"\n{'':10}  replaced      {redacted(text)}" for text in taken.replaced)
    topic = f" [{proposal.memory.topic}]" if proposal.memory is not None and proposal.memory.topic else ""
    return f"{outcome}  {short(taken.id):<12}  {confidence}  {text_of(proposal)}{topic}{why}{old}"


def why_lines(proposal: Proposal) -> list[str]:
    """Return the features that spoke for and against a proposal, with their weights."""
    basis = f"{proposal.basis}: " if proposal.basis else ""
    spoke = ", ".join(f"{plain(name)} {weight:+.2f}" for name, weight in proposal.why)
    return [f"{'':10}  {basis}{redacted(spoke) or 'rules alone'}"]


def record_json(taken: Taken) -> dict[str, Any]:
    """Return an outcome with the whole record that was proposed, as a JSON-ready object."""
    memory = taken.proposal.memory
    return {
        "outcome": taken.outcome,
        "id": taken.id or None,
        "targets": list(taken.targets),
        "scope": taken.scope,
        "why": taken.why,
        "reason": taken.proposal.reason,
        "memory": memory.to_payload() if memory else None,
    }


def json_of(taken: Taken, **more: Any) -> dict[str, Any]:
    """Return an outcome as a JSON-ready object."""
    from learning.intake import WRITTEN

    proposal, memory = taken.proposal, taken.proposal.memory
    origin = memory.provenance if memory is not None else None
    return {
        "outcome": taken.outcome,
        "written": taken.outcome in WRITTEN and not more.get("dry_run"),
        "id": taken.id or None,
        "text": text_of(proposal),
        "action": proposal.action,
        "basis": proposal.basis,
        "confidence": memory.confidence if memory is not None else None,
        "type": memory.type if memory is not None else None,
        "section": memory.effective_section if memory is not None else None,
        "scope": taken.scope or proposal.scope,
        "category": (memory.category or None) if memory is not None else None,
        "targets": list(taken.targets),
        "replaced": [redacted(text) for text in taken.replaced],
        "why": redacted(taken.why),
        "conversation": origin.conversation if origin is not None else "",
        "message": origin.message if origin is not None else "",
        **more,
    }
