"""What is found is cut out or refused, and no message tells a secret (specs/redaction.md R-1…R-4, R-12, R-14…R-17)."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ledger import redaction
from ledger.errors import SecretError
from ledger.redaction import SecretFinding, refusal
from ledger.redaction_rules import hits
from tests.ledger.named_secrets import CAUGHT
from tests.ledger.near_misses import NEAR_MISSES
from tests.ledger.prose import lines
from tests.ledger.redacting import RULES, fragments, rules_in
from tests.ledger.secret_fakes import announced, tokens

ROOT = Path(__file__).resolve().parents[2]

SPEC = ROOT / "specs" / "redaction.md"


# --- redaction itself ---

PIECES = st.one_of(
    st.text(max_size=12),
    st.sampled_from(sorted(tokens(7).values())),
    st.sampled_from(sorted(text for text, _ in announced(7).values())),
    st.sampled_from(sorted(secret for _, secret in announced(7).values())),
    st.sampled_from(
        ["password", "token", "=", ": ", " is ", "\n", "://a:", "@", "[redacted:password]", '"', "\\n"]
    ),
    st.sampled_from(CAUGHT + NEAR_MISSES),
)

TEXTS = st.lists(PIECES, max_size=8).map("".join)

VALUES: st.SearchStrategy[Any] = st.recursive(
    TEXTS | st.integers() | st.none() | st.booleans(),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(TEXTS | st.just("db_password"), inner, max_size=3)
    ),
    max_leaves=6,
)


@given(TEXTS)
def test_hits_are_sorted_apart_and_inside_the_text(text: str) -> None:
    """R-3: the interface's promise, for any text with secrets planted in it."""
    end = 0
    for hit in redaction.scan(text):
        assert end <= hit.start < hit.end <= len(text)
        end = hit.end


@given(TEXTS)
def test_redacted_text_holds_nothing_to_redact(text: str) -> None:
    """R-3: redacting twice is redacting once."""
    redacted = redaction.redact(text)
    assert redaction.scan(redacted) == ()
    assert redaction.redact(redacted) == redacted


@given(VALUES)
def test_a_redacted_value_is_never_refused(value: Any) -> None:
    """R-3, R-12: also where names of members hold secrets or announce them."""
    redacted = redaction.redact_value(value)
    assert rules_in(redacted) == []
    assert not rules_in(value) or redacted != value


@given(st.lists(TEXTS, max_size=5))
def test_one_scan_for_all_strings_finds_what_single_scans_find(texts: list[str]) -> None:
    """R-4: joining the strings of a payload neither hides a secret nor makes one."""
    texts = [text.replace("\0", "") for text in texts]
    texts += ["password=Xk29fjQ2", "… and so on"]  # joined without a fence this would be one odd word
    single = {hit.rule for text in texts for hit in redaction.scan(text)}
    assert set(rules_in({"details": texts})) == single


@pytest.mark.parametrize("name", sorted(RULES))
def test_what_is_redacted_passes_and_announces_nothing(name: str) -> None:
    """R-15: `[redacted:password]: build1234x` is a sentence about something that is gone."""
    for text in (
        f"[redacted:{name}]",
        f"password=[redacted:{name}]",
        f"[redacted:{name}]: build1234x is green",
    ):
        assert redaction.scan(text) == ()


def test_a_secret_is_found_in_every_member() -> None:
    """R-1, R-12: text, lists, objects, names, members that nobody knows; and the finding says where."""
    secret = tokens(3)["github classic token"]
    value = {
        "text": "fine",
        "details": ["fine", f"uses {secret}"],
        "provenance": {"session": secret},
        "later": {"deep": [{"x": secret}], secret: 1},
        "db_password": "Xk29fjQ2",
        "passwords": ["Xk29fjQ2"],
        "token_url": "Xk29fjQ2Xk29fjQ2",
    }
    places = {finding.where for finding in redaction.findings(value)}
    expected = {
        "details[1]",
        "provenance.session",
        "later.deep[0].x",
        "the name later.?",
        "db_password",
        "passwords[0]",
    }
    assert places == expected
    assert rules_in(value) == ["github-token", "password"]
    assert rules_in({secret: 1}) == ["github-token"]
    redacted = redaction.redact_value(value)
    assert secret not in json.dumps(redacted)
    assert redacted["db_password"] == "[redacted:password]"
    assert redacted["token_url"] == value["token_url"]
    assert redacted["details"] == ["fine", "uses [redacted:github-token]"]


def test_a_very_long_value_goes_as_a_whole() -> None:
    """R-3: what is matched only in its beginning is cut to its end."""
    assert redaction.redact("password=" + "aB3$" * 400 + " end") == "password=[redacted:password] end"


