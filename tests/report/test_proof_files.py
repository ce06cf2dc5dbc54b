"""The page judges proof files as `muniment verify` does.

Tests specs/proofs.md (T-2, T-10…T-14, T-20, T-40…T-50, T-53).
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace
from itertools import product
from typing import Any

import pytest

from ledger.canonical import encode
from ledger.errors import FormatError
from ledger.event import split_line
from ledger.note import COSIGNATURE, NoteKey, parse, unb64
from proofs import checkpoint, merkle, proof, proof_judgement
from proofs.proof import AnchorReceipt, Proof
from proofs.proof_judgement import Judgement, VerifierTrust
from tests.proofs.fake_witness import cosign
from tests.proofs.test_proof import WITNESS
from tests.proofs.test_proof_keys import Rotating
from tests.report.judging import Judged, differing
from tests.report.verifier import Ask, b64

KEYS = (0, 3, 5)


@pytest.fixture(scope="module")
def chain() -> Rotating:
    """Two creates, a rotate, a create, a rotate that disowns it, a recover and a create."""
    made = Rotating()
    made.create("one")
    made.create("two")
    made.rotate()
    made.create("three")
    made.rotate(since=4)
    made.recover()
    made.create("last")
    return made


def with_text(chain: Rotating, index: int, **options: Any) -> Proof:
    """Return the proof of an event with its payload."""
    return replace(chain.proof(index, KEYS, **options), payload=split_line(chain.lines[index].raw).payload)


def judged(name: str, data: bytes, key: NoteKey | None = None) -> Judged:
    """Return a proof file's case with what the ledger says of it."""
    case = {"file": b64(data), "vkey": key.vkey if key else None}
    try:
        found = proof_judgement.judge(proof.parse(data), VerifierTrust((key,) if key else ()))
    except FormatError:
        return Judged(name, case, "malformed")
    return Judged(name, case, of_ledger(found))


def of_ledger(found: Judgement) -> dict[str, Any]:
    made = found.checkpoint
    return {
        "result": found.result,
        "index": found.index,
        "id": found.id or None,
        "event": found.event,
        "payload": found.payload,
        "vkey": found.vkey or None,
        "checkpoint": {"origin": made.origin, "size": made.size, "root": made.root.hex()},
        "items": [(item.name, item.state) for item in found.items],
    }


def of_page(found: dict[str, Any]) -> Any:
    if "error" in found:
        return "malformed"
    return {**found, "items": [(item["name"], item["state"]) for item in found["items"]]}


def check(ask: Ask, cases: list[Judged]) -> None:
    answers = ask("proofs", [each.case for each in cases])
    assert differing(cases, map(of_page, answers)) == {}


def test_every_event_with_every_key(ask_node: Ask, chain: Rotating) -> None:
    first = NoteKey(f"muniment/{chain.lines[0].id}/0", chain.keys[0].public)
    keys = {
        "no key": None,
        "the first key": first,
        "the key in force": replace(first, public=chain.keys[2].public),
        "a key to come": replace(first, public=chain.keys[3].public),
        "another ledger's": replace(first, name=f"muniment/{'0' * 64}/0"),
        "another log's": replace(first, name="log.example"),
        "a witness's": replace(first, type=COSIGNATURE),
    }
    cases = [
        judged(f"@{index}, {name}", with_text(chain, index).encode(), key)
        for index in range(len(chain.lines))
        for name, key in keys.items()
    ]
    check(ask_node, cases)
    assert {each.answer["result"] for each in cases} == {"sound", "findings", "unknown signer"}


def wrongly_made(chain: Rotating) -> Iterator[tuple[str, Proof]]:
    """Give proofs with one thing wrong."""
    good = with_text(chain, 7)
    for events in ((), (0,), (0, 3), (3, 5), (0, 5, 3), (0, 3, 5, 7), (0, 0, 3, 5), (1,)):
        yield f"keys of {events}", replace(good, keys=chain.proof(7, events).keys)
    for key in chain.keys:
        yield f"signed by {key.public.hex()[:8]}", replace(good, note=chain.proof(7, KEYS, key).note)
    for epoch, index in product((0, 1, 2), (1, 6, 7)):
        yield f"epoch {epoch}, @{index}", with_text(chain, index, epoch=epoch)
    yield "another genesis", with_text(chain, 7, genesis="ab" * 32)
    yield "another order", chain.proof(2, KEYS, order=(0, 2, 1, 3, 4, 5, 6, 7))
    yield "another index", replace(good, index=6)
    yield "an index that no tree has", replace(good, index=10**15)
    yield "another text", replace(good, payload=with_text(chain, 1).payload)
    yield "a text that is blank", replace(good, payload=b"null  ")
    yield "a text of nothing", replace(good, payload=b"")
    yield "a text that is not signed", replace(with_text(chain, 3), payload=good.payload)
    yield "without its text", replace(good, payload=None)
    yield "a hash too few", replace(good, event=replace(good.event, hashes=good.event.hashes[1:]))
    yield "a hash too many", replace(good, event=replace(good.event, hashes=(*good.event.hashes, bytes(32))))
    yield "64 hashes", replace(good, event=replace(good.event, hashes=(bytes(32),) * 64))
    yield "a receipt", replace(good, receipts=(AnchorReceipt("ots", b"x"),))
    yield "nine receipts", replace(good, receipts=(AnchorReceipt("ots", b"x"),) * 9)
    yield "a witness", replace(good, note=cosigned(good.note))
    again = good.note.splitlines(keepends=True)[-1]
    name, _, signature = again.rpartition(b" ")
    other = b64((unb64(signature[:-1]) or b"")[:4] + bytes(64)).encode()
    yield "signed twice", replace(good, note=good.note + again)
    yield "signed twice, once wrongly", replace(good, note=good.note + name + b" " + other + b"\n")
    grown = replace(checkpoint.parse(good.note)[0], size=9)
    yield "a size of another tree", replace(good, note=checkpoint.sign(grown, chain.keys[2]))
    yield "keys in another order", keys_in_another_order()
    yield "65 signatures", replace(good, note=good.note + again * 64)


