"""Tests proofs/erasing/residue.py against specs/erasure.md (Z-1…Z-5)."""

from __future__ import annotations

import csv
import io
import json
import textwrap

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proofs.erasing.residue import LONG, NOTHING, PART, WHOLE, Residue, fold

TEXT = 'The "zyxwvutsrq31415" code opens Ärger & the door\\window of our cellar'


def in_csv(text: str) -> bytes:
    table = io.StringIO()
    csv.writer(table).writerow(["x", text])
    return table.getvalue().encode()


FORMS = {
    "as it is": TEXT.encode(),
    "JSON": json.dumps({"a": TEXT}).encode(),
    "JSON, unescaped": json.dumps({"a": TEXT}, ensure_ascii=False).encode(),
    "JSON in JSON": json.dumps(json.dumps([TEXT])).encode(),
    "JSON three deep": json.dumps(json.dumps(json.dumps(TEXT))).encode(),
    "wrapped": ("- " + "\n  ".join(textwrap.wrap(TEXT, 20))).encode(),
    "quoted": ("> " + "\n> ".join(textwrap.wrap(TEXT, 20))).encode(),
    "stale": f"- [?] {TEXT}\n".encode(),
    "CSV": in_csv(TEXT),
    "YAML": f"t: '{TEXT}'\n".encode(),
    "capitals": TEXT.upper().encode(),
    "UTF-16": f"x {TEXT}".encode("utf-16"),
    "UTF-16, little end": f"x {TEXT}".encode("utf-16-le"),
    "UTF-16, big end": f"x {TEXT}".encode("utf-16-be"),
    "among bytes": b"\x00\xff\x01" + TEXT.encode() + b"\x80\x00",
}


@pytest.mark.parametrize("form", FORMS)
def test_each_form_shows_it(form: str) -> None:
    """Z-2, Z-3."""
    assert Residue([TEXT]).look(FORMS[form]) == WHOLE


def test_a_character_beyond_16_bits_is_found_in_ascii_json() -> None:
    """Z-3: two escapes."""
    assert Residue(["our mascot is the 🦊 of the forest"]).look(
        json.dumps("our mascot is the 🦊 of the forest").encode()
    )


def test_a_short_line_counts_only_whole() -> None:
    """Z-4."""
    residue = Residue(["Use go"])
    assert residue.look(b"- use go\n") == WHOLE
    assert residue.look(b'{"text":"Use go"}') == WHOLE
    assert residue.look(b'{"text":"Use gofmt"}') == NOTHING
    assert Residue(["Use go"], anywhere=True).look(b"Use gofmt") == WHOLE


def test_a_piece_is_one_from_32_characters_on() -> None:
    """Z-4."""
    residue = Residue([TEXT])
    folded = fold(TEXT)
    assert residue.look(folded[5:37].encode()) == PART
    assert residue.look(folded[5:36].encode()) == NOTHING


def test_where_bytes_are_cut_off_a_beginning_counts() -> None:
    """Z-4."""
    cut = b'"text":"' + json.dumps(TEXT).encode()[1:15]
    assert Residue([TEXT]).look(cut) == NOTHING
    assert Residue([TEXT]).look(cut, cut=True) == PART


def test_case_counts_where_a_person_named_the_text() -> None:
    """Z-2."""
    assert Residue(["abcdef"], anywhere=True).look(b"Token ABCDEF") == NOTHING
    assert Residue(["ABCDEF"], anywhere=True).look(b"Token ABCDEF") == WHOLE


def test_what_stands_is_no_residue() -> None:
    """Z-5: equal texts, longer lines, pieces."""
    longer = f"{TEXT} and of the attic"
    residue = Residue([TEXT], standing=lambda: [longer])
    assert residue.look(f"- {longer}\n".encode()) == NOTHING
    assert residue.look(f"- {longer}\n- {TEXT}\n".encode()) == WHOLE
    assert residue.look(TEXT[:50].encode()) == NOTHING
    assert Residue([TEXT], standing=lambda: [TEXT]).look(TEXT.encode()) == NOTHING
    assert Residue(["Use go"], standing=lambda: ["Use go"]).look(b'"Use go"') == NOTHING


_LINES = st.text(st.characters(blacklist_categories=("Cs", "Cc")), min_size=1, max_size=80)


@given(_LINES, _LINES, _LINES)
def test_any_text_is_found_inside_others(before: str, text: str, behind: str) -> None:
    """Z-2, Z-3: whatever stands around it, plain or in JSON."""
    if len(fold(text)) < LONG or text.splitlines() != [text]:
        return
    around = f"{before}\n{text}\n{behind}"
    residue = Residue([text])
    assert residue.look(around.encode()) == WHOLE
    assert residue.look(json.dumps({"a": around}).encode()) == WHOLE


_SHARDS = st.lists(
    st.sampled_from(
        [
            "ab",
            "Gate",
            "ß",
            "4921",
            " ",
            "\n",
            "- ",
            "* ",
            "[?] ",
            "#",
            ">",
            "'",
            "\\",
            "\\n",
            '"',
            "\u00a0",
            "\u200b",
        ]
    ),
    max_size=40,
).map("".join)


@given(_SHARDS, _SHARDS, _SHARDS, st.booleans())
def test_what_is_not_folded_holds_nothing(before: str, text: str, other: str, anywhere: bool) -> None:
    """Z-2: that a text is folded only where it may hold something changes no answer, nor what excuses."""

    class Folding(Residue):
        def _may_say(self, *_: object) -> bool:
            return True

    for data in (f"{before}{text}{other}", f"{before}\n- {text}\n{other}", text[3:-2] + other, other):
        sooner, all_folded = (
            kind([text], anywhere=anywhere, standing=lambda: [other]) for kind in (Residue, Folding)
        )
        for spelt in (data, json.dumps(data)):
            assert sooner.look(spelt.encode()) == all_folded.look(spelt.encode())


@given(_LINES)
def test_nothing_is_found_in_nothing(text: str) -> None:
    assert Residue([text]).look(b"") == NOTHING
    assert not Residue([""])
