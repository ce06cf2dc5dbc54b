"""A change of one place leaves what is said of others (K-176)."""

from __future__ import annotations

import pytest

from learning.places import are_apart

APART = [
    ("Redis got retired on staging", "Production caches in Redis"),
    ("Redis got retired on staging", "Sessions are kept in Redis"),
    ("the sandbox moved to Frankfurt", "The data lies in Dublin in prod"),
    ("in dev we switched to sqlite", "The database is Postgres"),
    ("the orders service went to Java 21", "The billing service runs on Java 17"),
    ("we dropped Sentry in the desktop app", "The mobile app reports to Sentry"),
    ("my work laptop is on zsh now", "The home laptop uses fish"),
    ("the docs repo uses mdbook now", "The website repo is built with Hugo"),
    ("Marta switched to Helix", "The user edits in Vim"),
    ("Jonas moved to Bergen", "The user lives in Oslo"),
    ("the eu cluster is on 1.31", "The us cluster runs 1.29"),
    ("auf der sandbox läuft jetzt MariaDB", "In Produktion läuft MySQL"),
]
OF_ONE = [
    ("Redis got retired on staging", "Staging caches in Redis"),
    ("prod moved to Hetzner", "Production runs on Heroku"),
    ("we retired Redis", "Production caches in Redis"),
    ("`just release prod` deploys now", "Deploy with `make ship`"),
    ("the orders service went to Java 21", "The orders service runs on Java 17"),
    ("our api listens on 8088 now", "The api listens on port 8000"),
    ("we switched to Helix", "The user edits in Vim"),
    ("I live in Bergen now", "The user lives in Oslo"),
    ("Redis is gone", "Sessions are kept in Redis"),
    ("Deploys go through Argo now", "Deploys go through Jenkins"),
    ("we changed the dev dependencies to uv", "Dependencies are installed with poetry"),
    ("the team moved to Linear", "Tickets are in Jira"),
]


@pytest.mark.parametrize(("new", "stands"), APART)
def test_what_changed_elsewhere_is_apart(new: str, stands: str) -> None:
    """All 12 hold; 10 did the first time ("desktop app" was read as a desktop, "home laptop" named nothing)."""
    assert are_apart(new, stands)


@pytest.mark.parametrize(("new", "stands"), OF_ONE)
def test_what_changed_here_or_everywhere_is_not(new: str, stands: str) -> None:
    """All 12 hold."""
    assert not are_apart(new, stands)
