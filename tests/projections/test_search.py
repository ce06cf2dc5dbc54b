"""Tests projections/search.py: what is found, in which order, and why (specs/projections.md P-66, P-107…P-109)."""

from __future__ import annotations

from collections.abc import Iterable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ledger.command import Delete
from ledger.errors import UsageError
from ledger.instant import DAY
from ledger.memory import Memory, Provenance
from muniment import MemoryLedger
from projections.query import Filter
from projections.ranking import PLAIN
from projections.search import Hit, search
from projections.search_terms import parse
from tests.projections.house import Clock, build, learn


def of(conversation: str, *said: str) -> list[Memory]:
    """Return what was learned in one conversation."""
    return [Memory(text, provenance=Provenance(conversation=conversation)) for text in said]


def texts(found: Iterable[Hit]) -> list[str]:
    return [hit.memory.text for hit in found]


def why(hit: Hit) -> list[tuple[str, str]]:
    return [(reason.kind, reason.said) for reason in hit.why]


# --- what is found ---


def test_all_words_come_before_any_word(ledger: MemoryLedger) -> None:
    """P-66."""
    learn(ledger, "redis cache of sessions", "a cache", "the redis port", "unrelated")
    found = search(ledger.workspace.index, "cache redis")
    assert texts(found)[0] == "redis cache of sessions"
    assert set(texts(found)) == {"redis cache of sessions", "a cache", "the redis port"}


def test_no_score_outweighs_a_word(ledger: MemoryLedger) -> None:
    """P-66: not that of a short text, nor that of two neighbours."""
    filler = " ".join(f"filler{number}" for number in range(100))
    both = f"redis {filler} cache"
    learn(ledger, both, *of("c", "redis redis", "redis redis again"), *[f"other {n}" for n in range(20)])
    found = search(ledger.workspace.index, "redis cache")
    assert texts(found)[0] == both
    assert found[0].score < found[1].score


def test_stop_words_find_nothing_beside_others(ledger: MemoryLedger) -> None:
    """P-66: but they are looked for where there is nothing else."""
    learn(ledger, "the redis port is 6379", "this is how it is", "what should we do")
    assert texts(search(ledger.workspace.index, "what is the redis port")) == ["the redis port is 6379"]
    assert texts(search(ledger.workspace.index, "what should we do")) == ["what should we do"]
    assert len(search(ledger.workspace.index, "what is it", ranking=PLAIN)) == 3


@pytest.mark.parametrize(
    ("query", "content"),
    [
        ("usa office", "usa office"),
        ("USA office", "USA office"),
        ("the IT department", "IT department"),
        ("US holidays for us", "US holidays"),
        ("WHAT IS THE PORT", "PORT"),
        ("how do I run it", "run"),
        ("die Datenbank", "die Datenbank"),
        ("wie heißt die Datenbank und wo ist sie", "heißt Datenbank"),
        ("où est la base de données", "est base données"),
        ("где стоит база", "стоит база"),
        ("how does the cron job of mi casa die", "cron job mi casa die"),
    ],
)
def test_only_the_languages_of_a_query_have_stop_words(query: str, content: str) -> None:
    """P-66: and a word in capitals is a name."""
    assert [term.said for term in parse(query).words] == content.split()


def test_a_beginning_is_enough_where_nothing_else_is_found(ledger: MemoryLedger) -> None:
    """P-66: but it pushes nothing aside; asked for, it stands beside words."""
    learn(ledger, "kubernetes is for staging", "kube")
    (hit,) = search(ledger.workspace.index, "kubern")
    assert (hit.memory.text, why(hit)) == ("kubernetes is for staging", [("beginning", "kubern*")])
    assert texts(search(ledger.workspace.index, "kube")) == ["kube"]
    assert set(texts(search(ledger.workspace.index, "kube*"))) == {"kubernetes is for staging", "kube"}
    assert texts(search(ledger.workspace.index, "kube* staging"))[0] == "kubernetes is for staging"


def test_a_phrase_must_stand_there_and_words_may(ledger: MemoryLedger) -> None:
    """P-102: in its order; stop words in it count."""
    learn(ledger, "the port of redis", "redis has a port", "the port of postgres", "redis alone")
    found = search(ledger.workspace.index, '"the port of" redis')
    assert texts(found) == ["the port of redis", "the port of postgres"]
    assert [why(hit) for hit in found] == [
        [("phrase", "the port of"), ("word", "redis")],
        [("phrase", "the port of")],
    ]
    assert search(ledger.workspace.index, '"of the port" redis') == []


