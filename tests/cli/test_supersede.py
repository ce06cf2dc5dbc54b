"""Tests cli/commands/supersede.py against specs/cli.md (X-6, X-18, X-19)."""

from __future__ import annotations

from typing import Any

import pytest

from ledger.draft import PART_BYTES
from ledger.event import By
from ledger.fold import Entry
from ledger.memory import BodyPart, Memory
from ledger.verbs import base_of
from tests.cli.driver import run, run_process

pytestmark = pytest.mark.usefixtures("ledger")


def show(id_: str) -> dict[str, Any]:
    entry: dict[str, Any] = run("show", id_, "--json").ok().json
    return entry


def test_a_process_replaces_a_memory_and_says_which() -> None:
    one = run("add", "port 5432").id
    done = run_process("supersede", one, "port 5433").ok()
    assert done.out == f"{done.id}  supersedes {one}  port 5432\n"
    assert [entry["text"] for entry in run("list", "--json").json_lines] == ["port 5433"]


def test_what_options_do_not_change_stays() -> None:
    """X-19."""
    one = run(
        *("add", "old", "--type", "decision", "--tag", "db", "--body", "b", "--importance", "high"),
        *("--detail", "d", "--confidence", "0.5", "--section", "Mine"),
    ).id
    new = show(run("supersede", one, "new", "--importance", "low").ok().id)
    assert (new["text"], new["importance"]) == ("new", "low")
    kept = {name: new[name] for name in ("type", "tags", "body", "details", "confidence", "section")}
    assert kept == {
        "type": "decision", "tags": ["db"], "body": "b", "details": ["d"], "confidence": 0.5,
        "section": "Mine",
    }  # fmt: skip


def test_an_empty_value_takes_a_member_away() -> None:
    """X-19."""
    one = run("add", "old", "--topic", "a/b", "--tag", "db", "--body", "b").id
    new = show(run("supersede", one, "new", "--topic", "", "--tag", "", "--body", "").ok().id)
    assert (new["topic"], new["tags"], new["body"]) == ("", [], "")


def test_the_origin_of_the_old_version_is_not_that_of_the_new_one() -> None:
    """X-19: else a session's revert would undo the correction of it."""
    one = run("add", "old", "--session", "s1", "--conversation", "c1", "--agent", "a1").id
    new = show(run("supersede", one, "new", "--session", "s2").ok().id)
    assert new["provenance"] == {"session": "s2"}


def test_a_confirmed_candidate_stays_active_and_a_candidate_a_candidate() -> None:
    """X-19."""
    confirmed, waiting = (
        run("add", "one", "--candidate", terminal=True).id,
        run("add", "two", "--candidate").id,
    )
    run("confirm", confirmed).ok()
    assert show(run("supersede", confirmed, "one!").ok().id)["status"] == "active"
    assert show(run("supersede", waiting, "two!").ok().id)["status"] == "candidate"


def test_a_long_body_in_parts_stays_whole_and_leaves_none_when_it_is_shortened() -> None:
    """X-19: the new version is split by itself."""
    body = "line of a body\n" * (3 * PART_BYTES // 15)
    one = run("add", "long", "-F", "-", input=body).ok().id
    two = run("supersede", one, "still long").ok().id
    assert show(two)["body"] == body
    three = run("supersede", two, "short", "--body", "b").ok().id
    assert show(three)["body"] == "b"
    assert run("verify").code == 0


def test_the_base_of_a_new_version_is_whole() -> None:
    """X-19: the fold gives a record in parts with its part, the index without."""
    by = By("ada")
    memory = Memory("long", body="ab", part=BodyPart(1, 2))
    entry = Entry("0" * 64, 1, memory, "active", "", "", by, "", ("", ""))
    assert base_of(entry) == Memory("long", body="ab")


def test_several_become_one() -> None:
    """X-18."""
    one, two = run("add", "tabs", "--tag", "style").id, run("add", "spaces").id
    done = run("supersede", one, two, "tabs, spaces in YAML", "--json").ok().json
    assert done["merged"]
    assert [id_[:12] for id_ in done["supersedes"]] == [one, two]
    assert show(done["id"])["tags"] == ["style"]
    text = run("supersede", done["id"], run("add", "x").id, "y").ok().out
    assert "merges" in text


def test_a_deleted_memory_comes_back() -> None:
    """X-18."""
    one = run("add", "tabs").id
    run("delete", one).ok()
    done = run("supersede", one, "tabs again").ok()
    assert done.out == f"{done.id}  brings back {one}  tabs\n"
    assert run("list", "--json").json_lines[0]["text"] == "tabs again"


def test_the_same_again_makes_no_event() -> None:
    """X-18."""
    one = run("add", "tabs", "--tag", "a").id
    done = run("supersede", one, "tabs").ok()
    assert "nothing was stored" in done.out
    assert run("supersede", one, "tabs", "--json").ok().json["changed"] is False
    assert len(run("list", "--status", "all", "--json").json_lines) == 1


@pytest.mark.parametrize("text", ["@1", "{two}"])
def test_a_forgotten_text_is_noticed(text: str) -> None:
    """X-18: the last id must not become the text."""
    one, two = run("add", "one").id, run("add", "two").id
    done = run("supersede", one, text.format(two=two))
    assert done.code == 2
    assert 'muniment supersede ID "TEXT"' in done.err
    assert len(run("list", "--json").json_lines) == 2


def test_a_text_that_only_looks_like_an_id_is_a_text() -> None:
    """X-18."""
    assert run("supersede", run("add", "one").id, "deadbeef").code == 0


def test_only_one_word_is_not_enough() -> None:
    assert run("supersede", run("add", "one").id).code == 2


def test_what_was_superseded_names_its_successor() -> None:
    one = run("add", "one").id
    two = run("supersede", one, "two").id
    done = run("supersede", one, "three")
    assert (done.code, two in done.err) == (4, True)


def test_ids_are_typed_as_beginnings_and_as_numbers() -> None:
    """X-6."""
    one = run("add", "one").id
    assert run("supersede", one[:8].upper(), "two").code == 0
    assert run("supersede", "@2", "three").code == 0
    assert run("supersede", one[:7], "four").code == 2
    assert run("supersede", "00000000", "four").code == 3
    assert run("supersede", "@99", "four").code == 3


def test_text_from_standard_input() -> None:
    new = run("supersede", run("add", "one").id, "-", input="two\n").ok().id
    assert show(new)["text"] == "two"


def test_a_candidate_takes_the_place_of_nothing_that_is_active() -> None:
    """X-18: by the command line and by the library."""
    old = run("add", "Port is 5432").id
    done = run("supersede", old, "Port is 5434", "--candidate")
    assert done.code == 4
    assert "before anyone confirmed" in done.err
    assert show(old)["status"] == "active"
    waiting = run("add", "Port is 5435", "--candidate").ok().id
    assert show(run("supersede", waiting, "Port is 5436").ok().id)["status"] == "candidate"
    assert show(run("supersede", old, "Port is 5437").ok().id)["status"] == "active"


def test_the_help_promises_no_default_where_the_older_version_gives_it() -> None:
    """What is not given stays as it is: what a new memory gets stands in the help of add alone."""
    assert "default: medium" in run("add", "--help").ok().out
    options = run("supersede", "--help").ok().out.partition("--ledger DIR")[0]
    assert "efault" not in options
