"""The vectors with one bad line: shape, bytes, version, canonical form, members, place, key, signature, payload.

Implements specs/verification.md (V-3…V-6) as examples, one failure a file.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ledger.canonical import b64, unb64
from ledger.event import MAX_LINE_BYTES, next_key_commitment, split_line
from specs.vectors.builder import Chain, key, spelled
from specs.vectors.cases import Case, started

THIRD = 3
ORDER = 2**252 + 27742317777372353535851937790883648493
"""L, the order of Ed25519's base point."""


def line_cases() -> Iterator[Case]:
    """Give all vectors of one bad line."""
    yield from _bytes()
    yield from _canonical()
    yield from _members()
    yield from _places()
    yield from _signatures()
    yield from _payload_bytes()
    yield from _payload_members()


def _edited(name: str, what: str, code: str, old: bytes, new: bytes) -> Case:
    """Return a chain of five lines of which one place of the third was changed after signing."""
    chain = started(4)
    chain.replace(THIRD, old, new)
    return Case(name, what, chain.data, [(code, THIRD)])


def _signed(name: str, what: str, code: str, event: bytes | dict[str, Any], payload: bytes | None = None) -> Case:
    """Return a chain whose third line holds a signed EVENT of these bytes; good lines stand around it."""
    chain = started(1)
    chain.raw(event, payload)
    chain.create("After it.")
    return Case(name, what, chain.data, [(code, THIRD)])


def _members_of_third(kind: str, **members: Any) -> dict[str, Any]:
    return started(1).members(kind, **members)


# --- E-1…E-3, C-1 ----------------------------------------------------------------------------------------------------


def _bytes() -> Iterator[Case]:
    chain = started(1)
    chain.create("x", record={"body": "b" * 1000})
    chain.edit(THIRD, lambda raw: raw.replace(b'"body":"', b'"body":"' + b"b" * (MAX_LINE_BYTES + 1 - len(raw))))
    chain.create("After it.")
    yield Case("line-too-long", "A line of 65,536 bytes.", chain.data, [("line-too-long", THIRD)])
    yield _edited("tab", "A tab inside a payload's string.", "raw-control", b"staging", b"stag\ting")
    chain = started(4)
    chain.edit(THIRD, lambda raw: raw + b"\r")
    yield Case("crlf-one-line", "One line ends with CRLF.", chain.data, [("raw-control", THIRD)])
    data = started(3).data.replace(b"\n", b"\r\n")
    yield Case("crlf", "The file was saved with CRLF.", data, [("raw-control", 1), ("no-key", None)])
    chain = started(24)
    at = len(b"".join(chain.lines[:4])) + 100
    data = chain.data[:at] + bytes(4096) + chain.data[at + 4096 :]
    yield Case("zeroed-page", "4,096 bytes in the middle became zero, line feeds among them.", data, [("raw-control", 5)])

    data = b"\xef\xbb\xbf" + started(3).data
    yield Case("bom", "A byte-order mark before the first line.", data, [("bom", 1), ("no-key", None)])
    yield _edited("bom-later", "A byte-order mark before a later line.", "bom", b'{"event"', b'\xef\xbb\xbf{"event"')
    chain = started(3)
    chain.lines.insert(2, b"")
    yield Case("blank-line", "A blank line.", chain.data, [("blank-line", THIRD)])
    yield Case("blank-line-at-end", "A blank line at the end.", started(1).data + b"\n", [("blank-line", THIRD)])

    yield _edited("space-before", "A space before a line.", "framing", b'{"event"', b' {"event"')
    chain = started(4)
    chain.edit(THIRD, lambda raw: raw + b" ")
    yield Case("space-after", "A space after a line.", chain.data, [("framing", THIRD)])
    chain = started(4)
    chain.edit(THIRD, lambda raw: raw[:200])
    yield Case("line-cut", "A line was cut in its EVENT, but not its LF.", chain.data, [("framing", THIRD)])
    chain = started(4)
    chain.edit(THIRD, lambda raw: raw[:-1])
    what = "A line's last brace is gone: the payload's last one closes the line now."
    yield Case("brace-lost", what, chain.data, [("payload-altered", THIRD)])
    yield _edited("sig-short", "A signature of 85 characters.", "framing", b'","payload"', b'"payload"')
    yield _edited("payload-empty", "Nothing between `payload` and the last brace.", "framing", _payload(), b"")
    yield _edited("another-member", "A member before `payload`.", "framing", b',"payload"', b',"note":1,"payload"')
    chain = started(4)
    chain.lines[2] = b'{"type":"note","text":"not an event"}'
    yield Case("other-json", "A line of another JSON lines file.", chain.data, [("framing", THIRD)])