def test_a_limit_and_a_filter_hold_together(ledger: MemoryLedger) -> None:
    """The best that pass the filter, not those of the best that pass it."""
    many = [Memory(f"cache cache cache {n}") for n in range(80)]
    learn(ledger, *many, Memory("cache among many other words that make it rank last", section="Tool Usage"))
    assert len(search(ledger.workspace.index, "cache", limit=7)) == 7
    assert len(search(ledger.workspace.index, "cache", limit=79)) == 79
    for query, wanted in (("cache", Filter(section="Tool Usage")), ('cache section:"tool usage"', None)):
        found = search(ledger.workspace.index, query, wanted, limit=1)
        assert texts(found) == ["cache among many other words that make it rank last"]


def test_filters_alone_give_the_newest(house: tuple[MemoryLedger, Clock]) -> None:
    """P-103."""
    ledger, clock = house
    for number in range(4):
        clock.pass_days(1)
        learn(ledger, Memory(f"fact {number}", tags=("t",) if number else ()))
    found = search(ledger.workspace.index, "tag:t", limit=2)
    assert texts(found) == ["fact 3", "fact 2"]
    assert why(found[0]) == [("filter", "tag:t")]
    assert texts(search(ledger.workspace.index, "until:2026-01-06")) == ["fact 0"]
    assert texts(search(ledger.workspace.index, "fact since:2026-01-09 by:tester")) == ["fact 3"]


def test_signs_alone_are_looked_for_as_they_are(ledger: MemoryLedger) -> None:
    """P-188: an emoji is no word, and a memory that holds it is found; beside words it says nothing."""
    learn(ledger, "Ship on Fridays 🎉", Memory("Arrows", details=("a => b",)), "Use pnpm")
    assert texts(search(ledger.workspace.index, "🎉")) == ["Ship on Fridays 🎉"]
    assert why(search(ledger.workspace.index, '"🎉"')[0]) == [("phrase", "🎉")]
    assert texts(search(ledger.workspace.index, "=>")) == ["Arrows"]
    assert search(ledger.workspace.index, "🎉 =>") == []
    assert texts(search(ledger.workspace.index, "🎉 type:fact")) == ["Ship on Fridays 🎉"]
    assert texts(search(ledger.workspace.index, "pnpm 🎉")) == ["Use pnpm"]
    assert search(ledger.workspace.index, " ".join(f"%{chr(0x2200 + n)}" for n in range(99))) == []


def test_what_is_hidden_is_not_found(ledger: MemoryLedger) -> None:
    """P-62, not even beside a hit."""
    one, two = learn(ledger, *of("c", "Use pnpm", "and never npm"))
    assert texts(search(ledger.workspace.index, "pnpm")) == ["Use pnpm", "and never npm"]
    assert texts(search(ledger.workspace.index, "pnpm", hidden=[one])) == []
    assert texts(search(ledger.workspace.index, "pnpm", hidden=[two])) == ["Use pnpm"]


@pytest.mark.parametrize(
    "text", ['"', "NOT", "a OR b", "NEAR(a b)", "text:x", "^x*", "-x", "it's", "'); DROP TABLE memories", "*"]
)
def test_no_sign_of_fts5_or_sql_has_a_meaning(ledger: MemoryLedger, text: str) -> None:
    """P-69."""
    learn(ledger, "something else")
    if any(character.isalnum() for character in text):
        assert search(ledger.workspace.index, text) == []
    else:
        with pytest.raises(UsageError, match="at least one word"):
            search(ledger.workspace.index, text)


def test_a_pasted_page_is_a_query(ledger: MemoryLedger) -> None:
    """P-69: FTS5's limits are not reached by thousands of words."""
    learn(ledger, "the last of these words is zebra", "数据库端口")
    words = " ".join(f"w{number}" for number in range(5000))
    assert texts(search(ledger.workspace.index, f"{words} zebra"))[0] == "the last of these words is zebra"
    assert texts(search(ledger.workspace.index, f'"{words}" zebra')) == []
    assert texts(search(ledger.workspace.index, "库" * 3000 + "数据库端口"))[0] == "数据库端口"


# --- neighbours ---


