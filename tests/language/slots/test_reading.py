"""Which slots a text fills: K-136, K-137."""

from __future__ import annotations

import pytest

from language.slots import clauses, slots_of


@pytest.mark.parametrize(
    ("text", "attribute", "value", "subject"),
    [
        ("Dependencies are installed with poetry", "package manager", "poetry", set()),
        ("Postgres listens on port 5432", "number", "5432", {"postg"}),
        ("Keep functions under 40 pages", "number pag", "40", {"funct", "pag"}),
        ("The user's dentist is Weiss", "is", "weiss", {"denti"}),
        ("I live in Porto", "lives", "porto", set()),
        ("I work as a nurse", "job", "nurse", set()),
        ("Logs go to Kibana", "in name", "kibana", {"log"}),
    ],
)
def test_a_slot_has_a_subject_an_attribute_and_a_value(
    text: str, attribute: str, value: str, subject: set[str]
) -> None:
    assert [
        each.value
        for each in slots_of(text)
        if each.attribute.startswith(attribute) and each.subject == subject
    ] == [value]


def test_what_a_value_is_said_of_is_no_value() -> None:
    """Go is what has tabs."""
    assert {each.value for each in slots_of("Use tabs in Go")} == {"tabs"}


def test_what_is_denied_or_given_up_is_marked() -> None:
    denied = {(each.value, each.denied, each.over) for each in slots_of("Use pnpm, not npm")}
    assert denied == {("pnpm", False, False), ("npm", True, False)}
    over = {each.value for each in slots_of("Use pnpm instead of npm") if each.over}
    assert "npm" in over


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("Use pnpm because it's fast", ["Use pnpm"]),
        ("For the docs site, use Hugo", ["For the docs site use Hugo"]),
        ("Is it pnpm? We use yarn.", ["We use yarn"]),
        ("The api moved last week, it's on 8088 since Monday", ["The api moved", "it's on 8088"]),
    ],
)
def test_a_clause_has_neither_its_reason_nor_its_time(text: str, kept: list[str]) -> None:
    assert [each.text for each in clauses(text)] == kept
