"""One line after the other is judged against what stands before it, and the state moves only with good ones.

Tests specs/verification.md (V-3…V-6). Each code has its vectors (tests/specs); here is what concerns order
and state.
"""

from __future__ import annotations

from typing import Any

import pytest

from ledger.check import LineChecker, Link
from ledger.event import next_key_commitment, split_line
from specs.vectors.builder import Chain, key
from specs.vectors.cases import started


def checked(chain: Chain, upto: int | None = None) -> LineChecker:
    checker = LineChecker()
    for line in chain.lines[:upto]:
        checker.take(line)
    return checker


def codes(checker: LineChecker) -> list[tuple[str, int | None]]:
    return [(finding.code, finding.line) for finding in checker.findings]


def test_a_good_chain_has_no_findings_and_ends_at_its_last_event() -> None:
    chain = started(3)
    checker = checked(chain)
    assert checker.findings == []
    following = next_key_commitment(key(2).public)
    ts = "2026-11-20T15:11:03.000000Z"
    assert checker.link == Link(3, chain.ids[3], ts, 0, key(1).public, following, chain.genesis_id)


def test_there_is_no_state_before_genesis() -> None:
    assert LineChecker().link is None


def test_a_line_is_given_with_head_id_and_payload() -> None:
    chain = started(1)
    checker = checked(chain, 1)
    taken = checker.take(chain.lines[1])
    assert taken
    assert (taken.id, taken.state, taken.head["kind"]) == (chain.ids[1], "ok", "create")
    assert taken.payload
    assert taken.payload["text"].startswith("The staging")


def several_faults(number: int) -> tuple[Chain, str]:
    """Return a chain whose third line breaks every rule from the `number`th on, and the code of the first."""
    chain = started(1)
    members = chain.members("rotate", key=key(9).public.hex(), next="ab" * 32)
    steps: list[tuple[str, dict[str, Any]]] = [
        ("schema", {"note": 1}),
        ("seq", {"seq": 7}),
        ("prev", {"prev": "ab" * 32}),
        ("time", {"ts": "2026-11-20T15:11:01.000000Z"}),
        ("epoch", {"epoch": 3}),
        ("key", {}),
    ]
    for _, wrong in steps[number:]:
        members.update(wrong)
    chain.raw(members, by=5)
    return chain, steps[number][0]


@pytest.mark.parametrize("number", range(6))
def test_of_several_faults_the_first_in_order_is_reported(number: int) -> None:
    """V-3: members, seq, prev, ts, epoch, key, and the signature last."""
    chain, code = several_faults(number)
    assert codes(checked(chain)) == [(code, 3)]


BOM = b"\xef\xbb\xbf"
LATER = (b',"v":1}', b',"v":2}')
FLOAT = (b'"epoch":0', b'"epoch":0.5')
KIND = (b'"kind":"create"', b'"kind":"x"')
EDITS: tuple[tuple[str, bytes, tuple[tuple[bytes, bytes], ...], bytes], ...] = (
    ("line-too-long", BOM, (LATER, FLOAT), b"\t" + b"x" * 70_000),
    ("raw-control", BOM, (LATER, FLOAT), b"\t"),
    ("bom", BOM, (LATER, FLOAT), b" "),
    ("framing", b"", (LATER, FLOAT), b" "),
    ("unsupported-version", b"", (LATER, FLOAT), b""),
    ("not-canonical", b"", (FLOAT, KIND), b""),
    ("schema", b"", (KIND, (b'"seq":2', b'"seq":9')), b""),
)


@pytest.mark.parametrize(("code", "before", "places", "after"), EDITS, ids=[edit[0] for edit in EDITS])
def test_what_stands_in_the_bytes_comes_before_what_they_say(
    code: str, before: bytes, places: tuple[tuple[bytes, bytes], ...], after: bytes
) -> None:
    """V-3."""
    chain = started(2)
    for old, new in places:
        chain.replace(3, old, new)
    chain.lines[2] = before + chain.lines[2] + after
    assert codes(checked(chain)) == [(code, 3)]


def test_a_control_byte_in_a_payload_is_a_fault_of_the_line() -> None:
    """V-3: the whole line is looked at, so the event is none, although its head alone would pass."""
    chain = started(3)
    chain.replace(3, b"staging", b"stag\ting")
    checker = checked(chain, 3)
    assert codes(checker) == [("raw-control", 3)]
    assert checker.findings[0].seq is None
    assert checker.link
    assert (checker.link.seq, checker.link.broken) == (1, True)


