"""Tests ledger/redaction_kingfisher.py: the second scanner, where the extra brings it (specs/redaction.md R-3, R-13)."""

from __future__ import annotations

import re
import socket
from pathlib import Path

import pytest

from ledger.redaction import Hit, Redactor, default_redactor
from ledger.redaction_kingfisher import kingfisher_hits
from tests.ledger.prose import lines
from tests.ledger.redacting import OURS, rules_in
from tests.ledger.secret_fakes import announced, tokens

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="session")
def both(tmp_path_factory: pytest.TempPathFactory) -> Redactor:
    """Our rules and kingfisher's, whose compiled rules are kept for the session."""
    pytest.importorskip("kingfisher_sdk", reason="the extra `secrets` is not installed")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("KF_RULE_CACHE_DIR", str(tmp_path_factory.mktemp("kingfisher")))
        redactor = default_redactor()
        redactor.scan("warm")
    return redactor


def test_without_the_extra_our_rules_run_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """R-13: an absent package is no error and no message."""
    monkeypatch.setattr("ledger.redaction_kingfisher.find_spec", lambda _: None)
    kingfisher_hits.cache_clear()
    default_redactor.cache_clear()
    try:
        assert default_redactor().scan("password=Xk29fjQ2") == OURS.scan("password=Xk29fjQ2")
        assert kingfisher_hits() is None
    finally:
        kingfisher_hits.cache_clear()
        default_redactor.cache_clear()


def test_kingfishers_hits_are_where_they_are_in_code_points(both: Redactor) -> None:
    """R-13: behind characters of several bytes too; and what its rules take wrongly is left out."""
    secret = tokens(9)["gitlab token"]
    text = f"ключ 🔑 \udc80 {secret} é"
    extra = kingfisher_hits()
    assert extra is not None
    (hit,) = extra(text)
    assert text[hit.start : hit.end] == secret
    assert Redactor(extra=extra).redact(text) == "ключ 🔑 \udc80 [redacted:gitlab-token] é"
    assert not [*extra("postgres://user:password@localhost:5432/app")]


def test_a_second_scanners_hits_count_and_ours_give_the_name() -> None:
    """R-3: the union is cut; the name is that of our rule where both cover a place."""
    both = Redactor(extra=lambda text: [Hit("other", 0, 4)] if text.startswith("zzzz") else [])
    assert both.redact("zzzz and password=Xk29fjQ2") == "[redacted:other] and password=[redacted:password]"
    wide = Redactor(extra=lambda text: [Hit("other", 0, len(text))] if "Xk29fjQ2" in text else [])
    assert wide.redact("password=Xk29fjQ2 ok") == "[redacted:password]"
    assert wide.redact_value({"db_password": "Xk29fjQ2 x"}) == {"db_password": "[redacted:password]"}
    assert rules_in(both, {"text": "zzzz"}) == ["other"]


def test_scanning_never_opens_a_socket(both: Redactor, monkeypatch: pytest.MonkeyPatch) -> None:
    """R-13: no validator runs; the adapter's source names none in its code."""
    monkeypatch.setattr(socket, "socket", None)
    for secret in tokens(11).values():
        assert both.scan(secret)
    source = (ROOT / "ledger" / "redaction_kingfisher.py").read_text("utf-8").split('"""', 2)[2]
    assert not re.search("validat|revok", source, re.IGNORECASE)


def test_prose_passes_with_kingfisher_too(both: Redactor) -> None:
    """R-13: the second scanner refuses at most one of 10,000 lines more."""
    assert len([line for line in lines(12_000) if both.scan(line)]) <= 1


def test_a_secret_in_the_middle_of_a_batch_is_seen_by_the_one_scan_of_all(both: Redactor) -> None:
    prose = [{"text": line} for line in lines(200)]
    assert both.is_clean(prose)
    for kind, fake in {**tokens(7), **{kind: text for kind, (text, _) in announced(7).items()}}.items():
        batch = [*prose[:100], {"text": fake}, *prose[100:]]
        assert not Redactor().is_clean(batch), kind
        assert not both.is_clean(batch), kind