def test_the_refusal_names_rule_and_member_and_never_the_secret() -> None:
    """R-2: one line, what happened, where, what to do."""
    secret = tokens(3)["github classic token"]
    value = {"text": secret, secret: secret, "details": [f"{secret} {number}" for number in range(40)]}
    error = refusal(redaction.findings(value))
    message = str(error)
    assert isinstance(error, SecretError)
    assert error.rules == ("github-token",)
    assert "github-token in text" in message
    assert "more" in message
    assert error.can_be_cut
    assert not refusal(redaction.findings(value), can_be_cut=False).can_be_cut
    assert "\n" not in message
    assert len(message) < 600
    assert not [piece for piece in fragments(secret, 6) if piece in message + repr(error) + repr(error.args)]
    assert str(refusal([SecretFinding("jwt", "text")] * 2)).count("jwt in text") == 1


HOSTILE = {
    "assignments": "password=" * 7000,
    "sentences": "password for " * 5000,
    "words in a password's place": "db_password: sunshine or " * 2200,
    "passwords and spaces": ("password: sunshine" + " " * 60) * 800,
    "bearers": "authorization: bearer " * 2500,
    "words": "token " * 10_000,
    "spaces": "secret" + " " * 60_000,
    "quotes": "token" + '\\"' * 30_000,
    "parentheses": "api key (" * 7000,
    "dots": "eyJaaaaaaaaaa." * 4300,
    "addresses": "://a:" * 12_000,
    "one address": "://a:" + "p" * 60_000,
    "dashes": "-" * 60_000,
    "hex": "0123456789abcdef" * 4000,
    "one word": "a" * 60_000,
    "hyphens": "Ab-" * 20_000,
    "begin lines": f"-----{'BEGIN'} RSA PRIVATE KEY-----" * 1900,
    "key lines": f"-----{'BEGIN'} RSA PRIVATE KEY-----\n" + ("A" * 64 + "\n") * 900,
    "escaped key lines": f"-----{'BEGIN'} PRIVATE KEY-----" + "\\n" * 30_000,
    "redacted": "[redacted:token]" * 3700,
    "capitals with two small letters": "İtoken" * 9000,
}


@pytest.mark.parametrize("name", sorted(HOSTILE))
def test_a_hostile_text_does_not_stall_the_scan(name: str) -> None:
    """R-14: each of these takes minutes or years where a pattern backtracks; here all end at once."""
    text = HOSTILE[name]
    assert len(text) > 50_000
    assert redaction.scan(redaction.redact(text)) == ()


def test_positions_hold_where_small_letters_differ_in_number() -> None:
    """A capital with two small letters before a secret does not shift what is cut."""
    assert redaction.redact("İİİ password=Xk29fjQ2 ok") == "İİİ password=[redacted:password] ok"


SIGNS = ("\u200b", "\u200d", "\u2060", "\ufeff", "\u00ad", "\u202e")


@pytest.mark.parametrize("sign", SIGNS)
def test_a_secret_with_signs_of_no_width_in_it_is_found_and_cut_out_whole(sign: str) -> None:
    """R-17."""
    kinds = tokens(1)
    for kind, token in kinds.items():
        hidden = f"see {sign.join(token)} there"
        assert redaction.scan(hidden), kind
        assert redaction.findings({"details": ["x", hidden]})[0].where == "details[1]"
        redacted = redaction.redact(hidden)
        assert redacted.startswith("see ")
        assert redacted.endswith(" there")
        assert token[-6:] not in redacted.replace(sign, "")
        assert redaction.findings([redacted]) == ()


@pytest.mark.parametrize("sign", SIGNS)
def test_prose_with_signs_of_no_width_in_it_passes_like_prose(sign: str) -> None:
    """R-17."""
    signed = [line.replace("e", f"e{sign}").replace(" ", f" {sign}") for line in lines(400)]
    assert [line for line in signed if redaction.scan(line) and not hits(line)] == []


# --- the spec's list, start-up ---


def test_the_spec_lists_the_rules_that_there_are() -> None:
    """specs/redaction.md and the code name the same rules."""
    _, _, rules = SPEC.read_text("utf-8").partition("\nAll rules: ")
    listed = re.findall(r"`([a-z0-9-]+)`", rules.partition("\n\n")[0])
    assert listed == sorted(RULES)


def test_importing_redaction_compiles_nothing() -> None:
    """R-14: commands that only read pay nothing for it."""
    program = (
        "import re, sys, dataclasses, typing\n"
        "made = []\n"
        "compiled = re.compile\n"
        "re.compile = lambda *a, **k: made.append(a) or compiled(*a, **k)\n"
        "import ledger.redaction\n"
        "print(len(made))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert done.stdout == "0\n"
