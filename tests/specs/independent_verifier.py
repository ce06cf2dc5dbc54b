"""A second verifier, written from the text of specs/ alone: it shares no code with the ledger.

Implements specs/verification.md (V-2, V-5…V-10, V-13, V-20). What it and the ledger both say of every vector is
what the text says.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from tests.specs.independent_line import (
    Fault,
    Good,
    State,
    decoded,
    derived,
    identity,
    is_blank,
    payload_fault,
    placed,
    shaped,
    signed,
)

Found = tuple[int, str, int | None, str | None]


@dataclass
class Report:
    """What is compared with the vectors."""

    integrity: list[dict[str, Any]] = field(default_factory=list)
    completeness: list[dict[str, Any]] = field(default_factory=list)
    states: dict[str, str] = field(default_factory=dict)
    ids: list[str | None] = field(default_factory=list)
    erased: int = 0
    payloads: dict[str, int] = field(default_factory=dict)
    disowned: list[list[int]] = field(default_factory=list)


def verify(data: bytes, given: dict[str, Any]) -> Report:
    """Return what the specs demand of a chain, given the `given` of a vector."""
    report = Report()
    mark = given["mark"]
    whole = data.rfind(b"\n") + 1
    if mark and whole >= mark["end"]:
        data = data[:whole]  # V-10: what a killed writer left
    state = State()
    begin, number = 0, 0
    if given["since_mark"]:
        taken = _at_mark(data, mark)
        if taken is None:
            report.ids = [None] * len(lines_of(data))
            report.completeness = [{"code": "rollback", "line": None, "seq": mark["seq"], "id": mark["id"]}]
            report.states = {"integrity": "not checked", "completeness": "findings"}
            return report
        state, begin, number = taken, mark["end"], mark["seq"] + 1
    report.ids = [None] * number
    findings: list[Found] = []
    goods: list[Good] = []
    offset = begin
    for raw in lines_of(data[begin:]):
        number += 1
        good = _take(raw, number, offset, state, findings)
        report.ids.append(good.id if good else None)
        goods += [good] if good else []
        offset += len(raw) + 1
        if state.event is None:
            break
    keyless = data != b"" and state.event is None
    if data and not data.endswith(b"\n") and offset > len(data):
        findings.append((number, "missing-lf", None, None))
    report.ids += [None] * (len(lines_of(data)) - len(report.ids))
    _erasures(data, goods, findings, report, given)
    report.disowned = [
        [good.event["since"], good.event["seq"]]
        for good in goods
        if good.event["kind"] == "rotate" and good.event.get("since", good.event["seq"]) < good.event["seq"]
    ]
    findings.sort(key=lambda found: (found[0], found[1] == "missing-lf"))
    listed = [{"code": code, "line": line, "seq": seq, "id": id_} for line, code, seq, id_ in findings]
    for code, holds in (("empty-chain", not data), ("no-key", keyless)):
        if holds:
            listed.append({"code": code, "line": None, "seq": None, "id": None})
    report.integrity = _foreign(data, state, goods, given) + listed
    report.states["integrity"] = "findings" if report.integrity else "sound"
    _completeness(report, goods, mark, given)
    return report


def lines_of(data: bytes) -> list[bytes]:
    lines = data.split(b"\n")
    return lines if lines[-1] else lines[:-1]


def _take(raw: bytes, number: int, offset: int, state: State, findings: list[Found]) -> Good | None:
    event = None
    id_ = ""
    try:
        body, sig, head, payload = shaped(raw)
        id_ = identity(head)
        event = decoded(body)
        placed(event, state)
        signed(body, event, sig, state)
    except Fault as fault:
        findings.append((number, fault.code, event["seq"] if event else None, id_ if event else None))
        state.loose = True
        return None
    state.event, state.id, state.loose = event, id_, False
    if "key" in event:
        state.key, state.next = bytes.fromhex(event["key"]), event["next"]
    state.genesis = state.genesis or id_
    return Good(number, offset, event, id_, payload)


def _at_mark(data: bytes, mark: dict[str, Any]) -> State | None:
    if len(data) < mark["end"] - 1:
        return None
    raw = data[mark["start"] : mark["end"]].removesuffix(b"\n")
    try:
        body, _, head, _ = shaped(raw, controls=True)
        event = decoded(body)
    except Fault:
        return None
    if identity(head) != mark["id"]:
        return None
    return State(event, mark["id"], bytes.fromhex(mark["key"]), mark["next_key"], mark["genesis"])


def _erasures(
    data: bytes, goods: list[Good], findings: list[Found], report: Report, given: dict[str, Any]
) -> None:
    """V-7, V-50; an erase after the mark may name what stands before it (V-13)."""
    states = dict.fromkeys(("present", "erased", "missing", "altered", "present_after_erase"), 0)
    named = {target for good in goods if good.event["kind"] == "erase" for target in good.event["targets"]}
    for good in _before(data, given["mark"]) if given["since_mark"] else []:
        standing = good.payload is not None and not is_blank(good.payload)
        if standing and good.id in named and "commit" in good.event:
            findings.append((good.number, "erase-incomplete", good.event["seq"], good.id))
            states["present_after_erase"] += 1
    erased: set[str] = set()
    for good in goods:
        code = payload_fault(good)
        if code not in ("payload-missing", "payload-unsigned") and good.payload is not None:
            matches = derived("memory-ledger 2026-11-20 payload v1", good.payload) == good.event["commit"]
            blank = is_blank(good.payload) and not matches
            if blank and good.id in named:
                erased.add(good.id)
            elif blank:
                code = "payload-missing"
            elif good.id in named:
                code = "erase-incomplete"
        if code:
            findings.append((good.number, code, good.event["seq"], good.id))
        if "commit" in good.event:
            states["erased" if code is None and good.id in erased else _STATES[code]] += 1
    report.erased, report.payloads = len(erased), states


_STATES = {
    None: "present",
    "payload-schema": "present",
    "payload-missing": "missing",
    "payload-altered": "altered",
    "erase-incomplete": "present_after_erase",
}


def _before(data: bytes, mark: dict[str, Any]) -> Iterator[Good]:
    """Give the events up to the mark; an id that an erase names proves the head that it is of."""
    for number, raw in enumerate(lines_of(data[: mark["end"]]), 1):
        try:
            body, _, head, payload = shaped(raw, controls=True)
            yield Good(number, 0, decoded(body), identity(head), payload)
        except Fault:
            continue


def _foreign(data: bytes, state: State, goods: list[Good], given: dict[str, Any]) -> list[dict[str, Any]]:
    """V-8."""
    if not state.genesis:
        return []
    ledgers = [good.event["ledger"]["id"] for good in goods if good.event["kind"] == "genesis"]
    if given["since_mark"]:
        before = _before(data, given["mark"])
        ledgers = [
            good.event["ledger"]["id"] for good in before if good.number == 1 and good.id == state.genesis
        ]
    if given["genesis"] in (None, state.genesis) and (not given["ledger"] or given["ledger"] in ledgers):
        return []
    return [{"code": "foreign-chain", "line": 1, "seq": 0, "id": state.genesis}]


def _completeness(
    report: Report, goods: list[Good], mark: dict[str, Any] | None, given: dict[str, Any]
) -> None:
    """V-9."""
    if mark is None:
        report.states["completeness"] = "not checked"
        return
    code = "rollback"
    for good in reversed(goods):
        if good.id == mark["id"] and good.event["seq"] == mark["seq"]:
            code = "" if good.offset == mark["start"] else "moved"
    if given["since_mark"]:
        code = ""  # it was found there before anything else
    report.states["completeness"] = "findings" if code else "sound"
    if code:
        report.completeness = [{"code": code, "line": None, "seq": mark["seq"], "id": mark["id"]}]
