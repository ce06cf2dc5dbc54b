"""Chains and signatures for the page's verifier, and what `muniment verify` says of each: the two must say the same."""

from __future__ import annotations

import json
import random
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from ledger.mark import Mark
from ledger.signing import verify_signature
from ledger.verify import ChainReport, Expectation, verify_chain
from specs.vectors import make_vectors
from tests.ledger.test_signing import cctv
from tests.report.verifier import b64

VECTORS = Path(make_vectors.__file__).parent


class Judged(NamedTuple):
    """A case: its name, what is asked, and the right answer."""

    name: str
    case: dict[str, Any]
    answer: Any


def vectors() -> Iterator[Judged]:
    """Give each chain of specs/vectors, judged as a whole."""
    for path in sorted(VECTORS.glob("*valid/*.jsonl")):
        given = json.loads(path.with_suffix(".json").read_text("utf-8"))["given"]
        yield chain(f"{path.parent.name}/{path.stem}", path.read_bytes(), given, path)


def chain(name: str, data: bytes, given: dict[str, Any], path: Path) -> Judged:
    """Return a chain's case; its bytes are in the file at `path`."""
    known = {name: given[name] for name in ("genesis", "ledger", "mark")}
    mark = Mark(**given["mark"]) if given["mark"] else None
    report = verify_chain(path, Expectation(given["genesis"], given["ledger"], mark))
    return Judged(name, {"chain": b64(data), "given": known}, from_ledger(report))


def signatures() -> Iterator[Judged]:
    """Give the public CCTV vectors (E-10)."""
    for vector in cctv():
        key, message, signature = bytes.fromhex(vector.key), vector.msg.encode(), bytes.fromhex(vector.sig)
        case = {"key": b64(key), "message": b64(message), "signature": b64(signature)}
        yield Judged(f"CCTV {vector.number}", case, verify_signature(key, message, signature))


def flipped(path: Path, count: int) -> Iterator[Judged]:
    """Give the chain with one of each kind, one bit of one byte changed, `count` times."""
    every = VECTORS / "valid/every-kind.jsonl"
    data, rnd = every.read_bytes(), random.Random(1)
    given = {"genesis": None, "ledger": None, "mark": None}
    for at in sorted(rnd.sample(range(len(data)), count)):
        bit = rnd.randrange(8)
        changed = data[:at] + bytes([data[at] ^ 1 << bit]) + data[at + 1 :]
        path.write_bytes(changed)
        yield chain(f"byte {at}, bit {bit}", changed, given, path)


def from_ledger(report: ChainReport) -> dict[str, Any]:
    """Return what is compared of the ledger's report."""
    link = report.link
    return {
        "integrity": _verdict(report.integrity.to_json()),
        "completeness": _verdict(report.completeness.to_json()),
        "events": report.events,
        "payloads": report.payloads.to_json(),
        "disowned": [list(each) for each in report.disowned],
        "genesis": link.chain if link else None,
        "tip": [link.seq, link.id, link.ts, link.epoch, link.key.hex(), link.next_key] if link else None,
    }


def from_page(report: dict[str, Any]) -> dict[str, Any]:
    """Return the same of the page's report."""
    tip = report["tip"]
    return {
        **{name: report[name] for name in ("events", "payloads", "disowned", "genesis")},
        "integrity": _verdict(report["integrity"]),
        "completeness": _verdict(report["completeness"]),
        "tip": [tip[name] for name in ("seq", "id", "ts", "epoch", "key", "next")] if tip else None,
    }


def _verdict(verdict: dict[str, Any]) -> dict[str, Any]:
    """Leave out the messages, and which rule of canonical JSON is named: bytes often break several."""
    findings = [{**finding, "message": "", "rule": _rule(finding["rule"])} for finding in verdict["findings"]]
    return {**verdict, "findings": findings}


def _rule(rule: str) -> str:
    return "E-7" if rule in ("E-5", "E-6") else rule


def differing(judged: Iterable[Judged], answers: Iterable[Any]) -> dict[str, tuple[Any, Any]]:
    """Return by name the cases of which the page says something else: the right answer and the page's."""
    pairs = zip(judged, answers, strict=True)
    return {each.name: (each.answer, answer) for each, answer in pairs if each.answer != answer}