def test_neighbours_that_match_lift_each_other(ledger: MemoryLedger) -> None:
    """P-107: of two hits that are as good, the one beside which another hit was learned comes first."""
    learn(ledger, *of("c-1", "stripe refused the refunds", "the cause was a key that was used again"))
    learn(ledger, *of("c-2", "the cause was a font that was used again", "samsung phones"))
    found = search(ledger.workspace.index, "stripe cause")
    assert texts(found)[1:3] == [
        "the cause was a key that was used again",
        "the cause was a font that was used again",
    ]
    assert why(found[1]) == [("word", "cause")]


def test_neighbours_in_a_topic_lift_each_other(ledger: MemoryLedger) -> None:
    """P-107."""
    learn(ledger, Memory("stripe refunds", topic="pay"), Memory("the cause is a key", topic="pay"))
    learn(ledger, Memory("the cause is a nut", topic="nuts"))
    assert texts(search(ledger.workspace.index, "stripe cause"))[1:] == [
        "the cause is a key",
        "the cause is a nut",
    ]


def test_what_was_learned_beside_a_hit_is_shown_after_those_with_all_words(ledger: MemoryLedger) -> None:
    """P-107: the two to either side, of the same conversation, that pass the filter, the next ones first."""
    said = of(
        "c", "third", "second before", "first before", "the refund failed", "first after", "second after"
    )
    ids = learn(ledger, *said, *of("c", "third after"))
    learn(ledger, "elsewhere the refund failed", "right behind it", *of("d", "another thing"))
    found = search(ledger.workspace.index, "refund")
    assert set(texts(found)[:2]) == {"the refund failed", "elsewhere the refund failed"}
    assert [set(texts(found)[2:4]), set(texts(found)[4:])] == [
        {"first before", "first after"},
        {"second before", "second after"},
    ]
    assert [why(hit) for hit in found[2:]] == [[("beside", ids[3])]] * 4
    ledger.write([Delete((ids[2],))])
    assert set(texts(search(ledger.workspace.index, "refund"))[2:4]) == {"second before", "first after"}
    assert texts(search(ledger.workspace.index, "refund", Filter(tag="none"))) == []


def test_without_a_conversation_the_time_makes_neighbours(house: tuple[MemoryLedger, Clock]) -> None:
    """P-107: those of one hour, where no memory holds every word; and in a topic those of the topic alone."""
    ledger, clock = house
    learn(ledger, "an hour before")
    clock.pass_days(1)
    (hit, *_) = learn(ledger, "stripe refused the refunds", "the key was used again", Memory("x", topic="t"))
    found = search(ledger.workspace.index, "why did stripe stop")
    assert texts(found) == ["stripe refused the refunds", "the key was used again"]
    assert why(found[1]) == [("beside", hit)]
    assert texts(search(ledger.workspace.index, "stripe refunds")) == ["stripe refused the refunds"]
    learn(ledger, Memory("y says nothing", topic="t"))
    assert texts(search(ledger.workspace.index, "x marks")) == ["x", "y says nothing"]
    assert texts(search(ledger.workspace.index, '"stripe refused" why')) == ["stripe refused the refunds"]


def test_neighbours_are_found_without_looking_at_all_others(ledger: MemoryLedger) -> None:
    """P-66: by the steps of SQLite's machine."""
    learn(ledger, *[f"other {number}" for number in range(1500)])
    learn(ledger, *of("c", "before", "the refund failed"), "between", *of("c", "after"))
    learn(ledger, *[f"more {number}" for number in range(8)], *of("c", "far away"))
    db = ledger.workspace.index.connection()
    steps = []
    db.set_progress_handler(lambda: steps.append(1), 100)
    found = search(ledger.workspace.index, "refund")
    db.set_progress_handler(None, 0)
    assert set(texts(found)) == {"before", "the refund failed", "after"}
    assert len(steps) * 100 < 1500


def test_another_session_of_a_conversation_is_no_neighbour(ledger: MemoryLedger) -> None:
    """P-107."""
    for session, text in (("1", "the refund failed"), ("2", "something else")):
        learn(ledger, Memory(text, provenance=Provenance(conversation="c", session=session)))
    assert texts(search(ledger.workspace.index, "refund")) == ["the refund failed"]


# --- what means the same ---


def test_a_term_that_means_the_same_is_found_after_the_words(ledger: MemoryLedger) -> None:
    """P-212: from the table of developers' terms, which says what a package manager is."""
    learn(ledger, "Use pnpm, not npm", *(f"other {n}" for n in range(9)), "Each package has its manager")
    found = search(ledger.workspace.index, "package manager")
    assert texts(found) == ["Each package has its manager", "Use pnpm, not npm"]
    assert why(found[1]) == [("related", "npm"), ("related", "pnpm")]
    assert texts(search(ledger.workspace.index, "which Package Managers")) == texts(found)
    assert texts(search(ledger.workspace.index, '"package manager"')) == []
    assert texts(search(ledger.workspace.index, "yarn")) == []