def _payload() -> bytes:
    return split_line(started(4).lines[2]).payload or b""


# --- E-5…E-8, E-15 ---------------------------------------------------------------------------------------------------


def _canonical() -> Iterator[Case]:
    good = _members_of_third("confirm", targets=[started(1).ids[1]])
    raw = spelled(good)

    def case(name: str, what: str, event: bytes) -> Case:
        return _signed(name, what, "not-canonical", event)

    yield case("not-json", "EVENT is not JSON.", raw.replace(b'"epoch":0', b'"epoch":'))
    yield case("not-an-object", "EVENT is an array.", b'[1,"v",1]')
    yield case("key-order", "The members of EVENT are not sorted.", b'{"epoch":0,' + raw[1:].replace(b'"epoch":0,', b""))
    yield case("whitespace", "A space after a colon in EVENT.", raw.replace(b'"epoch":0', b'"epoch": 0'))
    yield case("duplicate-member", "A member stands twice in EVENT.", raw.replace(b'"epoch":0', b'"epoch":0,"epoch":0'))
    yield case("float", "A float in EVENT, written as floats are.", raw.replace(b'"epoch":0', b'"epoch":0.5'))
    yield case("float-integral", "1.0 in EVENT.", raw.replace(b'"epoch":0', b'"epoch":0.0'))
    yield case("exponent", "0e0 in EVENT.", raw.replace(b'"epoch":0', b'"epoch":0e0'))
    yield case("minus-zero", "-0 in EVENT.", raw.replace(b'"epoch":0', b'"epoch":-0'))
    yield case("leading-zero", "00 in EVENT.", raw.replace(b'"epoch":0', b'"epoch":00'))
    yield case("big-integer", "2^53 in EVENT.", raw.replace(b'"epoch":0', b'"epoch":9007199254740992'))
    huge = b'"epoch":' + b"9" * 30
    yield case("huge-integer", "An integer beyond 64 bits in EVENT.", raw.replace(b'"epoch":0', huge))
    yield case("escape", "A letter written as an escape in EVENT.", raw.replace(b'"alice"', b'"\\u0061lice"'))
    yield case("escaped-slash", "A slash written as an escape in EVENT.", raw.replace(b'"alice"', b'"al\\/ice"'))
    yield case("lone-surrogate", "A lone surrogate in EVENT.", raw.replace(b'"alice"', b'"al\\ud800ice"'))
    yield case("not-utf8", "A byte in EVENT that is not UTF-8.", raw.replace(b'"alice"', b'"al\xffice"'))
    yield case("zero-character", "U+0000 in EVENT.", raw.replace(b'"alice"', b'"al\\u0000ice"'))
    yield case("upper-case-key", "A key with a capital letter.", raw.replace(b'{"by"', b'{"At":1,"by"'))
    deep = b'{"a":' + b"[" * 16 + b"]" * 16 + b"," + raw[1:]
    yield case("depth-17", "17 levels in EVENT.", deep)
    yield _edited("trailing-bytes", "Something after EVENT's last brace.", "not-canonical", b',"sig":"', b' ,"sig":"')

    later = raw.replace(b',"v":1}', b',"v":2}')
    yield _signed("version-2", "An event of version 2.", "unsupported-version", later)
    odd = b'{"Zeta":0.5, "by":"x","v":12}'
    yield _signed("version-12", "Version 12, in a form that only it allows.", "unsupported-version", odd)


# --- E-14…E-19, E-22 -------------------------------------------------------------------------------------------------


