"""Tests learning/detection/model_answers.py against specs/capture.md (K-115)."""

from __future__ import annotations

import pytest

from learning.detection.model_answers import stands, supported


@pytest.mark.parametrize(
    ("text", "said", "is_so"),
    [
        ("Use pnpm, not npm", "no, use pnpm not npm", True),
        ("The user's cat is named Luna", "my cat's name is luna", True),
        ("Deploy with `./scripts/deploy.sh staging`", "deploy with `./scripts/deploy.sh staging`", True),
        ("Deploy with `./scripts/deploy.sh prod`", "deploy with `./scripts/deploy.sh staging`", False),
        ("Deploy with `./scripts/undeploy.sh`", "deploy with `./scripts/deploy.sh`", False),
        ("The user lives in Lyon", "my cat's name is luna", False),
        ("Always", "always", True),
        ("Always", "tabs", False),
    ],
)
def test_a_text_is_supported_by_what_was_said(text: str, said: str, *, is_so: bool) -> None:
    """K-115."""
    assert supported(text, said) == is_so


@pytest.mark.parametrize(
    ("quote", "said", "is_so"),
    [
        ("we use PNPM here", "Well: we use pnpm, here.", True),
        ("use npm", "We use pnpm, not npm", False),
        ("use p", "We use pnpm", False),
        ("!", "!", False),
    ],
)
def test_a_quotation_stands_word_beside_word(quote: str, said: str, *, is_so: bool) -> None:
    """K-115."""
    assert stands(quote, said) == is_so