def test_a_term_that_means_the_same_counts_less_than_a_word(ledger: MemoryLedger) -> None:
    """P-212."""
    learn(ledger, "the docs are short", *(f"other {n}" for n in range(9)), "the documentation is short")
    assert texts(search(ledger.workspace.index, "documentation of tests")) == [
        "the documentation is short",
        "the docs are short",
    ]


# --- typos ---


def test_a_typo_finds_what_was_meant(ledger: MemoryLedger) -> None:
    """P-213: from the ledger's own words, and only where nothing is found."""
    learn(ledger, "Postgres listens on port 5433", "The database is backed up", "Zürich is the region")
    for typed, meant, text in (
        ("postgrse", "postgres", "Postgres listens on port 5433"),
        ("Pstogres prot", "postgres port", "Postgres listens on port 5433"),
        ("databsaes type:fact", "database type:fact", "The database is backed up"),
        ("zürihc", "zürich", "Zürich is the region"),
    ):
        hit = ledger.search(typed)[0]
        assert (hit.meant, hit.memory.text) == (meant, text)
    assert [hit.meant for hit in ledger.search("port")] == [""]
    for typed in (
        "postgrse port type:decision",
        "5434",
        "zebra",
        "prt",
        "po",
        '"postgrse"',
        "u v w x y prot",
    ):
        assert [hit.meant for hit in ledger.search(typed) if hit.meant not in ("", "port")] == []
    assert ledger.search("5434") == ledger.search("zebra") == ledger.search('"postgrse"') == []


def test_no_word_is_proposed_that_is_not_shown(ledger: MemoryLedger) -> None:
    """P-213: neither of a deleted memory nor of an archived one."""
    one, two = learn(ledger, "the falcon project", "the condor project")
    assert [hit.meant for hit in ledger.search("flacon")] == ["falcon"]
    ledger.write([Delete((one,))])
    ledger.workspace.local.archive({two: "unused"}, 0)
    assert ledger.search("flacon") == ledger.search("cnodor") == []


def test_a_typo_is_looked_for_among_few_words(ledger: MemoryLedger) -> None:
    """P-213: by the steps of SQLite's machine; those that begin otherwise are not read."""
    learn(ledger, *(" ".join(f"w{a}x{b}" for b in range(50)) for a in range(200)), "Postgres")
    ledger.search("first")
    db = ledger.workspace.index.connection()
    steps: list[int] = []
    db.set_progress_handler(lambda: steps.append(1), 100)
    found = ledger.search("postgrse")
    db.set_progress_handler(None, 0)
    assert [hit.meant for hit in found] == ["postgres"]
    assert len(steps) * 100 < 5000


# --- named times ---


def test_what_was_learned_at_the_named_time_comes_first(house: tuple[MemoryLedger, Clock]) -> None:
    """P-214: the clock begins on Monday, 2026-01-05."""
    ledger, clock = house
    learn(ledger, "we chose to deploy by hand")
    clock.pass_days(31)
    learn(ledger, "we chose to deploy by script")
    clock.pass_days(7)
    learn(ledger, "we chose to deploy by robot")
    for query, said in (
        ("deploy in January", "hand"),
        ("deploy last week", "script"),
        ("what did we deploy today", "robot"),
        ("deploy on 5 January 2026", "hand"),
    ):
        found = ledger.search(query)
        assert texts(found)[0] == f"we chose to deploy by {said}", query
        assert why(found[0])[1][0] == "time"
        assert len(found) == 3


def test_a_named_time_alone_gives_what_was_learned_then(house: tuple[MemoryLedger, Clock]) -> None:
    """P-214: else its words are words like others."""
    ledger, clock = house
    learn(ledger, "deploy by hand", "the report says last week")
    assert texts(ledger.search("last week")) == ["the report says last week"]
    clock.pass_days(7)
    learn(ledger, "deploy by robot")
    assert set(texts(ledger.search("last week"))) == {"deploy by hand", "the report says last week"}
    assert set(texts(ledger.search("what happened last week"))) == {
        "deploy by hand",
        "the report says last week",
    }
    assert why(ledger.search("last week")[0]) == [("time", "last week")]
    assert texts(ledger.search('"last week"')) == ["the report says last week"]


# --- importance, recency, use ---