def _members() -> Iterator[Case]:
    known = started(1).ids[1]
    ids = [f"{n:064x}" for n in range(70)]

    def case(name: str, what: str, kind: str = "confirm", **members: Any) -> Case:
        if kind in ("supersede", "delete", "confirm", "erase"):
            members = {"targets": [known], **members}
        if kind in ("create", "supersede", "anchor"):
            members = {"commit": "ab" * 32, **members}
        event = _members_of_third(kind, **members)
        return _signed(name, what, "schema", event)

    yield case("unknown-member", "A member that no event has.", note="x")
    yield case("unknown-kind", "A kind that does not exist.", kind="merge")
    yield case("kind-missing", "No kind.", kind=...)  # type: ignore[arg-type]
    yield case("by-missing", "No `by`.", by=...)
    yield case("version-0", "Version 0.", v=0)
    yield case("version-text", "`v` is text.", v="1")
    yield case("version-true", "`v` is true.", v=True)
    yield case("seq-negative", "A negative seq.", seq=-1)
    yield case("seq-true", "`seq` is true.", seq=True)
    yield case("prev-upper-case", "`prev` in capital hex digits.", prev=known.upper())
    yield case("ts-without-microseconds", "`ts` of another form.", ts="2026-11-20T15:11:02Z")
    yield case("ts-february-30", "`ts` on 30 February.", ts="2027-02-30T00:00:00.000000Z")
    yield case("ts-leap-second", "`ts` at second 60.", ts="2026-12-31T23:59:60.000000Z")
    yield case("ts-hour-24", "`ts` at hour 24.", ts="2026-11-20T24:00:00.000000Z")
    yield case("ts-year-0", "`ts` in year 0000.", ts="0000-01-01T00:00:00.000000Z")
    yield case("at-equals-ts", "`at` that says no more than `ts`.", at="2026-11-20T15:11:02.000000Z")
    yield case("by-extra", "A member too many in `by`.", by={"name": "a", "role": "user", "via": "cli", "x": 1})
    yield case("by-name", "A name that is no slug.", by={"name": "Alice", "role": "user", "via": "cli"})
    yield case("by-role", "A role that does not exist.", by={"name": "a", "role": "root", "via": "cli"})
    yield case("seen-empty", "An empty `seen`.", seen=[])
    yield case("seen-65", "65 ids in `seen`.", seen=ids[:65])
    yield case("targets-empty", "No target.", targets=[])
    yield case("targets-17", "17 targets.", targets=ids[:17])
    yield case("targets-twice", "A target twice.", targets=[known, known])
    yield case("targets-short", "A target that is no id.", targets=[known[:63]])

    yield from _kinds(case)


def _kinds(case: Any) -> Iterator[Case]:
    """Give one bad member of every kind but genesis, whose vectors end at line 1."""
    following = {"key": key(2).public.hex(), "next": "ab" * 32}
    yield case("schema-create", "A create with targets.", "create", targets=["ab" * 32])
    yield case("schema-create-commit", "A create without commit.", "create", commit=...)
    yield case("schema-supersede", "A supersede without targets.", "supersede", targets=...)
    yield case("schema-delete", "A delete with a key.", "delete", key="ab" * 32)
    yield case("schema-confirm", "A confirm whose commit is null.", "confirm", commit=None)
    yield case("schema-erase", "An erase whose targets are one text.", "erase", targets="ab" * 32)
    yield case("schema-rotate", "A rotate with a commit.", "rotate", commit="ab" * 32, **following)
    yield case("schema-rotate-since", "A rotate that disowns from seq 0.", "rotate", since=0, **following)
    proof = b64(bytes(64))[:-1] + "B"
    yield case("schema-rotate-proof", "A proof in base64url that is not canonical.", "rotate", proof=proof, **following)
    yield case("schema-recover", "A recover without cut.", "recover", lost=None)
    yield case("schema-recover-lost", "A recover whose `lost` lacks its seq.", "recover", lost={"id": "ab" * 32}, cut=None)
    yield case("schema-anchor", "An anchor without commit.", "anchor", commit=...)
    for name, what, members in (
        ("schema-genesis", "A genesis without nonce.", {"nonce": ...}),
        ("schema-genesis-nonce", "A nonce in base64url that is not canonical.", {"nonce": b64(bytes(16))[:-1] + "B"}),
        ("schema-genesis-ledger", "A ledger id in capitals.", {"ledger": {"id": "AB" * 16, "name": "x", "scope": "user"}}),
        ("schema-genesis-scope", "A scope that does not exist.", {"ledger": {"id": "ab" * 16, "name": "x", "scope": "team"}}),
        ("schema-genesis-seen", "A genesis with `seen`.", {"seen": ["ab" * 32]}),
    ):
        chain = Chain()
        chain.genesis(**members)
        chain.create("After it.")
        yield Case(name, what, chain.data, [("schema", 1), ("no-key", None)])