def keys_in_another_order() -> Proof:
    """Return a proof of a malicious log: its first rotate stands after the second one, which it committed to."""
    chain = Rotating()
    chain.create("one")
    genesis = chain.lines[0]
    chain.rotate()
    first = chain.lines.pop()
    chain.lines = [genesis]
    chain.rotate()
    chain.lines.append(first)
    return chain.proof(2, (0, 2, 1))


def cosigned(note: bytes) -> bytes:
    return note + cosign(parse(note).text, "witness.example/w", WITNESS, 1).line()


def test_what_is_made_wrong(ask_node: Ask, chain: Rotating) -> None:
    check(ask_node, [judged(name, each.encode()) for name, each in wrongly_made(chain)])


def test_what_is_written_wrong(ask_node: Ask, chain: Rotating) -> None:
    """One byte changed, put in or left out, in the file and in its extra line."""
    rnd = random.Random(3)
    data = with_text(chain, 7).encode()
    start = data.index(b"extra ") + len(b"extra ")
    end = data.index(b"\n", start)
    extra = unb64(data[start:end])
    assert extra
    cases = []
    for number in range(150):
        cases.append(judged(f"file {number}", damaged(data, rnd)))
        inner = b64(damaged(extra, rnd)).encode()
        cases.append(judged(f"extra {number}", data[:start] + inner + data[end:]))
    check(ask_node, cases)


def damaged(data: bytes, rnd: random.Random) -> bytes:
    at = rnd.randrange(len(data))
    put = rnd.choice([b"", b"\n", b" ", b"A", b"=", b"0", bytes([data[at] ^ 1 << rnd.randrange(8)])])
    return data[:at] + put + data[at + rnd.randrange(2) :]


OTHER_MEMBERS: list[dict[str, Any]] = [
    {},
    {"v": True},
    {"v": 2},
    {"event": 1},
    {"keys": 1},
    {"keys": [1]},
    {"keys": [{"event": "x"}]},
    {"keys": [{"event": "x", "proof": [], "more": 1}]},
    {"keys": [{"event": "x", "proof": ["AAAA"]}]},
    {"keys": [{"event": "x", "proof": [1]}]},
    {"payload": None},
    {"receipts": []},
    {"receipts": [{"kind": "ots", "data": "!"}]},
    {"receipts": [{"kind": "OTS", "data": ""}]},
    {"receipts": [{"kind": "ots", "data": ""}]},
    {"receipts": [{"kind": "ots"}]},
    {"more": 1},
]


def test_an_extra_line_with_other_members(ask_node: Ask, chain: Rotating) -> None:
    made = with_text(chain, 7)
    keys = [{"event": each.head.decode(), "proof": [*map(b64, each.hashes)]} for each in made.keys]
    top, _, rest = made.encode().partition(b"\nindex ")
    cases = []
    for members in OTHER_MEMBERS:
        extra = {"v": 1, "event": made.event.head.decode(), "keys": keys, **members}
        data = top[: top.index(b"extra ") + 6] + b64(encode(extra)).encode() + b"\nindex " + rest
        cases.append(judged(str(members), data))
    check(ask_node, cases)
    assert sum(each.answer != "malformed" for each in cases) == 2


def test_trees_of_every_shape(ask_node: Ask) -> None:
    """T-2: each event of trees of one to twelve, and one whose proof is that of its neighbour."""
    grown = Rotating()
    cases = []
    for size in range(1, 13):
        proofs = [grown.proof(index, (0,)) for index in range(size)]
        cases += [judged(f"@{index} of {size}", each.encode()) for index, each in enumerate(proofs)]
        moved = replace(proofs[0], event=replace(proofs[0].event, hashes=proofs[-1].event.hashes))
        cases.append(judged(f"moved in {size}", moved.encode()))
        grown.create(str(size))
    check(ask_node, cases)


def test_its_tree_is_the_ledgers(ask_node: Ask) -> None:
    """T-2: roots and inclusion proofs of every size, of a tree that has more leaves."""
    hashes = [merkle.leaf_hash(bytes([leaf])) for leaf in range(70)]
    tree = merkle.Tree([], lambda _: merkle.levels_of(hashes))
    sizes = range(1, 71)
    wanted = [
        {
            "root": tree.root(size).hex(),
            "proofs": [[each.hex() for each in tree.inclusion_proof(at, size)] for at in range(size)],
        }
        for size in sizes
    ]
    assert ask_node("trees", [{"size": size} for size in sizes]) == wanted
