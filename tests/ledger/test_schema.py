"""The catalogue of kinds: what each must, may and must not hold.

Tests specs/event.md (E-14…E-24). One hostile value of each member stands in specs/vectors/invalid; here are the rules
that span members, and the promises that other modules build on.
"""

from __future__ import annotations

import copy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ledger.canonical import MAX_INTEGER, domain_fault
from ledger.memory import MAX_REASON
from ledger.schema import KINDS, MAX_SEEN, MAX_TARGETS, MEMORY_KINDS, event_fault, payload_fault

ID = "ab" * 32
TS = "2026-11-20T15:11:00.123456Z"
BASE: dict[str, Any] = {
    "v": 1,
    "seq": 1,
    "prev": ID,
    "ts": TS,
    "epoch": 0,
    "by": {"name": "alice", "role": "user", "via": "cli"},
}
OWN: dict[str, dict[str, Any]] = {
    "genesis": {
        "key": ID,
        "next": ID,
        "nonce": "A" * 22,
        "ledger": {"id": "0" * 32, "name": "x", "scope": "user"},
    },
    "create": {"commit": ID},
    "supersede": {"targets": [ID], "commit": ID},
    "delete": {"targets": [ID]},
    "confirm": {"targets": [ID]},
    "erase": {"targets": [ID]},
    "rotate": {"key": ID, "next": ID},
    "recover": {"lost": None, "cut": None},
    "anchor": {"commit": ID},
}
OPTIONAL: dict[str, Any] = {
    "at": "2026-11-20T15:11:00.123457Z",
    "seen": [ID],
    "commit": ID,
    "proof": "A" * 86,
    "since": 1,
}


def event(kind: str, **members: Any) -> dict[str, Any]:
    return copy.deepcopy({**BASE, "kind": kind, **OWN[kind], **members})


def test_there_are_nine_kinds() -> None:
    assert set(KINDS) == set(OWN), (
        "add the kind to OWN in this file and its members to KINDS in tests/specs/independent_line.py"
    )
    assert set(KINDS) >= MEMORY_KINDS


@pytest.mark.parametrize("kind", KINDS)
def test_each_kind_passes_with_and_without_its_optional_members(kind: str) -> None:
    assert event_fault(event(kind)) is None
    whole = event(kind, **{name: OPTIONAL[name] for name in KINDS[kind].optional})
    assert event_fault(whole) is None


@pytest.mark.parametrize("kind", KINDS)
def test_each_required_member_is_missed(kind: str) -> None:
    for name in KINDS[kind].required - {"kind"}:
        lacking = event(kind)
        del lacking[name]
        assert event_fault(lacking) == f"a {kind} lacks {name}"


@pytest.mark.parametrize("kind", KINDS)
def test_each_member_of_another_kind_is_refused(kind: str) -> None:
    """E-14: no kind takes what it is not named for."""
    every = {**OPTIONAL, **{name: value for own in OWN.values() for name, value in own.items()}}
    for name in every.keys() - KINDS[kind].required - KINDS[kind].optional:
        assert event_fault(event(kind, **{name: every[name]})) == f"a {kind} has no member {name}"


@pytest.mark.parametrize("kind", [None, 1, [], {}, "Create", "merge", "create "])
def test_an_unknown_kind_is_refused(kind: Any) -> None:
    assert event_fault({**event("create"), "kind": kind}) == f"kind {kind!r} is unknown"


@pytest.mark.parametrize(
    ("kind", "members"),
    [
        ("delete", {"targets": [f"{n:064x}" for n in range(MAX_TARGETS)]}),
        ("create", {"seen": [f"{n:064x}" for n in range(MAX_SEEN)]}),
        ("create", {"seq": MAX_INTEGER, "epoch": MAX_INTEGER}),
        ("create", {"by": {"name": "a.b_c-9" + "x" * 57, "role": "system", "via": "import"}}),
        ("recover", {"lost": {"id": ID, "seq": 0}, "cut": ID}),
        ("create", {"ts": "0001-01-01T00:00:00.000000Z"}),
        ("create", {"ts": "2028-02-29T23:59:59.999999Z"}),
        ("create", {"prev": None}),
    ],
)
def test_the_largest_values_pass(kind: str, members: dict[str, Any]) -> None:
    assert event_fault(event(kind, **members)) is None