def test_of_equals_the_important_the_recent_and_the_used_come_first(
    house: tuple[MemoryLedger, Clock],
) -> None:
    """P-108: and none of it outweighs a word."""
    ledger, clock = house
    (old,) = learn(ledger, "deploy on day 1")
    clock.pass_days(200)
    (new,) = learn(ledger, "deploy on day 2")
    assert [hit.id for hit in search(ledger.workspace.index, "deploy", now=clock())] == [new, old]
    assert [hit.id for hit in search(ledger.workspace.index, "deploy", uses=lambda _: {old: 9, new: 1})] == [
        old,
        new,
    ]
    (critical,) = learn(ledger, Memory("deploy on day 3", importance="critical"))
    found = search(ledger.workspace.index, "deploy", now=clock() + 400 * DAY, uses=lambda _: {new: 5})
    assert found[0].id == critical
    (both,) = learn(ledger, Memory("deploy the docs", importance="low"))
    found = search(ledger.workspace.index, "deploy docs", now=clock(), uses=lambda _: {critical: 1000})
    assert found[0].id == both


def test_what_is_recent_counts_as_of_now(house: tuple[MemoryLedger, Clock]) -> None:
    """P-108: and fades."""
    ledger, clock = house
    (medium,) = learn(ledger, "deploy on day 1")
    clock.pass_days(200)
    (low,) = learn(ledger, Memory("deploy on day 2", importance="low"))
    assert [hit.id for hit in search(ledger.workspace.index, "deploy")] == [medium, low]
    assert [hit.id for hit in search(ledger.workspace.index, "deploy", now=clock())] == [low, medium]
    assert [hit.id for hit in search(ledger.workspace.index, "deploy", now=clock() + 900 * DAY)] == [
        medium,
        low,
    ]


@given(
    st.lists(st.sampled_from(["redis", "port", "cache", "数据库", "用pnpm", "x"]), max_size=4),
    st.integers(1, 5),
)
def test_each_hit_has_a_reason_and_stands_once(words: list[str], limit: int) -> None:
    """P-109: and a lower limit gives the beginning of the same list."""
    ledger = _LIBRARY[0]
    query = " ".join([*words, "redis"])
    found = search(ledger.workspace.index, query, limit=50)
    assert len({hit.id for hit in found}) == len(found)
    for hit in found:
        assert hit.why
        for reason in hit.why:
            if reason.kind == "word":
                assert reason.said in hit.memory.text
    assert texts(search(ledger.workspace.index, query, limit=limit)) == texts(found)[:limit]


_LIBRARY: list[MemoryLedger] = []


@pytest.fixture(autouse=True, scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> None:
    """A few memories that share words, in two conversations."""
    with pytest.MonkeyPatch.context() as patch:
        folder = tmp_path_factory.mktemp("library")
        patch.setenv("MUNIMENT_HOME", str(folder / "home"))
        patch.setenv("MUNIMENT_STATE", str(folder / "state"))
        ledger, _ = build(folder / "ledger")
        texts_ = [
            "redis port",
            "redis cache port",
            "cache 数据库",
            "用pnpm",
            "x",
            "port x",
            "redis x 数据库端口",
        ]
        learn(ledger, *of("a", *texts_[:4]), *of("b", *texts_[4:]))
        _LIBRARY[:] = [ledger]


# --- the library's face ---


def test_a_search_counts_what_it_showed(ledger: MemoryLedger) -> None:
    """P-61, P-108: what is used more comes first among equals."""
    one, two = learn(ledger, "deploy on day 1", "deploy on day 2")
    assert [hit.id for hit in ledger.search("deploy")] == [two, one]
    ledger.workspace.local.count([one] * 20)
    assert [hit.id for hit in ledger.search("deploy")] == [one, two]
    assert ledger.workspace.local.uses([two]) == {two: 2}


def test_a_limit_changes_no_hit_before_it(ledger: MemoryLedger) -> None:
    """P-66."""
    learn(
        ledger,
        *(
            Memory(
                f"the build {'of the build ' * (n % 7)}number {n}",
                provenance=Provenance(conversation=f"c{n % 9}"),
            )
            for n in range(300)
        ),
    )
    everything = [hit.id for hit in search(ledger.workspace.index, "build number", limit=300)]
    assert len(set(everything)) == 300
    for limit in (1, 5, 10, 20, 50, 100, 299):
        assert [hit.id for hit in search(ledger.workspace.index, "build number", limit=limit)] == everything[
            :limit
        ]
