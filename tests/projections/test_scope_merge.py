"""Where scopes disagree (specs/projections.md P-31, P-125…P-127)."""

from __future__ import annotations

from pathlib import Path

import pytest

from eval.likeness import HARD, pairs
from language.likeness import likeness
from ledger.fold import Entry
from projections.prompt import Injection, render_prompt
from projections.prompt_explanation import Trace
from projections.scope_merge import NEWEST, MergeGroup, ScopedEntry, precedence
from projections.settings import RenderSettings
from tests.projections.made_up import NOW, entry

SETTINGS = RenderSettings(token_budget=5000, decay=False)


def injected(
    task: str = "", budget: int = 5000, trace: Trace | None = None, **scopes: list[Entry]
) -> Injection:
    settings = RenderSettings(token_budget=budget, decay=False)
    return render_prompt(list(scopes.items()), task, settings, NOW, trace=trace)


def bullets(injection: Injection) -> list[str]:
    return [line[2:] for line in injection.text.splitlines() if line.startswith("- ")]


def test_the_more_local_holds_where_two_contradict() -> None:
    """P-125: local over project over user, whatever is newer or weighs more."""
    local, project = entry("The database port is 5434", 1), entry("The database port is 5433", 2)
    user = entry("The database port is 5432", 3, importance="critical")
    assert bullets(injected(user=[user], project=[project], local=[local])) == [
        "The database port is 5434 (local)"
    ]
    assert bullets(injected(user=[user], project=[project])) == ["The database port is 5433 (project)"]
    assert injected(user=[user], project=[project]).left_out == 0


def test_within_one_scope_nothing_gives_way() -> None:
    """Two that contradict there are a person's to settle."""
    said = [entry("Use npm", 1), entry("Use pnpm", 2)]
    assert len(injected(user=said, project=[entry("Be kind", 3)]).shown) == 3


def test_what_says_the_same_in_other_words_is_shown_once() -> None:
    """P-125: unless it has a detail that the other lacks."""
    mine = entry("Prefers concise answers", 1)
    ours = entry("User prefers answers to be concise", 2)
    assert injected(user=[mine], project=[ours]).shown == (ours.id,)
    detailed = entry("Prefers concise answers", 3, details=("but not in reviews",))
    assert set(injected(user=[detailed], project=[ours]).shown) == {detailed.id, ours.id}


def test_what_contradicts_gives_way_in_another_section_too() -> None:
    """P-125: the section follows from the type, of which its author hardly thought."""
    mine, ours = entry("Use npm", 1, section="Workflow"), entry("Use pnpm", 2, section="Tool Usage")
    assert injected(user=[mine], project=[ours]).shown == (ours.id,)
    [_, loser] = injected(user=[mine], project=[ours], trace=Trace()).explained
    assert (loser.id, loser.why, loser.other, loser.other_scope) == (
        mine.id,
        "contradicts",
        ours.id,
        "project",
    )


def test_what_says_the_same_stays_in_its_own_section() -> None:
    """P-125."""
    mine = entry("Prefers concise answers", 1, section="Workflow")
    ours = entry("User prefers answers to be concise", 2)
    assert len(injected(user=[mine], project=[ours]).shown) == 2


def test_topics_are_compared_among_themselves() -> None:
    """P-125."""
    known, ours = entry("Use npm", 1, topic="a", when_to_use=("install",)), entry("Use pnpm", 2)
    assert len(injected("install", user=[known], project=[ours]).shown) == 2
    one = entry("Use npm", 3, topic="a", when_to_use=("install",))
    other = entry("Use pnpm", 4, topic="b", when_to_use=("install",))
    assert len(injected("install", user=[one], project=[other]).shown) == 2
    same = entry("Use pnpm", 5, topic="a")
    assert injected("install", user=[one], project=[same]).shown == (same.id,)


def test_one_of_a_list_contradicts_nobody() -> None:
    """P-125: where a scope itself holds several values there, they are several and not one that changed."""
    mine = [entry("Reference: #1423", 1), entry("Reference: #1429", 2)]
    ours = [entry("Reference: #1500", 3)]
    assert likeness(mine[0].memory.text, ours[0].memory.text) == "contradicts"
    assert len(injected(user=mine, project=ours).shown) == 3
    assert len(injected(user=ours, project=mine).shown) == 3
    assert len(injected(user=mine[:1], project=ours).shown) == 1


def test_a_choice_that_names_what_it_rejects_settles_a_list() -> None:
    """P-175: who says "not npm" knows of the others, and has chosen."""
    mine = [entry("Use npm", 1), entry("Use yarn", 2)]
    chosen = entry("Use pnpm, not npm", 3)
    assert injected(user=mine, local=[chosen]).shown == (chosen.id,)
    assert injected(user=mine, project=[chosen]).shown == (chosen.id,)
    assert len(injected(user=[chosen, mine[1]], local=[mine[0]]).shown) == 2
    assert len(injected(user=mine, local=[entry("Use pnpm", 4)]).shown) == 3


def test_what_is_forbidden_leaves_a_list_and_the_rest_stays() -> None:
    """P-175: "never use npm" says nothing of yarn."""
    mine = [entry("Use npm", 1), entry("Use yarn", 2)]
    ban = entry("Never use npm", 3)
    assert set(injected(user=mine, local=[ban]).shown) == {mine[1].id, ban.id}
    assert injected(user=[ban, mine[1]], local=[mine[0]]).shown == (mine[0].id,)


