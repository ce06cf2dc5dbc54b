"""The vectors that a verifier must find sound.

Implements specs/event.md (E-4, E-14, E-16, E-21, E-22), specs/memory.md (M-3, M-9) and
specs/verification.md (V-7…V-10, V-13) as examples.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from ledger.event import MAX_LINE_BYTES
from specs.vectors.builder import LEDGER_ID, Chain, key
from specs.vectors.cases import Case, started

UNKNOWN_ID = "ab" * 32


def valid_cases() -> Iterator[Case]:
    """Give all valid vectors."""
    yield Case("minimal", "A genesis and nothing else.", started(0).data)
    yield _every_kind()
    yield from _payloads()
    yield from _heads()
    yield from _erasures()
    yield from _compared()


def _every_kind() -> Case:
    chain = Chain()
    chain.genesis()
    first = chain.create(
        "Run make lint before every commit.",
        record={
            "type": "preference",
            "section": "Workflow",
            "tags": ["lint", "git"],
            "importance": "high",
            "confidence": "0.90",
            "provenance": {"conversation": "c-41", "agent": "assistant"},
        },
    )
    second = chain.add("supersede", {"text": "Run make check before every commit."}, targets=[first])
    chain.add("confirm", {"reason": "still so in the new repository"}, targets=[second])
    wrong = chain.create("The release branch is called stable.")
    chain.add("delete", {"reason": "there is no release branch"}, targets=[wrong])
    chain.add("erase", {"reason": "named a customer"}, targets=[wrong])
    chain.blank(5)
    chain.rotate()
    chain.recover(
        {"reason": "the disk lost the last two lines"}, lost={"id": UNKNOWN_ID, "seq": 9}, cut="cd" * 32
    )
    chain.add(
        "anchor", {"method": "opentimestamps", "size": 9, "root": "ef" * 32, "file": "checkpoint-9.ots"}
    )
    return Case(
        "every-kind",
        "One event of each of the nine kinds, and a second create, erased.",
        chain.data,
        erased=1,
    )


def _payloads() -> Iterator[Case]:
    chain = started(0)
    body = (
        '\ufeff# Notes\r\n\r\n\ttabbed \u201cquotes\u201d and "plain" ones, a \\ and a \u007f\r\n'
        "\U0001f980 \u65e5\u672c\u8a9e\u2028next\u2029\x85\x0b\x1b[0m\n"
    )
    chain.create(
        '\u65e5\u672c\u8a9e \U0001f980 na\u00efve: \u201ctabs\u201d, not "spaces" \\ here',
        record={"title": "Odd text", "body": body},
    )
    yield Case("unicode-payload", "U+FEFF, CRLF, emoji, U+2028 and escapes inside a body.", chain.data)

    chain = started(0)
    chain.create("Known members only.", record={"zeta": {"deep": [1, -2, True, None]}, "mood": "calm"})
    chain.add("delete", {"reason": "", "ticket": 7}, targets=[chain.ids[1]])
    yield Case(
        "unknown-payload-members", "Members of payloads that this version does not know are kept.", chain.data
    )

    chain = started(0)
    nested: object = 9007199254740991
    for _ in range(14):
        nested = [nested]
    chain.create("Deep.", record={"deep": {"least": -9007199254740991, "most": nested}})
    yield Case("deepest-payload", "16 levels, and the largest and smallest integers.", chain.data)

    chain = started(0)
    first = chain.create(
        "A long text.", record={"title": "Long", "body": "one\n", "part": {"n": 1, "of": 3, "first": None}}
    )
    for number, body in ((2, "two\n"), (3, "three\n")):
        chain.create("A long text.", record={"body": body, "part": {"n": number, "of": 3, "first": first}})
    yield Case("parts", "A body in three parts.", chain.data)

    chain = started(0)
    everything = {
        "body": "",
        "category": "project-pattern",
        "confidence": "1.00",
        "details": ["one", "two"],
        "extra": "mood: calm\n",
        "importance": "critical",
        "inferred": False,
        "place": {"doc": "MEMORY.md", "after": None},
        "provenance": {},
        "reason": "Because.",
        "section": "Corrections",
        "source": "auto",
        "status": "candidate",
        "tags": [],
        "tier": "committed",
        "title": "T",
        "topic": "a/b-c/d/e1",
        "type": "commitment",
        "when_to_use": ["auth*"],
    }
    chain.create("t", record=everything)
    chain.create(("\u00e9" * 999) + ".", record={"topic": "x" * 64, "section": "s" * 100, "tags": ["g" * 64]})
    yield Case("every-member", "Every member of a record, and longest values, in code points.", chain.data)

    chain = started(0)
    chain.create("x")
    room = MAX_LINE_BYTES - len(chain.lines.pop())
    chain.ids.pop()
    chain.create("x", record={"body": "b" * (room - len('"body":"",'))})
    yield Case("longest-line", "A line of 65,535 bytes.", chain.data)


def _heads() -> Iterator[Case]:
    chain = started(1)
    chain.add("confirm", targets=[chain.ids[1]], at="2026-11-20T15:10:59.999999Z")
    chain.create("Leap day.", ts="2028-02-29T23:59:59.999999Z", at="9999-12-31T00:00:00.000000Z")
    yield Case("at", "The clock went back, then ran ahead: `at` differs from `ts`.", chain.data)

    chain = started(1)
    chain.create("Seen.", seen=[UNKNOWN_ID])
    chain.add("delete", targets=[chain.ids[1], UNKNOWN_ID], seen=[f"{n:064x}" for n in range(64)])
    yield Case("seen", "Tips of other chains, and a target that this chain does not hold.", chain.data)

    chain = started(16)
    chain.add("supersede", {"text": "All of these."}, targets=chain.ids[1:17])
    yield Case("merge", "A supersede of 16 targets.", chain.data)

    for name, proof, what in (
        ("rotate-with-proof", True, "A rotate that the old key proves, and events before and after it."),
        ("rotate-without-proof", False, "A rotate without the old key, which disowns from seq 2 on."),
    ):
        chain = started(2)
        chain.rotate(proof=proof, **({} if proof else {"since": 2}))
        chain.create("Signed by the second key.")
        chain.rotate(proof=True)
        chain.create("Signed by the third key.")
        yield Case(name, what, chain.data, disowned=() if proof else [(2, 3)])

    chain = started(3)
    chain.rotate(proof=False, since=2)
    chain.create("Signed by the second key.")
    chain.add("confirm", targets=[chain.ids[2]])
    chain.rotate(proof=False, since=3)
    chain.rotate(since=7)
    chain.rotate(since=9)
    chain.rotate(since=1000)
    chain.create("Signed by the last key.")
    what = "Keys that were stolen: two overlapping stretches, a rotate alone, and two that disown nothing."
    yield Case("rotate-stolen", what, chain.data, disowned=[(2, 4), (3, 7), (7, 8)])

    chain = started(2)
    chain.recover({"reason": "power loss"}, lost={"id": UNKNOWN_ID, "seq": 3}, cut="00" * 32)
    chain.create("In the new epoch.")
    chain.recover()
    yield Case("recover", "Two recoveries, with and without a payload.", chain.data)


def _erasures() -> Iterator[Case]:
    chain = started(3)
    reason = chain.add("delete", {"reason": "said too much"}, targets=[chain.ids[2]])
    chain.add("erase", {"reason": "a secret"}, targets=[chain.ids[2], reason])
    chain.create("After.")
    for line in (3, 5):
        chain.blank(line)
    yield Case("erased", "A memory and a reason, erased.", chain.data, erased=2)

    chain = started(2)
    bare = chain.add("confirm", targets=[chain.ids[1]])
    chain.add("erase", targets=[UNKNOWN_ID, bare, chain.ids[0]])
    yield Case("erase-of-nothing", "An erase of an unknown event and of events without payload.", chain.data)

    chain = started(2)
    chain.add("erase", targets=[chain.ids[1]])
    chain.blank(2)
    chain.add("erase", targets=[chain.ids[1], chain.ids[3]])
    yield Case("erased-twice", "The same memory is erased by two events.", chain.data, erased=1)


def _compared() -> Iterator[Case]:
    chain = started(3)
    pinned = Case(
        "pinned",
        "With the right pin, ledger id and mark.",
        chain.data,
        pin=chain.genesis_id,
        mark=chain.mark(3),
    )
    yield replace(pinned, ledger=LEDGER_ID)
    yield Case("longer-than-mark", "The mark lags behind, as after a crash.", chain.data, mark=chain.mark(1))
    cut = "What follows the mark was half written, and nobody was told that it is stored."
    yield Case("unfinished-write", cut, chain.data[:-100], mark=chain.mark(2))
    since = Case("since-mark", "Only what follows the mark is checked.", chain.data, since=True)
    yield replace(since, mark=chain.mark(1), ledger=LEDGER_ID)

    erasing = started(3)
    erasing.add("erase", targets=[erasing.ids[1]])
    erasing.blank(2)
    before = replace(erasing.mark(3))
    yield Case(
        "since-mark-erase",
        "An erase after the mark, of an event before it.",
        erasing.data,
        mark=before,
        since=True,
    )

    own = Chain(number=3)
    own.genesis()
    assert own.members("create")["prev"] == own.genesis_id
    assert key(3).public.hex().encode() in own.lines[0]
    yield Case("unpinned", "Another key's ledger: sound, but the signer is unknown.", own.data)
