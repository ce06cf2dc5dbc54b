"""The command that fixes each fault that verification finds.

Implements specs/cli.md (X-56): the codes are those of specs/verification.md (V-2).
"""

from __future__ import annotations

from ledger.finding import Finding

FROM_COPY = "muniment recover --from COPY -m REASON"

_WITHOUT = (
    "an editor or git put it there: {} > fixed && cat fixed > chain.jsonl leaves every byte that was signed"
)
_NO_RETURNS = _WITHOUT.format("tr -d '\\r' < chain.jsonl")
_LINE = f"{FROM_COPY} if you have a good copy of the chain; else muniment recover -m REASON continues before that line"
GONE = "cp COPY chain.jsonl puts a good copy in its place; or muniment restore BACKUP"
BEGINNING = f"mv chain.jsonl chain.jsonl.torn-1 first: muniment import takes its good events from there afterwards. {GONE}"
_PAYLOAD = f"{FROM_COPY} takes it from a good copy; muniment erase {{id}} -m REASON gives it up"

REMEDIES = {
    **dict.fromkeys(
        (
            "line-too-long",
            "blank-line",
            "framing",
            "not-canonical",
            "schema",
            "seq",
            "prev",
            "time",
            "epoch",
            "key",
            "signature",
        ),
        _LINE,
    ),
    "raw-control": f"if it is a carriage return, {_NO_RETURNS}; else {_LINE}",
    "bom": f"{_WITHOUT.format('tail -c +4 chain.jsonl')}; else {_LINE}",
    "unsupported-version": "install the newest version of muniment, which reads it: nothing is damaged",
    "genesis": BEGINNING,
    "empty-chain": BEGINNING,
    "no-key": BEGINNING,
    "foreign-chain": f"move it away: it is not this ledger's. {GONE}",
    "payload-missing": f"{FROM_COPY} takes it from a good copy; muniment recover -m REASON gives up what was blanked",
    "payload-altered": _PAYLOAD,
    "payload-schema": "muniment erase {id} -m REASON: it was signed like this, so no copy has it better",
    "payload-unsigned": f"{FROM_COPY} restores that line from a good copy; the inserted bytes are never read",
    "erase-incomplete": "muniment replay blanks it",
    "missing-lf": "the next write ends the line: muniment add, or any other",
    "rollback": f"{FROM_COPY} if you have the newer file; else muniment recover -m REASON gives the rest up",
    "moved": "muniment recover -m REASON",
}
"""The fix of each code; `{id}` is replaced by the event's id."""


def remedy(finding: Finding, marked: int | None = None) -> str:
    """Return what a person can do about a finding.

    Args:
        finding: the fault.
        marked: the line of the newest acknowledged event, if it is there: what follows it is set aside automatically.
    """
    if marked is not None and (finding.line or 0) > marked and REMEDIES.get(finding.code) == _LINE:
        return "the next write sets it aside, for it was never acknowledged: muniment add, or any other"
    if finding.line == 1 and REMEDIES.get(finding.code) == _LINE:
        return BEGINNING
    return REMEDIES[finding.code].format(id=finding.id[:12] if finding.id else "ID")
