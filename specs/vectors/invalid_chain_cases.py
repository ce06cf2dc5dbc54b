"""The vectors whose lines are good, or whose fault concerns the chain: order, end, erasures, pin, mark.

Implements specs/verification.md (V-5…V-10, V-13) as examples, one failure a file.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from specs.vectors.builder import Chain
from specs.vectors.cases import Case, started

Found = list[tuple[str, int | None]]


def chain_cases() -> Iterator[Case]:
    """Give all vectors of a bad chain."""
    yield from _order()
    yield from _ends()
    yield from _erasures()
    yield from _erasures_of_bad_lines()
    yield from _pins()
    yield from _marks()


def _order() -> Iterator[Case]:
    chain = started(5)
    lines = chain.lines
    for name, what, order, found in (
        ("deleted-line", "The third line was deleted.", (0, 1, 3, 4, 5), [("seq", 3)]),
        ("duplicated-line", "The third line stands twice.", (0, 1, 2, 2, 3, 4, 5), [("seq", 4)]),
        (
            "swapped-lines",
            "The third and fourth line changed places.",
            (0, 1, 3, 2, 4, 5),
            [("seq", 3), ("seq", 5)],
        ),
    ):
        data = b"".join(lines[n] + b"\n" for n in order)
        yield Case(name, what, data, found)
    chain = started(6)
    chain.lines[2:4] = [b"garbage", b"more of it"]
    yield Case(
        "two-bad-lines", "Two lines in a row are garbage.", chain.data, [("framing", 3), ("framing", 4)]
    )


def _ends() -> Iterator[Case]:
    chain = started(4)
    mark = chain.mark(4)
    yield Case("missing-lf", "The last LF is gone.", chain.data[:-1], [("missing-lf", 5)], mark=mark)
    cut: Found = [("framing", 5), ("missing-lf", 5)]
    yield Case("torn-tail", "The last line was half written.", chain.data[:-100], cut)
    yield Case(
        "torn-tail-acknowledged",
        "Half of the marked line is left.",
        chain.data[:-100],
        cut,
        "rollback",
        mark=mark,
    )
    whole = b"".join(line + b"\n" for line in chain.lines[:3])
    yield Case("cut-tail", "The last two lines are gone.", whole, (), "rollback", mark=mark)
    yield Case("emptied", "The file was emptied.", b"", [("empty-chain", None)], "rollback", mark=mark)
    yield Case("empty", "The file was emptied, and no mark knows of it.", b"", [("empty-chain", None)])
    one: Found = [("framing", 1), ("missing-lf", 1), ("no-key", None)]
    yield Case("first-line-torn", "Half of the first line is all there is.", chain.data[:100], one)


def _erasing() -> Chain:
    chain = started(3)
    chain.add("erase", {"reason": "a secret"}, targets=[chain.ids[2]])
    chain.create("After.")
    return chain


def _erasures() -> Iterator[Case]:
    chain = _erasing()
    found: Found = [("erase-incomplete", 3)]
    yield Case("erase-incomplete", "An erase was signed, but the payload stands.", chain.data, found)
    chain.blank(3, kept=20)
    yield Case(
        "erase-half-done", "An erase was signed, but only half of the payload is blank.", chain.data, found
    )
    chain = _erasing()
    chain.replace(3, b"staging", b"sandbox")
    yield Case(
        "erase-incomplete-altered", "An erase was signed, and the payload was changed.", chain.data, found
    )
    chain = _erasing()
    chain.replace(3, b',"payload":' + _payload(chain, 3), b"")
    yield Case(
        "erased-by-shortening",
        "The payload was cut out instead of blanked.",
        chain.data,
        [("payload-missing", 3)],
    )
    chain = _erasing()
    chain.blank(3)
    chain.blank(4)
    yield Case(
        "one-erased-one-blanked",
        "One payload erased, another blanked without an erase.",
        chain.data,
        [("payload-missing", 4)],
        erased=1,
    )
    chain = _erasing()
    chain.blank(3)
    chain.replace(5, b'"alice"', b'"mallory"')
    forged: Found = [("payload-missing", 3), ("signature", 5)]
    yield Case(
        "erase-forged", "The erase that would explain a blank payload is not signed.", chain.data, forged
    )
    chain = _erasing()
    chain.blank(3)
    mark = chain.mark(5)
    chain.edit(3, lambda raw: raw[:-2] + b"}")
    yield Case(
        "blank-shortened",
        "A space was taken out of an erased payload.",
        chain.data,
        (),
        "moved",
        mark=mark,
        erased=1,
    )


def _erasures_of_bad_lines() -> Iterator[Case]:
    chain = started(1)
    chain.create("Out of order.", seq=7)
    chain.create("After it.")
    chain.add("erase", targets=[chain.ids[2]])
    what = "An erase names a line whose head is bad: its payload is not judged."
    yield Case("erase-of-bad-line", what, chain.data, [("seq", 3)])
    chain = started(1)
    chain.raw(chain.members("confirm", targets=[chain.ids[1]]), b'{"salt":"AAAAAAAAAAAAAAAAAAAAAA"}')
    chain.create("After it.")
    chain.add("erase", targets=[chain.ids[2]])
    what = "An erase names an event with a payload that nobody signed."
    yield Case("erase-of-unsigned", what, chain.data, [("payload-unsigned", 3)])


def _payload(chain: Chain, line: int) -> bytes:
    raw = chain.lines[line - 1]
    return raw[raw.index(b',"payload":') + len(b',"payload":') : -1]


def _pins() -> Iterator[Case]:
    ours = started(4)
    theirs = Chain(number=3)
    theirs.genesis()
    for number in range(1, 5):
        theirs.create(f"The staging database listens on port {5432 + number}.")
    found: Found = [("foreign-chain", 1)]
    what = "The chain was rewritten with another key."
    pinned = Case("rewritten-with-another-key", what, theirs.data, found, pin=ours.genesis_id)
    yield pinned
    yield replace(
        pinned, name="rewritten-with-another-key-and-mark", completeness="rollback", mark=ours.mark(4)
    )
    foreign = Case(
        "foreign-ledger", "Another ledger id than the one asked for.", ours.data, found, ledger="f" * 32
    )
    yield foreign
    broken = started(4)
    broken.replace(3, b'"alice"', b'"mallory"')
    both: Found = [("foreign-chain", 1), ("signature", 3)]
    yield Case(
        "foreign-and-changed",
        "Another genesis than the pinned one, and a changed line.",
        broken.data,
        both,
        pin="ab" * 32,
    )


def _marks() -> Iterator[Case]:
    ours = started(4)
    forked = started(2)
    forked.create("Something else was acknowledged here.")
    forked.create("And this.")
    mark = ours.mark(4)
    yield Case(
        "rewritten-with-own-key",
        "The same key signed another history.",
        forked.data,
        (),
        "rollback",
        mark=mark,
    )
    gone = started(4)
    gone.replace(5, b'"alice"', b'"mallory"')
    yield Case(
        "marked-event-changed",
        "The marked event is unreadable.",
        gone.data,
        [("signature", 5)],
        "rollback",
        mark=mark,
    )
    twice = started(4)
    twice.lines[3:3] = [b"garbage", twice.lines[2]]
    what = "The marked event stands a second time, behind a bad line: the first counts."
    yield Case("marked-event-twice", what, twice.data, [("framing", 4)], mark=started(4).mark(2))
    longer = started(6)
    since = Case(
        "since-mark-changed",
        "A changed line after the mark.",
        b"",
        [("signature", 6)],
        mark=longer.mark(3),
        since=True,
    )
    longer.replace(6, b'"alice"', b'"mallory"')
    yield replace(since, data=longer.data)
    rolled = "since-mark-rollback"
    yield Case(
        rolled, "Another event stands at the mark.", forked.data, (), "rollback", mark=mark, since=True
    )
    yield Case(
        "since-mark-missing-lf",
        "The marked line lost its LF.",
        ours.data[:-1],
        [("missing-lf", 5)],
        mark=mark,
        since=True,
    )
    cut = started(1)
    cut.create("Ends inside its payload.", record={"provenance": {"agent": "a"}})
    inside = cut.data.rindex(b'"agent":"a"}') + len(b'"agent":"a"}')
    what = "The marked line was cut after an inner brace, so that it still has the shape of a line."
    part = Case(
        "since-mark-cut-inside", what, cut.data[:inside], (), "rollback", mark=cut.mark(2), since=True
    )
    yield part
    what = "Another ledger id than the one asked for, and only what follows the mark is checked."
    asked = Case("since-mark-foreign-ledger", what, ours.data, [("foreign-chain", 1)], mark=ours.mark(2))
    yield replace(asked, ledger="f" * 32, since=True)
    erasing = _erasing()
    yield Case(
        "since-mark-erase-incomplete",
        "An erase after the mark, whose target before it still stands.",
        erasing.data,
        [("erase-incomplete", 3)],
        mark=erasing.mark(3),
        since=True,
    )