@pytest.mark.parametrize("name", ["seq", "epoch", "v"])
@pytest.mark.parametrize("value", [True, False, -1, 1.0, "1", None, MAX_INTEGER + 1, [], {}])
def test_a_number_is_an_integer_in_range(name: str, value: Any) -> None:
    assert event_fault(event("create", **{name: value})) is not None


MESS: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5) | st.just(ID) | st.just(TS),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
)


@given(
    st.sampled_from(sorted(KINDS)),
    st.sampled_from([*sorted(BASE), *sorted(OPTIONAL), "targets", "key"]),
    MESS,
)
def test_members_that_pass_lie_in_the_domain_of_canonical_json(kind: str, name: str, value: Any) -> None:
    """The checker looks at the domain (E-6) only where this check fails."""
    changed = event(kind, **{name: value})
    if event_fault(changed) is None:
        assert domain_fault(changed) is None


def test_at_is_left_out_where_it_says_no_more() -> None:
    """E-16."""
    assert event_fault(event("create", at=TS)) == "at is the same as ts and must be left out"


# --- payloads -----------------------------------------------------------------------------------------------

SALT = {"salt": "A" * 22}


@pytest.mark.parametrize("kind", ["create", "supersede"])
def test_a_memory_needs_a_text(kind: str) -> None:
    assert payload_fault(kind, SALT) == "text is missing"
    assert payload_fault(kind, {**SALT, "text": "t"}) is None


@pytest.mark.parametrize("kind", ["delete", "confirm", "erase", "recover"])
def test_a_note_may_say_why(kind: str) -> None:
    """E-24."""
    assert payload_fault(kind, SALT) is None
    assert payload_fault(kind, {**SALT, "reason": "x\r\n" * 1333}) is None
    assert payload_fault(kind, {**SALT, "reason": "x" * (MAX_REASON + 1)}) is not None
    assert payload_fault(kind, {**SALT, "provenance": {"agent": "a", "other": 1}}) is None
    assert payload_fault(kind, {**SALT, "provenance": {"agent": ""}}) is not None


def test_an_anchor_names_its_method() -> None:
    assert payload_fault("anchor", SALT) == "method is missing"
    good = {**SALT, "method": "m", "size": 0, "root": "r", "digest": "d", "file": "f", "where": "w"}
    assert payload_fault("anchor", good) is None
    for wrong in ({"size": -1}, {"size": True}, {"where": "a\nb"}, {"file": ""}):
        assert payload_fault("anchor", {**good, **wrong}) is not None


@pytest.mark.parametrize("kind", ["genesis", "rotate"])
def test_two_kinds_have_no_payload(kind: str) -> None:
    assert payload_fault(kind, SALT) == "this kind has no payload"


@pytest.mark.parametrize("kind", [kind for kind, row in KINDS.items() if row.payload_fault])
def test_unknown_members_of_a_payload_are_kept(kind: str) -> None:
    """E-24, M-3."""
    payload = {**SALT, "text": "t", "method": "m", "unheard_of": [1, {"a": None}]}
    assert payload_fault(kind, payload) is None


@pytest.mark.parametrize(
    "salt", [None, "", "A" * 21, "A" * 23, "A" * 21 + "B", "A" * 21 + "+", "A" * 20 + "==", 1, "\u0660" * 22]
)
def test_a_salt_is_16_bytes_in_base64url(salt: Any) -> None:
    """E-13, E-8."""
    assert payload_fault("create", {"salt": salt, "text": "t"}) == "salt must be the base64url of 16 bytes"


@pytest.mark.parametrize("end", "\n\r\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029\0")
@pytest.mark.parametrize("where", ["a{}b", "{}b", "a{}", "{}"])
def test_one_line_holds_no_line_end(end: str, where: str) -> None:
    """M-5: nor U+0000, wherever it stands."""
    payload = {**SALT, "text": "t", "title": where.format(end)}
    assert payload_fault("create", payload) == "title must be one line"


@pytest.mark.parametrize("text", ["\t", "\x1f", "\x7f", "\u200b", "\ufeff", "\u2027", "\x84", "é"])
def test_other_odd_characters_end_no_line(text: str) -> None:
    """M-5."""
    assert payload_fault("create", {**SALT, "text": "t", "title": text}) is None
