"""Tests ledger/redaction_rules.py: tokens and private keys are caught, prose passes (specs/redaction.md R-5, R-8…R-11)."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from ledger import redaction
from tests.ledger.near_misses import NEAR_MISSES
from tests.ledger.prose import lines
from tests.ledger.redacting import RULES, fragments
from tests.ledger.secret_fakes import PRIVATE_KEYS, PROVIDER_TOKENS, announced, tokens

ROOT = Path(__file__).resolve().parents[2]

REAL = ROOT.parent / "shared" / "data" / "memory-files"
MESSAGES = REAL.with_name("messages")

SEEDS = range(40)

FRAMES = (
    "{}",
    "the deploy uses {} for now.",
    "X={}",
    "(`{}`)",
    '"{}",',
    "one\\n{}\\ntwo",
    "https://x.example/?q=%3D{}",
)


# --- what is caught ---


@pytest.mark.parametrize("kind", sorted(PROVIDER_TOKENS | PRIVATE_KEYS))
def test_our_rules_alone_catch_every_kind_wherever_it_stands(kind: str) -> None:
    """R-5, R-8: in sentences, assignments, quotes, escapes and addresses; nothing of them is left."""
    for seed in SEEDS:
        secret = tokens(seed)[kind]
        text = FRAMES[seed % len(FRAMES)].format(secret)
        assert redaction.scan(text), f"{kind} of seed {seed} passed"
        redacted = redaction.redact(text)
        assert not [piece for piece in fragments(secret) if piece in redacted], f"{kind}, seed {seed}: a rest"


@pytest.mark.parametrize("kind", sorted(announced(0)))
def test_our_rules_alone_catch_what_only_words_announce(kind: str) -> None:
    """R-6, R-7, R-9: the value goes, the words around it stay."""
    for seed in SEEDS:
        text, secret = announced(seed)[kind]
        assert redaction.scan(text), f"{kind} of seed {seed} passed"
        before, _, after = text.partition(secret)
        redacted = redaction.redact(text)
        assert redacted.startswith(before)
        assert redacted.endswith(after)
        assert secret not in redacted


def test_more_than_twenty_kinds_are_tried() -> None:
    """The issue asks for 18 of 20 kinds; this corpus has many more, and ours miss none of them."""
    assert len(PROVIDER_TOKENS | PRIVATE_KEYS) + len(announced(0)) >= 60
    assert len({secret for seed in SEEDS for secret in tokens(seed).values()}) == len(SEEDS) * len(tokens(0))


@pytest.mark.parametrize("kind", sorted(PROVIDER_TOKENS | PRIVATE_KEYS))
def test_the_rule_says_whose_secret_it_is(kind: str) -> None:
    """R-3: where a word and a token agree on a place, the token's own rule gives the name."""
    secret = tokens(1)[kind]
    assert {hit.rule for hit in redaction.scan(f"MY_TOKEN={secret}")} <= RULES - {
        "password",
        "named-secret",
    }


@pytest.mark.parametrize("label", ["RSA ", "EC ", "DSA ", "OPENSSH ", "ENCRYPTED ", "", "SSH2 ENCRYPTED "])
def test_a_begin_line_without_its_end_is_a_private_key(label: str) -> None:
    """R-5: a paste that was cut is refused too, and its Base64 lines go with it."""
    begin = f"-----{'BEGIN'} {label}PRIVATE KEY-----"
    assert redaction.redact(begin) == "[redacted:private-key]"
    body = "\n".join(["QUJDRA" * 10] * 3)
    assert (
        redaction.redact(f"see\n{begin}\n{body}\nQUI=\nand then") == "see\n[redacted:private-key]\nand then"
    )


def test_two_keys_in_one_body_leave_the_text_between_them() -> None:
    """R-5: a key ends at its own END line."""
    keys = tokens(5)
    body = f"first\n{keys['rsa private key']}\nbetween\n{keys['openssh private key']}\nlast"
    assert redaction.redact(body) == "first\n[redacted:private-key]\nbetween\n[redacted:private-key]\nlast"
    cut = keys["rsa private key"].rpartition("\n")[0]
    assert redaction.redact(body.replace(keys["rsa private key"], cut)) == redaction.redact(body)


# --- what passes ---


def test_ten_thousand_lines_of_prose_pass() -> None:
    """R-10, R-11: at most one of 10,000 lines is refused; here none is, near misses included."""
    corpus = list(lines(12_000))
    assert len(set(corpus)) == 12_000
    assert set(NEAR_MISSES) <= set(corpus)
    assert [line for line in corpus if redaction.scan(line)] == []


@pytest.mark.skipif(not REAL.is_dir(), reason="no real memory files beside the repository")
def test_real_memory_files_pass() -> None:
    """Documents of public repositories, scanned for secrets before: what is refused is refused wrongly."""
    refused, count = [], 0
    for path in sorted(REAL.rglob("*.md*")):
        for number, line in enumerate(path.read_text("utf-8", "replace").split("\n"), 1):
            count += 1
            if redaction.scan(line):
                refused.append(f"{path.relative_to(REAL)}, line {number}")
    assert count > 5000
    assert len(refused) <= count // 10_000, "; ".join(refused)


@pytest.mark.parametrize("kind", sorted(PROVIDER_TOKENS))
def test_a_placeholder_in_a_tokens_shape_passes(kind: str) -> None:
    """R-10: documentation shows tokens as a prefix and a row of x."""
    secret = tokens(2)[kind]
    shown = re.sub(r"[A-Za-z0-9]{12,}$", lambda match: "x" * len(match[0]), secret)
    if kind not in ("pypi token", "json web token", "slack webhook") and shown != secret:
        prefix = shown.rstrip("x")
        assert not redaction.scan(f"{prefix[:8]}{'x' * 40}")


def test_this_repositorys_own_texts_hold_no_secret() -> None:
    """The rules, their spec and the makers of fakes never show one in whole."""
    names = [
        "specs/redaction.md",
        "tests/ledger/secret_fakes.py",
        "tests/ledger/prose.py",
        "tests/ledger/near_misses.py",
    ]
    names += [f"ledger/{path.name}" for path in (ROOT / "ledger").glob("redaction*.py")]
    for name in names:
        for number, line in enumerate((ROOT / name).read_text("utf-8").splitlines(), 1):
            assert not redaction.scan(line), f"{name}, line {number}"


@pytest.mark.skipif(not MESSAGES.is_dir(), reason="no real messages beside the repository")
def test_what_people_really_write_is_refused_at_most_once_in_two_thousand_lines() -> None:
    """R-16: messages to agents, which hold no secrets."""
    texts = [
        json.loads(line)["text"]
        for path in MESSAGES.glob("*.jsonl")
        for line in path.read_text("utf-8").splitlines()
    ]
    said = [line for text in texts for line in text.splitlines()]
    assert len(said) > 2000
    assert sum(bool(redaction.scan(line)) for line in said) <= len(said) / 2000