def test_head_and_payload_are_judged_apart() -> None:
    """V-4: a bad payload does not touch the events after it."""
    chain = started(3)
    chain.replace(2, b"staging", b"sandbox")
    checker = checked(chain)
    assert codes(checker) == [("payload-altered", 2)]
    assert checker.link
    assert checker.link.id == chain.ids[3]
    assert checker.findings[0].id == chain.ids[1]


def test_a_blank_payload_is_no_finding_of_its_line() -> None:
    """V-7 decides, once all erase events are known."""
    chain = started(2)
    chain.blank(2)
    checker = checked(chain, 1)
    taken = checker.take(chain.lines[1])
    assert taken
    assert (taken.state, checker.findings) == ("blank", [])
    assert taken.event("c", 0, 0).erased


def test_after_a_bad_head_the_next_place_is_taken_as_it_is() -> None:
    """V-5: and from there on everything is compared again."""
    chain = started(5)
    chain.lines[2] = b"garbage"
    del chain.lines[4]
    assert codes(checked(chain)) == [("framing", 3), ("seq", 5)]


def test_after_a_bad_head_key_and_signature_are_checked_as_ever() -> None:
    chain = started(4)
    chain.lines[2] = b"garbage"
    chain.replace(4, b'"alice"', b'"mallory"')
    assert codes(checked(chain)) == [("framing", 3), ("signature", 4)]


def test_after_a_bad_head_a_second_genesis_is_none() -> None:
    chain = started(1)
    chain.lines.append(b"garbage")
    chain.genesis()
    assert codes(checked(chain)) == [("framing", 3), ("genesis", 4)]


def test_a_bad_rotate_changes_no_key() -> None:
    """E-20: the key in force is that of the newest good rotate."""
    chain = started(1)
    chain.rotate(to=4)
    chain.create("By the key that was never in force.")
    chain.number = 1
    chain.create("By the key in force.")
    assert codes(checked(chain)) == [("key", 3), ("signature", 4)]


def test_a_rotate_brings_key_and_commitment() -> None:
    chain = started(1)
    chain.rotate()
    link = checked(chain).link
    assert link
    assert (link.key, link.next_key) == (key(2).public, next_key_commitment(key(3).public))


def test_without_a_genesis_nothing_more_can_be_taken() -> None:
    """V-6."""
    chain = started(2)
    checker = LineChecker()
    assert checker.take(chain.lines[1]) is None
    assert checker.lost
    assert checker.link is None
    assert codes(checker) == [("genesis", 1)]


def test_a_later_bad_line_loses_nothing() -> None:
    chain = started(1)
    checker = checked(chain)
    checker.take(b"garbage")
    assert not checker.lost
    assert checker.link
    assert checker.link.broken


def test_a_checker_goes_on_from_a_link() -> None:
    chain = started(4)
    chain.rotate()
    chain.create("After the rotation.")
    for cut in range(1, len(chain.lines)):
        first = checked(chain, cut)
        rest = LineChecker(first.link, first.line)
        for line in chain.lines[cut:]:
            assert rest.take(line)
        assert rest.link == checked(chain).link
        assert rest.line == len(chain.lines)


def test_a_checker_goes_on_after_a_broken_line() -> None:
    chain = started(3)
    chain.lines[2] = b"garbage"
    first = checked(chain, 3)
    rest = LineChecker(first.link, first.line)
    assert rest.take(chain.lines[3])
    assert rest.findings == []


def test_signatures_can_be_left_to_the_links() -> None:
    chain = started(2)
    checker = LineChecker(signatures=False)
    sig = split_line(chain.lines[2]).sig
    chain.replace(3, sig, b"A" * 86)
    for line in chain.lines:
        assert checker.take(line)
    with_signatures = checked(chain)
    assert codes(with_signatures) == [("signature", 3)]


def test_findings_name_seq_and_id_once_the_members_passed() -> None:
    """V-2."""
    chain = started(4)
    chain.replace(2, b'"epoch":0', b'"epoch":-')
    chain.replace(4, b'"alice"', b'"mallory"')
    first, second = checked(chain).findings
    assert (first.code, first.seq, first.id) == ("not-canonical", None, None)
    assert (second.code, second.seq) == ("signature", 3)
    assert second.id
    assert second.id != chain.ids[3]
