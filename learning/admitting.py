"""Examines a proposal before any comparison: whether it is refused in any case, and which ledger receives it.

Implements specs/capture.md (K-66, K-67, K-70). `learning.intake` then decides.
"""

from __future__ import annotations

from collections.abc import Collection

from documents.proposal import Proposal
from learning.detection.personal import personal_in
from ledger.event import By
from ledger.memory import record_fault
from ledger.redaction import redact


def fault(proposal: Proposal, by: By) -> str:
    """Return why a proposal is refused in any state, or ""."""
    memory = proposal.memory
    if memory is None:
        return ""
    if wrong := record_fault({"text": memory.text}):  # first, so that no text of unlimited length is compared
        return wrong
    if by.role == "user":
        return ""
    origin = memory.provenance
    if not ((origin.conversation and origin.message) or origin.file):
        return "its origin is unknown: it names no conversation, message or file"
    texts = (memory.text, memory.title, memory.body, *memory.details)
    found = next((kind for text in texts if text and (kind := personal_in(text))), None)
    if found and proposal.basis != "asked":
        return f"it holds a {found}: ask for it to be remembered, and it will be"
    return ""


def unfit(text: str) -> bool:
    """Return whether nothing that learns automatically may keep a text: it holds a secret or personal data."""
    return personal_in(text) is not None or redact(text) != text


def scope_of(scopes: Collection[str], proposal: Proposal, by: By, waited_for: str | None) -> tuple[str, bool]:
    """Return the scope of the ledger that receives a proposal, and whether the wanted scope has no ledger here (K-70).

    A proposal that waited for a ledger goes to that ledger, since another project may be bound now. A person's
    request goes to the user's own ledger if there is no other.
    """
    wanted = proposal.scope or "user"
    elsewhere = wanted != "user" and not (proposal.basis == "asked" and by.role != "agent")
    if waited_for is not None:
        return waited_for, waited_for == "user" and elsewhere
    if "" in scopes:
        return "", False
    if wanted in scopes:
        return wanted, False
    return "user", elsewhere
