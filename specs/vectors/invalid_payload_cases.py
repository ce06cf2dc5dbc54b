"""The vectors with one bad payload: bytes, canonical form, salt, members.

Implements specs/verification.md (V-4, V-7) and specs/memory.md (M-1, M-4, M-5, M-9, M-10) as examples, one
failure a file.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ledger.event import split_line
from specs.vectors.builder import spelled
from specs.vectors.cases import Case, started
from specs.vectors.invalid_line_cases import AFTER, BAD, ID, edited

ZEROS = "A" * 22
SALT = f'"salt":"{ZEROS}"'
TEXT = '"text":"t"'


def payload_cases() -> Iterator[Case]:
    """Give all vectors of one bad payload."""
    yield from _bytes()
    for name, what, text in SPELLINGS:
        yield _committed(f"payload-{name}", what, text.encode("utf-8", "surrogateescape"))
    for name, what, members in RECORDS:
        record = {"salt": ZEROS, "text": "t", **members}
        payload = spelled({member: value for member, value in record.items() if value is not ...})
        yield _committed(f"payload-{name}", what, payload)
    yield from _other_kinds()


def _committed(name: str, what: str, payload: bytes) -> Case:
    """Return a chain whose third line is right in all but its payload, which is committed to."""
    chain = started(1)
    chain.create_raw(payload)
    chain.create(AFTER)
    return Case(name, what, chain.data, [("payload-schema", BAD)])


# --- E-4, E-12 ----------------------------------------------------------------------------------------------


def _bytes() -> Iterator[Case]:
    payload = split_line(started(4).lines[2]).payload or b""
    almost = b"null".ljust(len(payload) - 2) + b"\xc2\xa0"
    for name, what, code, old, new in (
        ("payload-altered", "A payload's text was changed.", "payload-altered", b"staging", b"sandbox"),
        ("payload-missing", "A payload was cut out.", "payload-missing", b',"payload":' + payload, b""),
        ("payload-null", "A payload became `null`, the line shorter.", "payload-missing", payload, b"null"),
        ("payload-almost-blank", "A blank with U+00A0 in it.", "payload-altered", payload, almost),
        ("payload-longer", "A space after a payload.", "payload-altered", payload, payload + b" "),
    ):
        yield edited(name, what, code, old, new)
    chain = started(4)
    chain.edit(BAD, lambda raw: raw[:-1])
    what = "A line's last brace is gone: the payload's closes the line now."
    yield Case("brace-lost", what, chain.data, [("payload-altered", BAD)])
    chain = started(4)
    chain.blank(BAD)
    what = "A payload was blanked, and no erase says so."
    yield Case("payload-blanked", what, chain.data, [("payload-missing", BAD)])
    chain = started(1)
    chain.raw(chain.members("confirm", targets=[chain.ids[1]]), f"{{{SALT}}}".encode())
    chain.create(AFTER)
    yield Case("payload-unsigned", "A payload without commit.", chain.data, [("payload-unsigned", BAD)])


# --- E-5…E-8, E-13 ------------------------------------------------------------------------------------------

SPELLINGS: tuple[tuple[str, str, str], ...] = (
    ("key-order", "Members in another order.", f"{{{TEXT},{SALT}}}"),
    ("whitespace", "A space between members.", f"{{{SALT}, {TEXT}}}"),
    ("duplicate-member", "A member twice.", f"{{{SALT},{TEXT},{TEXT}}}"),
    ("escape", "A letter as an escape.", f'{{{SALT},"text":"\\u0074"}}'),
    ("escape-capitals", "A control character in capital hex digits.", f'{{"body":"\\u001F",{SALT},{TEXT}}}'),
    ("lone-surrogate", "A lone surrogate.", f'{{{SALT},"text":"\\udc00"}}'),
    ("zero-character", "U+0000 in a body.", f'{{"body":"\\u0000",{SALT},{TEXT}}}'),
    ("not-utf8", "A byte that is not UTF-8.", f'{{{SALT},"text":"\udce9"}}'),
    ("float", "A float in an unknown member.", f'{{{SALT},{TEXT},"weight":0.5}}'),
    ("big-integer", "2^53 in an unknown member.", f'{{{SALT},{TEXT},"weight":9007199254740992}}'),
    ("depth-17", "17 levels in an unknown member.", f'{{{SALT},{TEXT},"x":{"[" * 16}{"]" * 16}}}'),
    ("not-an-object", "A text.", '"text"'),
    ("null-signed", "null, and signed as that.", "null"),
    ("upper-case-key", "A key with a capital letter.", f'{{"Mood":1,{SALT},{TEXT}}}'),
    ("salt-missing", "No salt.", f"{{{TEXT}}}"),
    ("salt-short", "A salt of 15 bytes.", f'{{"salt":"{"A" * 20}",{TEXT}}}'),
    ("salt-not-canonical", "Unused bits in a salt.", f'{{"salt":"{"A" * 21}B",{TEXT}}}'),
)

# --- M-1…M-10, E-24 -----------------------------------------------------------------------------------------

RECORDS: tuple[tuple[str, str, dict[str, Any]], ...] = (
    ("text-missing", "No text.", {"text": ...}),
    ("text-blank", "A text of nothing but space.", {"text": " \u3000\u00a0"}),
    ("text-two-lines", "A text of two lines.", {"text": "one\u2028two"}),
    ("text-line-end", "A text with a line end behind it.", {"text": "one\n"}),
    ("text-long", "A text of 1,001 code points.", {"text": "x" * 1001}),
    ("text-number", "A text that is a number.", {"text": 1}),
    ("title", "An empty title.", {"title": ""}),
    ("body", "A body that is a list.", {"body": ["x"]}),
    ("details", "A detail of two lines.", {"details": ["one\ntwo"]}),
    ("tags", "A tag of 65 code points.", {"tags": ["x" * 65]}),
    ("when-to-use", "101 patterns.", {"when_to_use": ["x"] * 101}),
    ("type", "A type that does not exist.", {"type": "opinion"}),
    ("section", "A section with # in front.", {"section": "# Tools"}),
    ("section-space", "A section with a space at its end.", {"section": "Tools\u00a0"}),
    ("tier", "A tier that does not exist.", {"tier": "weekly"}),
    ("importance", "An importance that does not exist.", {"importance": "urgent"}),
    ("confidence", "A confidence of one decimal.", {"confidence": "0.9"}),
    ("inferred", "`inferred` as a number.", {"inferred": 1}),
    ("source", "A source that does not exist.", {"source": "agent"}),
    ("status", "A status that no record can have.", {"status": "deleted"}),
    ("category", "A category that does not exist.", {"category": ""}),
    ("topic", "A topic of five segments.", {"topic": "a/b/c/d/e"}),
    ("topic-long", "A topic segment of 65 characters.", {"topic": "a/" + "b" * 65}),
    ("place", "A place without document.", {"place": {"after": None}}),
    ("part", "A part beyond the last.", {"part": {"n": 3, "of": 2, "first": ID}}),
    ("part-first", "A second part that names no first.", {"part": {"n": 2, "of": 2}}),
    ("provenance", "An empty conversation.", {"provenance": {"conversation": ""}}),
    ("extra", "Frontmatter that is an object.", {"extra": {"a": 1}}),
    ("reason-number", "A reason that is a number.", {"reason": 1}),
)


def _other_kinds() -> Iterator[Case]:
    for name, what, kind, payload, members in (
        ("supersede", "A supersede without text.", "supersede", {"body": "x"}, {"targets": [ID]}),
        ("delete", "A reason of 4,001 code points.", "delete", {"reason": "x" * 4001}, {"targets": [ID]}),
        ("confirm", "A reason that is a list.", "confirm", {"reason": []}, {"targets": [ID]}),
        ("erase", "A provenance that is text.", "erase", {"provenance": "x"}, {"targets": [ID]}),
        ("anchor", "An anchor without method.", "anchor", {"root": "x"}, {}),
        ("anchor-empty", "An anchor whose root is an empty text.", "anchor", {"method": "x", "root": ""}, {}),
        ("anchor-size", "An anchor of a negative size.", "anchor", {"method": "x", "size": -1}, {}),
    ):
        chain = started(1)
        chain.add(kind, payload, **members)
        chain.create(AFTER)
        yield Case(f"payload-{name}", what, chain.data, [("payload-schema", BAD)])
    chain = started(1)
    chain.recover({"reason": None})
    chain.create(AFTER)
    yield Case("payload-recover", "A reason that is null.", chain.data, [("payload-schema", BAD)])