def test_a_scope_that_denies_itself_settles_nothing() -> None:
    """P-175: where it holds both, a person has to decide."""
    mine = [entry("Use npm", 1), entry("Use yarn", 2)]
    torn = [entry("Never use npm", 3), entry("Use npm for good", 4), entry("Use npm", 5)]
    shown = injected(user=mine, local=torn[:1] + torn[2:]).shown
    assert mine[1].id in shown


def test_days_and_blocks_of_prose_take_no_part() -> None:
    """P-126."""
    day = entry("The database port is 5432", 1, tier="daily")
    prose = entry("The database port is 5432", 2, type="note", body="The database port is 5432\n")
    ours = entry("The database port is 5433", 3)
    assert len(injected("port", user=[day, prose], project=[ours]).shown) == 3
    assert len(injected("port", user=[ours], project=[day, prose]).shown) == 3


def test_a_rule_with_a_body_holds_and_never_gives_way() -> None:
    """P-126: it says all that the other says, and more; what it says besides must not be lost."""
    long = entry("The database port is 5433", 1, body="and why\n")
    detailed = entry("The database port is 5433", 2, details=("since May",))
    ours = entry("The database port is 5432", 3)
    same = entry("Database port is 5433", 4)
    for rule in (long, detailed):
        assert injected(user=[ours], project=[rule]).shown == (rule.id,)
        assert injected(user=[same], local=[rule]).shown == (rule.id,)
    assert len(injected(user=[long], project=[ours]).shown) == 2
    assert len(injected(user=[long], project=[same]).shown) == 2


def test_what_holds_takes_the_place_of_the_other() -> None:
    """P-125: it is not lost where it ranks too low to be shown by itself."""
    weighty = entry("The database port is 5432", 900, importance="critical")
    ours = [
        entry("The database port is 5433", 1, importance="low"),
        *(entry(f"fact number {n}", 10 + n) for n in range(150)),
    ]
    injection = injected(budget=120, user=[weighty], project=ours)
    assert bullets(injection)[0] == "The database port is 5433 (project)"
    assert bullets(injection).count("The database port is 5433 (project)") == 1
    assert injection.left_out + len(injection.shown) == 151


def test_the_newest_of_a_section_are_compared() -> None:
    """P-127: what lies beyond is shown."""
    ours = [
        entry("The database port is 5433", 1),
        *(entry(f"Service {n} owns queue {n}", 10 + n) for n in range(NEWEST)),
    ]
    theirs = [ScopedEntry(one, "project") for one in ours]
    mine = ScopedEntry(entry("The database port is 5432", 9000), "user")
    assert MergeGroup([*theirs, mine]).ruling(mine) is None
    ruling = MergeGroup([*theirs[:NEWEST], mine]).ruling(mine)
    assert ruling is not None
    assert (ruling.winner, ruling.verdict) == (ScopedEntry(ours[0], "project"), "contradicts")


def test_the_loser_is_named() -> None:
    """P-130."""
    user, project = entry("Use npm", 1), entry("Use pnpm", 2)
    same, ours = entry("Be kind", 3), entry("Be kind", 4)
    found = injected(trace=Trace(), user=[user, same], project=[project, ours]).explained
    by_id = {each.id: each for each in found}
    assert (by_id[user.id].why, by_id[user.id].other, by_id[user.id].other_scope) == (
        "contradicts",
        project.id,
        "project",
    )
    assert (by_id[same.id].why, by_id[same.id].other) == ("same", ours.id)
    assert by_id[project.id].why == by_id[ours.id].why == "shown"


def test_local_comes_first() -> None:
    """And a scope that nobody knows last."""
    assert sorted(["user", "other", "local", "project"], key=precedence) == [
        "local",
        "project",
        "user",
        "other",
    ]


@pytest.mark.parametrize("every", [3, pytest.param(1, marks=pytest.mark.soak)])
def test_few_of_our_pairs_that_are_alike_are_passed_over(every: int) -> None:
    """P-127: the cheap look at shared words finds nearly all pairs on which likeness has a verdict."""
    some = [*pairs(), *pairs(HARD)][::every]
    alike = [pair for pair in some if likeness(pair.one, pair.other) != "different"]
    groups = [
        (ScopedEntry(entry(p.one, 1), "user"), ScopedEntry(entry(p.other, 2), "project")) for p in alike
    ]
    ruled = [MergeGroup([mine, ours]).ruling(mine) for mine, ours in groups]
    assert sum(ruling is not None for ruling in ruled) >= 0.95 * len(alike)


REAL = Path(__file__).resolve().parents[3] / "shared" / "data" / "memory-files"


@pytest.mark.skipif(not REAL.is_dir(), reason="the real memory files are not beside this checkout")
def test_of_real_memories_hardly_any_loses() -> None:
    """P-125: each file's memories dealt out to two scopes; what likeness calls a contradiction is mostly a list."""
    from documents.reading.any_document import read_documents

    losers, count = [], 0
    for document in read_documents([REAL], lambda _path, _error: None):
        memories = [each.memory for each in document.proposals if each.memory and not each.memory.body]
        groups: dict[str, list[ScopedEntry]] = {}
        for at, memory in enumerate(memories):
            place = memory.topic or memory.effective_section
            found = ScopedEntry(entry(memory.text, at, tier=memory.tier), ("user", "project")[at % 2])
            groups.setdefault(place, []).append(found)
        for found_there in groups.values():
            group = MergeGroup(found_there)
            count += len(found_there)
            losers += [r for each in found_there if (r := group.ruling(each)) and r.verdict == "contradicts"]
    assert count > 2000
    assert len(losers) <= 2, [(r.loser.entry.memory.text, r.winner.entry.memory.text) for r in losers]