# --- C-2…C-4 ---------------------------------------------------------------------------------------------------------


def _places() -> Iterator[Case]:
    def case(name: str, what: str, code: str, kind: str = "create", **members: Any) -> Case:
        chain = started(1)
        chain.add(kind, {"text": "Here."} if kind == "create" else None, **members)
        chain.create("After it.")
        return Case(name, what, chain.data, [(code, THIRD)])

    yield case("seq-gap", "A seq is left out.", "seq", seq=3)
    yield case("seq-again", "A seq stands twice.", "seq", seq=1)
    yield case("prev-wrong", "`prev` names another event.", "prev", prev="ab" * 32)
    yield case("prev-null", "`prev` is null in the middle.", "prev", prev=None)
    yield case("time-equal", "The same `ts` as the line before.", "time", ts="2026-11-20T15:11:01.000000Z")
    yield case("time-earlier", "An earlier `ts` than the line before.", "time", ts="2026-11-20T15:10:00.000000Z")
    yield case("epoch-ahead", "A create in a new epoch.", "epoch", epoch=1)
    yield case("recover-without-new-epoch", "A recover in the old epoch.", "epoch", "recover", lost=None, cut=None)
    chain = started(1)
    chain.genesis()
    chain.create("After it.")
    yield Case("second-genesis", "A second genesis.", chain.data, [("genesis", THIRD)])
    chain = started(3)
    del chain.lines[0]
    yield Case("missing-genesis", "The first line is gone.", chain.data, [("genesis", 1), ("no-key", None)])
    for name, member in (("seq", {"seq": 1}), ("prev", {"prev": "ab" * 32}), ("epoch", {"epoch": 1})):
        chain = Chain()
        chain.genesis(**member)
        yield Case(f"genesis-{name}", f"A genesis with another {name}.", chain.data, [("genesis", 1), ("no-key", None)])


# --- E-9, E-10, E-20, E-21 -------------------------------------------------------------------------------------------


def _signatures() -> Iterator[Case]:
    chain = started(4)
    sig = split_line(chain.lines[2]).sig
    changed = (b"B" if sig[:1] == b"A" else b"A") + sig[1:]
    yield _edited("sig-changed", "A signature was changed.", "signature", sig, changed)
    yield _edited("event-changed", "EVENT was changed after signing.", "signature", b'"alice"', b'"mallory"')
    last = chr(sig[-1] + 1).encode()
    yield _edited("sig-not-canonical", "Unused bits in a signature's last character.", "signature", sig, sig[:-1] + last)
    yield _edited("sig-plus", "A signature in the other base64 alphabet.", "signature", sig, sig[:40] + b"+" + sig[41:])
    raw = unb64(sig, 64) or b""
    scalar = int.from_bytes(raw[32:], "little") + ORDER
    other = b64(raw[:32] + scalar.to_bytes(32, "little")).encode()
    yield _edited("sig-malleable", "S + L in place of S.", "signature", sig, other)
    chain = started(1)
    chain.raw(chain.members("confirm", targets=[chain.ids[1]]), by=2)
    chain.create("After it.")
    yield Case("sig-by-another", "An event signed by another key.", chain.data, [("signature", THIRD)])

    chain = Chain()
    weak = (1).to_bytes(32, "little")  # the neutral point: R = A = it, S = 0 fits every message
    chain.genesis(key=weak.hex())
    sig = split_line(chain.lines[0]).sig
    chain.replace(1, sig, b64(weak + bytes(32)).encode())
    yield Case("genesis-weak-key", "A key of small order.", chain.data, [("signature", 1), ("no-key", None)])
    chain = started(1)
    chain.replace(1, b'"vectors"', b'"another"')
    yield Case("genesis-changed", "The genesis was changed.", chain.data, [("signature", 1), ("no-key", None)])

    chain = started(1)
    chain.rotate(to=4)
    chain.number = 1
    chain.create("Signed by the old key, still in force.")
    yield Case("rotate-wrong-key", "A rotate to a key that was not committed to.", chain.data, [("key", THIRD)])
    chain = started(1)
    chain.rotate(old=4)
    chain.number = 1
    chain.create("Signed by the old key, still in force.")
    yield Case("rotate-bad-proof", "A rotate whose proof is by another key.", chain.data, [("key", THIRD)])
    chain = started(1)
    event = chain.members("rotate", key=key(2).public.hex(), next=next_key_commitment(key(3).public))
    chain.raw(event, by=1)
    chain.create("Signed by the old key, still in force.")
    yield Case("rotate-signed-by-old", "A rotate signed by the old key.", chain.data, [("signature", THIRD)])
    chain = started(1)
    chain.rotate()
    chain.number = 1
    chain.create("By the old key.")
    chain.number = 2
    chain.create("By the new key.")
    yield Case("old-key-after-rotate", "An event by the old key after a rotate.", chain.data, [("signature", 4)])


