"""Damaged at random, a chain gets the same report from the ledger's verifier and from the independent one.

Tests specs/verification.md (V-2…V-11, V-13, V-50): what the text leaves open would show here.
"""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest

from ledger.mark import Mark
from ledger.verify import Expectation, verify_chain
from specs.vectors import make_vectors
from tests.specs.independent_verifier import verify
from tests.specs.test_vectors import as_vector

HERE = Path(make_vectors.__file__).parent
CASES = [path for path in sorted(HERE.glob("*valid/*.jsonl")) if path.stat().st_size < 20_000]
PIECES = (
    *(b"null", b" ", b'"', b',"sig":"', b"{", b"}", b"[", b"]", b"\n", b"\r\n", b"\x00", b"\t", b"\xff"),
    *(b"0", b"1", b".5", b"e0", b"-", b',"v":2}', b'"at":', b'"kind":"erase"', b"\\n", b"\\u0000", b"AAAA"),
    *(b"\xe2\x80\xa8", b"\xc2\x85", b"\xef\xbb\xbf"),
)


def damaged(data: bytes, rnd: random.Random) -> bytes:
    """Return a chain's bytes with one to five faults."""
    for _ in range(rnd.choice((1, 1, 2, 5))):
        at = rnd.randrange(len(data) + 1)
        cut = rnd.choice((0, 0, 1, 1, 4, 60, 400))
        match rnd.randrange(4):
            case 0:
                data = data[:at] + rnd.choice(PIECES) + data[at + cut :]
            case 1:
                data = data[:at] + bytes([rnd.randrange(256)]) + data[at + 1 :]
            case 2:
                other = rnd.randrange(len(data) + 1)
                data = data[:at] + data[other : other + cut] + data[at + cut :]
            case _:
                lines = data.split(b"\n")
                lines.insert(rnd.randrange(len(lines)), lines[rnd.randrange(len(lines))])
                del lines[rnd.randrange(len(lines)) :: len(lines)]
                data = b"\n".join(lines)
    return data


@pytest.mark.parametrize("seed", range(4))
def test_two_verifiers_agree_on_damaged_chains(tmp_path: Path, seed: int) -> None:
    rnd = random.Random(seed)
    path = tmp_path / "chain.jsonl"
    for _ in range(120):
        case = rnd.choice(CASES)
        given = json.loads(case.with_suffix(".json").read_text("utf-8"))["given"]
        data = damaged(case.read_bytes(), rnd)
        path.write_bytes(data)
        mark = Mark(**given["mark"]) if given["mark"] else None
        expect = Expectation(given["genesis"], given["ledger"], mark)
        report = verify_chain(path, expect, since=mark if given["since_mark"] else None)
        ours = as_vector(report)
        theirs = verify(data, given)
        assert ours == {
            "integrity": {"state": theirs.states["integrity"], "findings": theirs.integrity},
            "completeness": {"state": theirs.states["completeness"], "findings": theirs.completeness},
            "events": sum(id_ is not None for id_ in theirs.ids),
            "erased": theirs.erased,
            **({"disowned": theirs.disowned} if theirs.disowned else {}),
        }, (case.name, data)
        known = [id_ for id_ in theirs.ids if id_]
        if len(set(known)) == len(known) and theirs.payloads:  # a line that was doubled is one event
            assert report.payloads.to_json() == theirs.payloads, (case.name, data)
