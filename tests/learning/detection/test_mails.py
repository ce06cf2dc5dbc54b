"""Whose words a message with a mail in it holds: what a person says below is theirs (K-177)."""

from __future__ import annotations

import pytest

from learning.detection.speech import sentences

MAIL = "From: Bo <bo@example.org>\nSubject: rota\n\nWe never work on Sundays.\n\n"
LETTER = "Hi Ida,\n\nwe always pay in cash.\n\n"


@pytest.mark.parametrize(
    ("text", "own", "sure"),
    [
        (MAIL + "Best\nBo\n\nwe do work on Sundays in the warehouse. tell him that", "warehouse", True),
        (MAIL + "Kind regards\nBo Lund\n\nwhat does he want? our rota is made by Ida", "made by Ida", True),
        (MAIL + "---\nis that so? the shop opens at nine", "opens at nine", True),
        (MAIL + "Cheers, Bo\n\nthe warehouse works seven days a week here", "seven days", False),
        (LETTER + "Regards\nMo\n\nhe can only get a transfer from us, answer him", "a transfer", True),
        ("see below\n\n" + LETTER + "Regards\nMo\n\nwe pay by transfer, write back", "by transfer", True),
        (MAIL + "Viele Grüße\nBo\n\nwir arbeiten sonntags im Lager. schreib ihm das", "im Lager", True),
    ],
)
def test_what_stands_below_a_mail_is_the_persons(text: str, own: str, sure: bool) -> None:
    found = sentences(text)
    assert [one.sure for one in found if own in one.text] == [sure]
    assert not any("never work" in one.text or "always pay" in one.text for one in found)


@pytest.mark.parametrize(
    "below",
    [
        "Best\nBo\n\nPS: I never answer on Mondays.",
        "Best\nBo\n\nBo Lund, Head of Rota",
        "Best\nBo\n\nSent from my iPhone, I never carry a laptop",
        "Best\nBo\n\nOn Monday, Ida wrote:\n> I always work from home",
        "Best\nBo\n\nThis e-mail is confidential and we never share it.",
        "I always work from home, by the way",
        "Best\nBo\n\nFrom: Ida\nSubject: Re\n\nI always work from home",
        "Best\nBo\n\nI am off on Friday.\n\nBest\nBo",
    ],
)
def test_what_is_of_the_mail_is_others(below: str) -> None:
    assert sentences(MAIL + below) == []
