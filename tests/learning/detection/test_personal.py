"""What reaches a person is found in a text, and what only looks so is not (K-67)."""

from __future__ import annotations

import pytest

from learning.detection.personal import personal_in


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("Mail it to jo.berg+work@kontor-nord.de", "e-mail address"),
        ("Reviews go to ops@mailhub.co.uk, always", "e-mail address"),
        ("I prefer to be reached at eva [at] example [dot] com", "e-mail address"),
        ("Write to eva (at) kontor-nord (punkt) de", "e-mail address"),
        ("She reads eva at kontor dot de only", "e-mail address"),
        ("Her mail is eva\uff20kontor\uff0ede", "e-mail address"),
        ("Ring me on +49 30 9018 2044 before noon", "telephone number"),
        ("My number is (415) 555-0134", "telephone number"),
        ("Her cell: 415-555-0134", "telephone number"),
        ("Mon numéro : 06 12 34 56 78", "telephone number"),
        ("phone 07700900461", "telephone number"),
        ("I live at 221b Baker Street", "postal address"),
        ("The office is at 1600 Amphitheatre Parkway", "postal address"),
        ("Wohnt in der Lindenstraße 14", "postal address"),
        ("J'habite 12 rue des Lilas", "postal address"),
        ("Send it to P.O. Box 1180", "postal address"),
        ("Vivo en Calle Mayor 24", "postal address"),
    ],
)
def test_what_reaches_a_person_is_found(text: str, kind: str) -> None:
    """As people of several countries write it."""
    assert personal_in(text) == kind


@pytest.mark.parametrize(
    "text",
    [
        "Postgres listens on 127.0.0.1:5433",
        "Use git@github.com:acme/site.git as the remote",
        "Version 2.14.0-rc.1 of the parser is pinned",
        "Released on 2026-11-20 at 15:11:00",
        "Commit 4f2a9c1 broke it; see issue 10234567",
        "The id is 550e8400-e29b-41d4-a716-446655440000",
        "Test users are called nobody@example.com",
        "Timeouts are 300 000 ms, limits 65,535 bytes",
        "ISBN 978-3-16-148410-0",
        "Call the endpoint with limit 1000",
        "We use 4 spaces and 120 columns",
        "Run `kill -9 4123456` when it hangs",
        "@angular/core@17.0.1 is what we are on",
        "Python 3.11 on Ubuntu 24.04",
        "The invoice was 12,345,678.90 in total",
        "Use 10 Downing as the code name",
        "Keep lines under 100; see section 3.14.15",
        "It costs 555 010 points in 2024",
        "user@host in ssh examples",
        "Look at the dot product first, the rest is noise",
        "We read config [at] runtime",
    ],
)
def test_what_only_looks_so_is_not(text: str) -> None:
    """Numbers, versions, remotes and hosts that are nobody's."""
    assert personal_in(text) is None
