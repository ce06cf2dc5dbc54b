"""What `when_to_use` matches (specs/projections.md P-40, P-41, P-120, P-121, P-123, P-186, P-203)."""

from __future__ import annotations

import sys
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from projections.patterns import (
    MAX_PATTERN,
    MOST_PATTERNS,
    Match,
    TaskContext,
    is_pattern,
    re2_module,
)


@pytest.fixture
def no_engine(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """RE2 is not installed."""
    monkeypatch.setitem(sys.modules, "re2", None)
    re2_module.cache_clear()
    yield
    re2_module.cache_clear()


@pytest.mark.parametrize(
    "text",
    [
        r"\bauth\b",
        "auth|login",
        ".*auth.*",
        "(foo)?bar",
        "colou?r",
        "[a-z]+x",
        "^fix",
        "it$",
        "(?i)x",
        r"a{2,3}",
        "foo|",
        "[Dd]ocker",
        "[Tt]ests?",
        "[abc]x",
        "gr[ae]y",
    ],
)
def test_regex_syntax_makes_a_pattern(text: str) -> None:
    """P-120."""
    assert is_pattern(text)


@pytest.mark.parametrize(
    "text",
    [
        "Working on authentication",
        "How do I deploy?",
        "C++ and C#",
        "(see the docs)",
        "src/auth/**/*.py",
        "costs $5",
        "v1.2",
        r"C:\temp\new",
        "the [draft] folder",
        "[ ] open",
    ],
)
def test_sentences_and_paths_are_phrases(text: str) -> None:
    """P-120."""
    assert not is_pattern(text)


@pytest.mark.parametrize(
    ("text", "task", "matches"),
    [
        ("auth", "who is the author", False),
        ("author", "auth is broken", False),
        ("auth", "fix the auth", True),
        ("auth", "authentication fails", True),
        ("database", "the db is slow", True),
        ("deployment", "deploy it", True),
        ("auth|login", "who is the author", False),
        ("auth|login", "fix the login", True),
        ("AUTH|LOGIN", "fix the Login", True),
        ("auth.*", "who is the author", True),
        ("foo|", "bar", False),
        ("foo|", "bar foo", True),
        ("|foo", "bar foo", True),
        ("|", "bar", False),
        ("(foo|)", "bar", False),
        ("(foo|)", "it is in the bar of foo", True),
        (r"\b", "bar", False),
        ("x*|y*", "bar", False),
        (r"\.py$", "edit main.py", True),
        (r"a)|(b", "xx a xx", False),
        (r"(?=x)login", "fix the login", True),
        (r"(a)\1 token", "the token", True),
        (r"(a)\1 token", "aa", False),
        ("部署|发布", "请 部署 它", True),
        ("[Dd]ocker", "the docker image", True),
        ("[Tt]ests?", "run the tests", True),
        ("react+redux", "redux and react", True),
        (r"\p{Greek}+", "the \u03b1\u03b2\u03b3 file", True),
        (r"\p{Cyrillic}+", "\u043c\u0438\u0440", True),
        (r"\pLabc", "the xabc", True),
        (r"\x4abcd|q", "jbcd", True),
        (
            "\u0442\u0435\u0441\u0442|\u043c\u0438\u0440",
            "\u0442\u0435\u0441\u0442\u0438\u0440\u043e\u0432\u0430\u043d\u0438\u0435",
            False,
        ),
        (
            "\u0442\u0435\u0441\u0442|\u043c\u0438\u0440",
            "\u0442\u0435\u0441\u0442\u044b \u0438 \u0442\u0435\u0441\u0442",
            True,
        ),
        ("ma\u00df|gr\u00f6\u00dfe", "das Ma\u00df", True),
        ("caf|the", "caf\u00e9", False),
        ("caf\u00e9|x", "in a caf\u00e9", True),
        ("(foo|)", "a b c d e " * 60 + "foo", True),
        ("port", "the portal", False),
        ("pass", "a passion", False),
        ("stat", "the station", False),
        ("port", "open ports", True),
        ("migration", "migrate it", True),
        ("数据库|缓存", "修复数据库问题", True),
        ("翻訳|日本語", "日本語の翻訳を直す", True),
        ("배포|릴리스", "배포를 고쳐줘", True),
        ("ฐานข้อมูล|แคช", "แก้ฐานข้อมูลด้วย", True),
        ("db|sql", "修复db问题", True),
        ("database|schema", "fix the databases", True),
        ("parser|lexer", "fix parsers", True),
        ("parser|lexer", "fix parser_test.py", True),
        ("parser|lexer", "fix test_parsers.py", True),
        ("parser|lexer", "the UserIdParser class", True),
        ("parser|lexer", "parser2 is slow", True),
        ("parser|lexer", "my-parser.rs", True),
        ("test_|spec", "edit test_parser", True),
        ("straße|weg", "die Straßen", False),
        ("auth|login", "two authors", False),
        ("auth|login", "reauth it", False),
        ("auth|login", "AUTHORS", False),
        ("go|rust", "it goes on", False),
        ("5432|5433", "port 15432", False),
    ],
)
def test_what_matches_what(text: str, task: str, matches: bool) -> None:
    """P-121, P-123, P-41: words are not cut, empty branches match nothing, what RE2 refuses is a phrase."""
    assert bool(TaskContext(task).strength(text)) is matches


def test_the_agents_name_is_matched_too() -> None:
    """P-40: by phrase and by pattern; anchors are those of the name."""
    asked = TaskContext("write docs", "code-reviewer")
    assert asked.best(["deploy", "reviewing code"]) == Match(1, "reviewing code")
    assert asked.strength("^code-reviewer$")
    assert asked.of_task == TaskContext("write docs").of_task
    assert not TaskContext("").strength("docs")
    assert TaskContext("", "reviewer")
    assert not TaskContext(" ")


@pytest.mark.parametrize("name", ["code_reviewer", "CodeReviewer", "code-reviewer", "REVIEWER"])
def test_an_agents_name_is_words_however_it_is_joined(name: str) -> None:
    """P-121."""
    assert TaskContext("", name).strength("reviewer|qa")
    assert not TaskContext("", name).strength("view|code_re")


def test_the_better_match_has_more_words() -> None:
    """P-40."""
    asked = TaskContext("rotate the signing keys of the release")
    assert asked.best(["keys", "sign.* keys", "release"]) == Match(2, "sign.* keys")


def test_a_pattern_that_is_not_run_matches_as_a_phrase() -> None:
    """P-41, P-123."""
    long = "deploy the service |" + "x" * MAX_PATTERN
    assert TaskContext("deploy the service").strength(long) == 2
    assert TaskContext("deploy").strength(r"(?<!re)deploy") == 1


def test_so_many_are_compiled_and_no_more() -> None:
    """P-123: the rest are phrases."""
    asked = TaskContext("the cache")
    assert all(asked.strength(rf"cach.*|x{n}y") for n in range(MOST_PATTERNS))
    assert not asked.strength("cach.*|zzz|yyy")


def test_without_the_engine_patterns_are_phrases(no_engine: None) -> None:
    """P-41."""
    assert TaskContext("fix the login").strength(r"\b(login|logout)\b.*")
    assert not TaskContext("x" * 3000).strength("(x+x+)+y")


HOSTILE = (
    "(x+x+)+y",
    "(x*)*" * 20 + "y",
    "(.*a.{20}){5}[a-z]{500}",
    r"(|a)|(x*y*)*\b",
    "(x|xx)*" * 30,
    r"(\pL+)*z",
)


@pytest.mark.parametrize("pattern", HOSTILE)
def test_no_pattern_takes_long(pattern: str) -> None:
    """P-41: an engine that tries every way would not come to the end of the longest text."""
    for text in ("x" * 20_000, "b c " * 5000, "ab" * 10_000):
        TaskContext(text).strength(f"{pattern}q")


@given(st.text(max_size=60), st.text(max_size=60))
def test_any_text_is_matched_with_any_other(pattern: str, task: str) -> None:
    """Nothing raises."""
    assert TaskContext(task, pattern).strength(pattern) >= 0


@pytest.mark.parametrize("pattern", [r"(\pL+ ){9}x|y", r"(\PL\pL){4}z|y"])
def test_a_large_program_is_not_run(pattern: str) -> None:
    """P-123: where RE2 has no memory left for its automaton, time is steps times characters."""
    asked = TaskContext("y and more")
    assert not asked.strength(pattern)
    assert asked.strength("xx+|y")  # as a pattern it would find y, too


@pytest.mark.parametrize(
    ("phrase", "matching", "other"),
    [
        ("C++", ["C++", "write C++ code"], ["a C program", "C# and F#", "c"]),
        ("C#", ["port it to C#"], ["C++", "sharp"]),
        ("F#", ["f# scripts"], ["F sharp"]),
        (".NET", ["port to .NET 8"], ["the net is down", "example.net"]),
        ("Go", ["write Go code"], ["good code"]),
        ("code-reviewer", ["review my code", "the code reviewer", "reviewer"], ["write C++ code"]),
        ("C++ code", ["write C++"], ["write Go code"]),
        ("code", ["write Go code"], ["tests"]),
        ("🎉", [], ["🎉", "party"]),
        (
            "user_id",
            ["fix userId", "a UserID", "user::id", "the user_id"],
            ["the user", "an id", "users, ids"],
        ),
        ("python3.11", ["python3.11"], ["python", "python 3.12", "3.11", "11 users"]),
        ("node:fs", ["import node:fs"], ["node", "the fs"]),
        ("std::vector", ["a std::vector"], ["a vector", "std"]),
        ("src/auth/login.py", ["in src/auth/login.py"], ["auth", "login", "src"]),
        ("GitHub", ["github", "GitHub Actions"], ["git", "hub"]),
        ("auth-related code", ["fix auth"], ["related code", "authors"]),
        ("auth", ["auth_token", "authenticate"], ["who is the author"]),
        ("user_id column", ["the columns", "user_id"], ["the user", "the id"]),
        ("e.g. deploys", ["deploy it"], ["delete it"]),
        ("user_id|token_id", ["fix user_id"], ["the user", "id"]),
    ],
)
def test_names_with_signs_are_words_and_code_alone_is_none(
    phrase: str, matching: list[str], other: list[str]
) -> None:
    """P-186, P-203: a name that signs join is one word, and no part of it is it."""
    assert [task for task in (*matching, *other) if TaskContext(task).strength(phrase)] == matching


@pytest.mark.parametrize(
    ("phrase", "task", "found"),
    [
        ("When task mentions authentication", "Fix the authentication bug", 1),
        ("When the task involves tokens, login flows or session handling", "the login page is broken", 1),
        ("When debugging slow queries against the staging database cluster", "slow queries", 2),
        ("When task mentions authentication", "Fix the task list", 0),
        ("code, config", "write code", 0),
        ("When debugging slow queries against the staging database cluster", "staging", 0),
    ],
)
def test_the_words_of_a_description_match_as_words(phrase: str, task: str, found: int) -> None:
    """P-40, P-186: not as one phrase; and what any task says is no match of one alternative (P-186)."""
    assert TaskContext(task).strength(phrase) == found
