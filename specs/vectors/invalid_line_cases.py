"""The vectors with one bad head: shape, bytes, version, canonical form, members, place, key, signature.

Implements specs/verification.md (V-3, V-5, V-6) as examples, one failure a file.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ledger.canonical import b64, unb64
from ledger.event import MAX_LINE_BYTES, next_key_commitment, split_line
from specs.vectors.builder import Chain, key, spelled
from specs.vectors.cases import Case, started
from specs.vectors.hostile_cases import plus_order

BAD = 3
"""The line that is bad where nothing else is said."""

AFTER = "After it."
ID = "ab" * 32
IDS = [f"{n:064x}" for n in range(70)]
HERE = "2026-11-20T15:11:02.000000Z"
FIRST_BAD = ("no-key", None)


def line_cases() -> Iterator[Case]:
    """Give all vectors of one bad head."""
    yield from _lengths_and_ends()
    yield from _frames()
    yield from _canonical()
    yield from _members()
    yield from _genesis()
    yield from _places()
    yield from _signatures()
    yield from _rotations()


def edited(name: str, what: str, code: str, old: bytes, new: bytes) -> Case:
    """Return a chain of five lines of which one place of the third was changed after signing."""
    chain = started(4)
    chain.replace(BAD, old, new)
    return Case(name, what, chain.data, [(code, BAD)])


def _signed(name: str, what: str, code: str, event: bytes | dict[str, Any]) -> Case:
    """Return a chain whose third line holds a signed EVENT of these bytes, between good ones."""
    chain = started(1)
    chain.raw(event)
    chain.create(AFTER)
    return Case(name, what, chain.data, [(code, BAD)])


def _keyless(name: str, what: str, code: str, data: bytes) -> Case:
    return Case(name, what, data, [(code, 1), FIRST_BAD])


# --- E-1…E-3, C-1 -------------------------------------------------------------------------------------------


def _lengths_and_ends() -> Iterator[Case]:
    chain = started(1)
    chain.create("x", record={"body": ""})
    room = MAX_LINE_BYTES + 1 - len(chain.lines[-1])
    chain.replace(BAD, b'"body":"', b'"body":"' + b"b" * room)
    chain.create(AFTER)
    yield Case("line-too-long", "A line of 65,536 bytes.", chain.data, [("line-too-long", BAD)])

    yield edited("tab", "A tab inside a payload's string.", "raw-control", b"staging", b"stag\ting")
    chain = started(4)
    chain.lines[BAD - 1] += b"\r"
    yield Case("crlf-one-line", "One line ends with CRLF.", chain.data, [("raw-control", BAD)])
    data = started(3).data.replace(b"\n", b"\r\n")
    yield _keyless("crlf", "The file was saved with CRLF.", "raw-control", data)
    chain = started(24)
    at = len(b"".join(chain.lines[:4])) + 100
    data = chain.data[:at] + bytes(4096) + chain.data[at + 4096 :]
    what = "4,096 bytes in the middle became zero, line feeds among them."
    yield Case("zeroed-page", what, data, [("raw-control", 5)])

    yield _keyless(
        "bom", "A byte-order mark before the first line.", "bom", b"\xef\xbb\xbf" + started(3).data
    )
    what = "A byte-order mark before a later line."
    yield edited("bom-later", what, "bom", b'{"event"', b'\xef\xbb\xbf{"event"')
    chain = started(3)
    chain.lines.insert(2, b"")
    yield Case("blank-line", "A blank line.", chain.data, [("blank-line", BAD)])
    yield Case(
        "blank-line-at-end", "A blank line at the end.", started(1).data + b"\n", [("blank-line", BAD)]
    )


def _frames() -> Iterator[Case]:
    for name, what, line in (
        ("space-after", "A space after a line.", started(4).lines[2] + b" "),
        ("line-cut", "A line was cut in its EVENT, but not its LF.", started(4).lines[2][:200]),
        ("other-json", "A line of another JSON lines file.", b'{"type":"note","text":"not an event"}'),
    ):
        chain = started(4)
        chain.lines[2] = line
        yield Case(name, what, chain.data, [("framing", BAD)])
    payload = split_line(started(4).lines[2]).payload or b""
    for name, what, old, new in (
        ("space-before", "A space before a line.", b'{"event"', b' {"event"'),
        ("sig-short", "A signature of 85 characters.", b'","payload"', b'"payload"'),
        ("payload-empty", "Nothing between `payload` and the last brace.", payload, b""),
        ("another-member", "A member before `payload`.", b',"payload"', b',"note":1,"payload"'),
    ):
        yield edited(name, what, "framing", old, new)


# --- E-5…E-8, E-15 ------------------------------------------------------------------------------------------

EPOCH = b'"epoch":0'
NAME = b'"alice"'

SPELLINGS: tuple[tuple[str, str, bytes, bytes], ...] = (
    ("not-json", "EVENT is not JSON.", EPOCH, b'"epoch":'),
    ("whitespace", "A space after a colon in EVENT.", EPOCH, b'"epoch": 0'),
    ("duplicate-member", "A member stands twice in EVENT.", EPOCH, EPOCH + b"," + EPOCH),
    ("float", "A float in EVENT, written as floats are.", EPOCH, b'"epoch":0.5'),
    ("float-integral", "0.0 in EVENT.", EPOCH, b'"epoch":0.0'),
    ("exponent", "0e0 in EVENT.", EPOCH, b'"epoch":0e0'),
    ("minus-zero", "-0 in EVENT.", EPOCH, b'"epoch":-0'),
    ("leading-zero", "00 in EVENT.", EPOCH, b'"epoch":00'),
    ("big-integer", "2^53 in EVENT.", EPOCH, b'"epoch":9007199254740992'),
    ("huge-integer", "An integer beyond 64 bits in EVENT.", EPOCH, b'"epoch":' + b"9" * 30),
    ("version-float", "`v` is a float.", b'"v":1', b'"v":1.5'),
    ("escape", "A letter written as an escape in EVENT.", NAME, b'"\\u0061lice"'),
    ("escaped-slash", "A slash written as an escape in EVENT.", NAME, b'"al\\/ice"'),
    ("lone-surrogate", "A lone surrogate in EVENT.", NAME, b'"al\\ud800ice"'),
    ("not-utf8", "A byte in EVENT that is not UTF-8.", NAME, b'"al\xffice"'),
    ("zero-character", "U+0000 in EVENT.", NAME, b'"al\\u0000ice"'),
    ("upper-case-key", "A key with a capital letter.", b'{"by"', b'{"At":1,"by"'),
    ("depth-17", "17 levels in EVENT.", b'{"by"', b'{"a":' + b"[" * 16 + b"]" * 16 + b',"by"'),
    ("key-order", "The members of EVENT are not sorted.", b'{"by"', b'{"zeta":1,"by"'),
)


def _canonical() -> Iterator[Case]:
    raw = spelled(started(1).members("confirm", targets=[started(1).ids[1]]))
    for name, what, old, new in SPELLINGS:
        yield _signed(name, what, "not-canonical", raw.replace(old, new, 1))
    yield _signed("not-an-object", "EVENT is an array.", "not-canonical", b'[1,"v",1]')
    what = "Something after EVENT's last brace."
    yield edited("trailing-bytes", what, "not-canonical", b',"sig":"', b' ,"sig":"')
    later = raw.replace(b',"v":1}', b',"v":2}')
    yield _signed("version-2", "An event of version 2.", "unsupported-version", later)
    odd = b'{"Zeta":0.5, "by":"x","v":12}'
    yield _signed("version-12", "Version 12, in a form that only it may allow.", "unsupported-version", odd)


# --- E-14…E-19, E-22 ----------------------------------------------------------------------------------------

NEW_KEY = {"key": key(2).public.hex(), "next": ID}
LIKE_ALICE = {"name": "alice", "role": "user", "via": "cli"}

SCHEMAS: tuple[tuple[str, str, str, dict[str, Any]], ...] = (
    ("unknown-member", "A member that no event has.", "confirm", {"note": "x"}),
    ("unknown-kind", "A kind that does not exist.", "confirm", {"kind": "merge"}),
    ("kind-missing", "No kind.", "confirm", {"kind": ...}),
    ("by-missing", "No `by`.", "confirm", {"by": ...}),
    ("version-0", "Version 0.", "confirm", {"v": 0}),
    ("version-text", "`v` is text.", "confirm", {"v": "1"}),
    ("version-true", "`v` is true.", "confirm", {"v": True}),
    ("seq-negative", "A negative seq.", "confirm", {"seq": -1}),
    ("seq-true", "`seq` is true.", "confirm", {"seq": True}),
    ("prev-upper-case", "`prev` in capital hex digits.", "confirm", {"prev": ID.upper()}),
    ("ts-form", "`ts` without microseconds.", "confirm", {"ts": "2026-11-20T15:11:02Z"}),
    ("ts-february-30", "`ts` on 30 February.", "confirm", {"ts": "2027-02-30T00:00:00.000000Z"}),
    ("ts-leap-second", "`ts` at second 60.", "confirm", {"ts": "2026-12-31T23:59:60.000000Z"}),
    ("ts-hour-24", "`ts` at hour 24.", "confirm", {"ts": "2026-11-20T24:00:00.000000Z"}),
    ("ts-year-0", "`ts` in year 0000.", "confirm", {"ts": "0000-01-01T00:00:00.000000Z"}),
    ("at-equals-ts", "`at` that says no more than `ts`.", "confirm", {"at": HERE}),
    ("by-extra", "A member too many in `by`.", "confirm", {"by": {**LIKE_ALICE, "x": 1}}),
    ("by-name", "A name that is no slug.", "confirm", {"by": {**LIKE_ALICE, "name": "Alice"}}),
    ("by-role", "A role that does not exist.", "confirm", {"by": {**LIKE_ALICE, "role": "root"}}),
    ("by-via", "A door that does not exist.", "confirm", {"by": {**LIKE_ALICE, "via": "web"}}),
    ("seen-empty", "An empty `seen`.", "confirm", {"seen": []}),
    ("seen-65", "65 ids in `seen`.", "confirm", {"seen": IDS[:65]}),
    ("targets-empty", "No target.", "confirm", {"targets": []}),
    ("targets-17", "17 targets.", "confirm", {"targets": IDS[:17]}),
    ("targets-twice", "A target twice.", "confirm", {"targets": [ID, ID]}),
    ("targets-short", "A target that is no id.", "confirm", {"targets": [ID[:63]]}),
    ("schema-create", "A create with targets.", "create", {"targets": [ID]}),
    ("schema-create-commit", "A create without commit.", "create", {"commit": ...}),
    ("schema-supersede", "A supersede without targets.", "supersede", {"targets": ...}),
    ("schema-delete", "A delete with a key.", "delete", {"key": ID}),
    ("schema-confirm", "A confirm whose commit is null.", "confirm", {"commit": None}),
    ("schema-erase", "An erase whose targets are one text.", "erase", {"targets": ID}),
    ("schema-rotate", "A rotate with a commit.", "rotate", {"commit": ID, **NEW_KEY}),
    ("schema-rotate-since", "A rotate that disowns from seq 0.", "rotate", {"since": 0, **NEW_KEY}),
    ("schema-rotate-proof", "A proof with unused bits.", "rotate", {"proof": "A" * 85 + "B", **NEW_KEY}),
    ("schema-recover", "A recover without `cut`.", "recover", {"lost": None}),
    ("schema-recover-lost", "`lost` without its seq.", "recover", {"lost": {"id": ID}, "cut": None}),
    ("schema-anchor", "An anchor without commit.", "anchor", {"commit": ...}),
)

GENESES: tuple[tuple[str, str, str, dict[str, Any]], ...] = (
    ("schema-genesis", "A genesis without nonce.", "schema", {"nonce": ...}),
    ("schema-genesis-nonce", "A nonce with unused bits.", "schema", {"nonce": "A" * 21 + "B"}),
    (
        "schema-genesis-ledger",
        "A ledger id in capitals.",
        "schema",
        {"ledger": {"id": "AB" * 16, "name": "x", "scope": "user"}},
    ),
    (
        "schema-genesis-scope",
        "A scope that does not exist.",
        "schema",
        {"ledger": {"id": "ab" * 16, "name": "x", "scope": "team"}},
    ),
    ("schema-genesis-seen", "A genesis with `seen`.", "schema", {"seen": [ID]}),
    ("genesis-seq", "A genesis with another seq.", "genesis", {"seq": 1}),
    ("genesis-prev", "A genesis with a `prev`.", "genesis", {"prev": ID}),
    ("genesis-epoch", "A genesis with another epoch.", "genesis", {"epoch": 1}),
)


def _members() -> Iterator[Case]:
    usual: dict[str, dict[str, Any]] = {
        "create": {"commit": ID},
        "supersede": {"commit": ID, "targets": [ID]},
        "delete": {"targets": [ID]},
        "confirm": {"targets": [ID]},
        "erase": {"targets": [ID]},
        "anchor": {"commit": ID},
    }
    for name, what, kind, members in SCHEMAS:
        own = usual.get(kind, {})
        event = {**started(1).members(kind, **own), **members}
        left = {member: value for member, value in event.items() if value is not ...}
        yield _signed(name, what, "schema", left)


def _genesis() -> Iterator[Case]:
    for name, what, code, members in GENESES:
        chain = Chain()
        chain.genesis(**members)
        chain.create(AFTER)
        yield _keyless(name, what, code, chain.data)


# --- C-2…C-4 ------------------------------------------------------------------------------------------------


def _places() -> Iterator[Case]:
    for name, what, code, members in (
        ("seq-gap", "A seq is left out.", "seq", {"seq": 3}),
        ("seq-again", "A seq stands twice.", "seq", {"seq": 1}),
        ("prev-wrong", "`prev` names another event.", "prev", {"prev": ID}),
        ("prev-null", "`prev` is null in the middle.", "prev", {"prev": None}),
        ("time-equal", "The same `ts` as the line before.", "time", {"ts": "2026-11-20T15:11:01.000000Z"}),
        ("time-earlier", "An earlier `ts` than before.", "time", {"ts": "2026-11-20T15:10:00.000000Z"}),
        ("epoch-ahead", "A create in a new epoch.", "epoch", {"epoch": 1}),
    ):
        chain = started(1)
        chain.create("Here.", **members)
        chain.create(AFTER)
        yield Case(name, what, chain.data, [(code, BAD)])
    chain = started(1)
    chain.recover(epoch=0)
    chain.create(AFTER)
    yield Case("recover-without-new-epoch", "A recover in the old epoch.", chain.data, [("epoch", BAD)])
    chain = started(1)
    chain.genesis()
    chain.create(AFTER)
    yield Case("second-genesis", "A second genesis.", chain.data, [("genesis", BAD)])
    chain = started(3)
    del chain.lines[0]
    yield _keyless("missing-genesis", "The first line is gone.", "genesis", chain.data)


# --- E-9, E-10, E-20, E-21 ----------------------------------------------------------------------------------


def _signatures() -> Iterator[Case]:
    sig = split_line(started(4).lines[2]).sig
    malleated = plus_order(unb64(sig, 64) or b"")
    for name, what, old, new in (
        ("sig-changed", "A signature was changed.", sig, (b"B" if sig[:1] == b"A" else b"A") + sig[1:]),
        ("event-changed", "EVENT was changed after signing.", NAME, b'"mallory"'),
        ("sig-not-canonical", "Unused bits in a signature.", sig, sig[:-1] + bytes([sig[-1] + 1])),
        ("sig-plus", "A signature in the other alphabet.", sig, sig[:40] + b"+" + sig[41:]),
        ("sig-malleable", "S + L in place of S.", sig, b64(malleated).encode()),
    ):
        yield edited(name, what, "signature", old, new)
    chain = started(1)
    chain.raw(chain.members("confirm", targets=[chain.ids[1]]), by=2)
    chain.create(AFTER)
    yield Case("sig-by-another", "An event signed by another key.", chain.data, [("signature", BAD)])

    chain = Chain()
    neutral = (1).to_bytes(32, "little")  # as A and as R, with S = 0, it fits every message
    chain.genesis(key=neutral.hex())
    chain.replace(1, split_line(chain.lines[0]).sig, b64(neutral + bytes(32)).encode())
    yield _keyless("genesis-weak-key", "A key of small order.", "signature", chain.data)
    chain = started(1)
    chain.replace(1, b'"vectors"', b'"another"')
    yield _keyless("genesis-changed", "The genesis was changed.", "signature", chain.data)


def _rotations() -> Iterator[Case]:
    for name, what, to, old in (
        ("rotate-wrong-key", "A rotate to a key that was not committed to.", 4, 0),
        ("rotate-bad-proof", "A rotate whose proof is by another key.", 0, 4),
    ):
        chain = started(1)
        chain.rotate(to=to, old=old)
        chain.number = 1
        chain.create("Signed by the old key, still in force.")
        yield Case(name, what, chain.data, [("key", BAD)])
    chain = started(1)
    chain.rotate(proof=False, to=4, since=1)
    chain.number = 1
    chain.create("Signed by the old key, still in force.")
    what = "A thief who has the key in use rotates to a key of their own; nothing is disowned by that."
    yield Case("rotate-by-thief", what, chain.data, [("key", BAD)])
    chain = started(1)
    chain.rotate(to=1)
    chain.create("Signed by the old key, still in force.")
    yield Case(
        "rotate-to-itself", "A rotate to the key that is in force already.", chain.data, [("key", BAD)]
    )
    chain = started(1)
    chain.rotate()
    chain.rotate(to=2)
    chain.create("Signed by the second key, still in force.")
    what = "A rotate to a key that was the next one before the last rotate."
    yield Case("rotate-again", what, chain.data, [("key", BAD + 1)])
    chain = started(1)
    event = chain.members("rotate", key=key(2).public.hex(), next=next_key_commitment(key(3).public))
    chain.raw(event, by=1)
    chain.create("Signed by the old key, still in force.")
    yield Case("rotate-by-old-key", "A rotate signed by the old key.", chain.data, [("signature", BAD)])
    chain = started(1)
    chain.rotate()
    chain.number = 1
    chain.create("By the old key.")
    chain.number = 2
    chain.create("By the new key.")
    yield Case(
        "old-key-after-rotate", "An event by the old key after a rotate.", chain.data, [("signature", 4)]
    )