# --- E-4, E-12, E-13, E-24, M-1…M-10 ---------------------------------------------------------------------------------


def _payload_bytes() -> Iterator[Case]:
    payload = _payload()
    yield _edited("payload-altered", "A payload's text was changed.", "payload-altered", b"staging", b"sandbox")
    yield _edited("payload-missing", "A payload was cut out.", "payload-missing", b',"payload":' + payload, b"")
    yield _edited("payload-null", "A payload became `null`, and the line shorter.", "payload-missing", payload, b"null")
    chain = started(4)
    chain.blank(THIRD)
    yield Case("payload-blanked", "A payload was blanked, and no erase says so.", chain.data, [("payload-missing", THIRD)])
    blank = b"null".ljust(len(payload) - 1) + b"\xc2\xa0"
    yield _edited("payload-half-blank", "A blank with something else than spaces.", "payload-altered", payload, blank)
    chain = started(1)
    chain.raw(chain.members("confirm", targets=[chain.ids[1]]), b'{"salt":"AAAAAAAAAAAAAAAAAAAAAA"}')
    chain.create("After it.")
    yield Case("payload-unsigned", "A payload without commit.", chain.data, [("payload-unsigned", THIRD)])


def _payload_members() -> Iterator[Case]:
    good = '"salt":"AAAAAAAAAAAAAAAAAAAAAA"'
    text = '"text":"t"'

    def raw(name: str, what: str, payload: str | bytes) -> Case:
        chain = started(1)
        chain.create_raw(payload if isinstance(payload, bytes) else payload.encode())
        chain.create("After it.")
        return Case(f"payload-{name}", what, chain.data, [("payload-schema", THIRD)])

    yield raw("key-order", "Members in another order.", f"{{{text},{good}}}")
    yield raw("whitespace", "A space between members.", f"{{{good}, {text}}}")
    yield raw("duplicate-member", "A member twice.", f"{{{good},{text},{text}}}")
    yield raw("escape", "A letter as an escape.", f'{{{good},"text":"\\u0074"}}')
    yield raw("escape-capitals", "A control character in capital hex digits.", f'{{"body":"\\u001F",{good},{text}}}')
    yield raw("lone-surrogate", "A lone surrogate.", f'{{{good},"text":"\\udc00"}}')
    yield raw("zero-character", "U+0000 in a body.", f'{{"body":"\\u0000",{good},{text}}}')
    yield raw("not-utf8", "A byte that is not UTF-8.", f"{{{good},{text[:-1]}".encode() + b'\xe9"}')
    yield raw("float", "A float in an unknown member.", f'{{{good},{text},"weight":0.5}}')
    yield raw("big-integer", "2^53 in an unknown member.", f'{{{good},{text},"weight":9007199254740992}}')
    yield raw("depth-17", "17 levels in an unknown member.", f'{{{good},{text},"x":{"[" * 16}{"]" * 16}}}')
    yield raw("not-an-object", "A text.", '"text"')
    yield raw("null-signed", "null, and signed as that.", "null")
    yield raw("upper-case-key", "A key with a capital letter.", f'{{"Mood":1,{good},{text}}}')
    yield raw("salt-missing", "No salt.", f"{{{text}}}")
    yield raw("salt-short", "A salt of 15 bytes.", f'{{"salt":"AAAAAAAAAAAAAAAAAAAA",{text}}}')
    yield raw("salt-not-canonical", "Unused bits in the salt's last character.", f'{{"salt":"AAAAAAAAAAAAAAAAAAAAAB",{text}}}')

    def record(name: str, what: str, **members: Any) -> Case:
        value = {"salt": "AAAAAAAAAAAAAAAAAAAAAA", "text": "t", **members}
        return raw(name, what, spelled({k: v for k, v in value.items() if v is not ...}))

    yield record("text-missing", "No text.", text=...)
    yield record("text-blank", "A text of spaces.", text=" \u3000\t".replace("\t", " "))
    yield record("text-two-lines", "A text of two lines.", text="one\u2028two")
    yield record("text-long", "A text of 1,001 code points.", text="x" * 1001)
    yield record("text-number", "A text that is a number.", text=1)
    yield record("title", "An empty title.", title="")
    yield record("body", "A body that is a list.", body=["x"])
    yield record("details", "A detail of two lines.", details=["one\ntwo"])
    yield record("tags", "A tag of 65 code points.", tags=["x" * 65])
    yield record("when-to-use", "101 patterns.", when_to_use=["x"] * 101)
    yield record("type", "A type that does not exist.", type="opinion")
    yield record("section", "A section with # in front.", section="# Tools")
    yield record("section-space", "A section with a space at its end.", section="Tools\u00a0")
    yield record("tier", "A tier that does not exist.", tier="weekly")
    yield record("importance", "An importance that does not exist.", importance="urgent")
    yield record("confidence", "A confidence of one decimal.", confidence="0.9")
    yield record("inferred", "`inferred` as a number.", inferred=1)
    yield record("source", "A source that does not exist.", source="agent")
    yield record("status", "A status that no record can have.", status="deleted")
    yield record("category", "A category that does not exist.", category="")
    yield record("topic", "A topic of five segments.", topic="a/b/c/d/e")
    yield record("topic-long", "A topic segment of 65 characters.", topic="a/" + "b" * 65)
    yield record("place", "A place without document.", place={"after": None})
    yield record("part", "A part beyond the last.", part={"n": 3, "of": 2, "first": "ab" * 32})
    yield record("part-first", "A second part that names no first.", part={"n": 2, "of": 2})
    yield record("provenance", "An empty conversation.", provenance={"conversation": ""})
    yield record("extra", "Frontmatter that is an object.", extra={"a": 1})

    def other(name: str, what: str, kind: str, payload: dict[str, Any], **members: Any) -> Case:
        chain = started(1)
        chain.add(kind, payload, **members)
        chain.create("After it.")
        return Case(f"payload-{name}", what, chain.data, [("payload-schema", THIRD)])

    targets = [started(1).ids[1]]
    yield other("supersede", "A supersede without text.", "supersede", {"body": "x"}, targets=targets)
    yield other("delete", "A reason of 4,001 code points.", "delete", {"reason": "x" * 4001}, targets=targets)
    yield other("confirm", "A reason that is a list.", "confirm", {"reason": []}, targets=targets)
    yield other("erase", "A provenance that is text.", "erase", {"provenance": "x"}, targets=["ab" * 32])
    yield other("anchor", "An anchor without method.", "anchor", {"root": "x"})
    yield other("anchor-size", "An anchor of a negative size.", "anchor", {"method": "x", "size": -1})
    chain = started(1)
    chain.recover({"reason": None})
    chain.create("After it.")
    yield Case("payload-recover", "A reason that is null.", chain.data, [("payload-schema", THIRD)])
