"""Chains and signatures for the page's verifier, and what `muniment verify` says of each: the two must say the same."""

from __future__ import annotations

import json
import random
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from ledger.event import commitment
from ledger.mark import Mark
from ledger.signing import verify_signature
from ledger.verify import ChainReport, Expectation, verify_chain
from specs.vectors import make_vectors
from specs.vectors.builder import Chain, key, spelled
from specs.vectors.cases import started
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


NAMES = (
    *("text", "details", "title", "body", "part", "place", "topic", "when_to_use", "tags", "type", "section"),
    *("tier", "importance", "confidence", "inferred", "source", "status", "category", "provenance", "extra"),
    *("reason", "salt", "method", "size", "root", "constructor", "__proto__", "10", "9"),
)
"""Members of payloads, and names that an object of JavaScript has of its own or orders by itself."""

TEXTS = (
    *(
        "",
        "a",
        " a",
        "a ",
        "#a",
        "a/b",
        "\u3000",
        "\ufeff",
        "a\u2028b",
        "a\x85b",
        "a\x1cb",
        "a\nb",
        "\x7f",
        "1.00",
    ),
    *("\U0001d54f" * 1000, "\U0001d54f" * 1001, "a" * 65, "b-" * 40, "\xe9" * 4000, "\U0001d54f" * 4001),
)
VALUES: tuple[Any, ...] = (
    *(None, True, False, 0, -1, 1, 2**53 - 1, [], {}, ["a"], ["a", ""], ["a\nb"], [["a"]], ["a"] * 101),
    *({"n": 1, "of": 1}, {"n": 1, "of": 2, "first": "0" * 64}, {"n": 2, "of": 2, "first": "0" * 64}),
    *({"n": 2, "of": 1, "first": "0" * 64}, {"n": True, "of": 1}, {"doc": "a", "after": None}, {"doc": ""}),
    *({"doc": "a", "after": "0" * 63}, {"file": "a", "more": 1}, {"file": 1}, {"date": "a\nb"}),
)


def odd_payloads(path: Path) -> Judged:
    """Give a chain whose payloads have members of any value."""
    made = started(0)
    for name in NAMES:
        for value in (*TEXTS, *VALUES):
            salted = {"salt": "A" * 22, "text": "a"}
            made.create_raw({**salted, name: value})
            for kind in (
                ("delete", "anchor") if name in ("reason", "provenance", "method", "size", "root") else ()
            ):
                raw = spelled({**salted, "method": "a", name: value})
                targets = {"targets": [made.ids[1]]} if kind == "delete" else {}
                made.raw(made.members(kind, commit=commitment(raw), **targets), raw)
    return of_chain("odd payloads", made, path)


MEMBERS: dict[str, tuple[str, ...]] = {
    "confirm": (
        *("v", "seq", "prev", "ts", "at", "kind", "epoch", "by", "seen", "targets", "commit", "key", "since"),
        *("__proto__", "constructor", "10"),
    ),
    "rotate": ("key", "next", "proof", "since"),
    "recover": ("lost", "cut", "epoch"),
}
HEADS: tuple[Any, ...] = (
    *(
        ...,
        None,
        True,
        0,
        1,
        -1,
        1.0,
        2**53,
        "",
        "a",
        "A" * 64,
        "a" * 64,
        "a" * 63,
        "A" * 22,
        "A" * 86,
        "A" * 87,
    ),
    *([], {}, ["a" * 64], ["a" * 64, "b" * 64], ["a" * 64] * 2, [f"{n:064x}" for n in range(17)], [None]),
    *("2026-11-20T15:11:00.000000Z", "2026-02-29T15:11:00.000000Z", "2024-02-29T23:59:59.999999Z"),
    *("0000-01-01T00:00:00.000000Z", "2100-02-29T00:00:00.000000Z", "2026-13-01T00:00:00.000000Z"),
    *({"name": "a", "role": "user", "via": "cli"}, {"name": "A", "role": "user", "via": "cli"}),
    *({"name": "a", "role": "user", "via": "web"}, {"name": "a", "role": "user"}, {"id": "a" * 64, "seq": 0}),
    *({"id": "0" * 32, "name": "a", "scope": "user"}, {"id": "0" * 32, "name": "a", "scope": "team"}),
)


def odd_heads(path: Path) -> Judged:
    """Give a chain with an event of any value in each member, a good event after each."""
    made = started(0)
    own: dict[str, dict[str, Any]] = {
        "confirm": {"targets": ["a" * 64]},
        "rotate": {"key": key(2).public.hex(), "next": "a" * 64},
        "recover": {"lost": None, "cut": None},
    }
    for kind, names in MEMBERS.items():
        for name in names:
            for value in HEADS:
                event = {**made.members(kind, **own[kind]), name: value}
                made.raw({each: value for each, value in event.items() if value is not ...})
                made.create("good")
    return of_chain("odd heads", made, path)


def of_chain(name: str, made: Chain, path: Path) -> Judged:
    path.write_bytes(made.data)
    return chain(name, made.data, {"genesis": None, "ledger": None, "mark": None}, path)


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
