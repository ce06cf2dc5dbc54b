"""Tests agents/install/settings_json.py and json_edit.py against specs/doors.md (G-21)."""

from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.install import claude_code, codex
from agents.install.host import UnreadableError
from agents.install.settings_json import is_ours, put, take
from tests.agents.install.written import FOREIGN, OURS, comments, files, pruned, value

WANTED = claude_code.hooks("/usr/bin/muniment")


def installed(text: str, wanted: dict[str, Any] = WANTED) -> str:
    return put(text.encode(), wanted).decode()


def uninstalled(text: str) -> str | None:
    left = take(text.encode())
    return None if left is None else left.decode()


def all_handlers(said: Any) -> list[Any]:
    return [each for groups in said.get("hooks", {}).values() for group in groups for each in group["hooks"]]


def is_within(old: str, new: str) -> bool:
    """Say whether `new` is `old` with something put in, nothing taken away or moved."""
    rest = iter(new)
    return all(sign in rest for sign in old)


@given(files())
def test_what_is_put_in_is_beside_what_stands_there(text: str) -> None:
    """Every byte of the file stays in its order; its comments are the same; it says the same and ours."""
    new = installed(text)
    assert is_within(text, new)
    assert comments(new) == comments(text)
    assert not ("\r\n" in text and re.search(r"(?<!\r)\n", new))
    said, before = value(new), value(text)
    assert [each for each in all_handlers(said) if is_ours(each)] == [
        WANTED[event]["hooks"][0] for event in said["hooks"] if event in WANTED
    ]
    for event, group in WANTED.items():
        assert said["hooks"][event] == [*before.get("hooks", {}).get(event, []), group]
    assert {key: each for key, each in said.items() if key != "hooks"} == {
        key: each for key, each in before.items() if key != "hooks"
    }


@given(files(ours=True))
def test_twice_is_the_same_as_once(text: str) -> None:
    """What an earlier release wrote is brought up to date; a second time nothing changes."""
    once = installed(text)
    assert installed(once) == once
    assert comments(once) == comments(text)
    assert pruned(value(once), is_ours) == pruned(value(text), is_ours)
    ours = [each for each in all_handlers(value(once)) if is_ours(each)]
    assert ours == [WANTED[event]["hooks"][0] for event in value(once)["hooks"] if event in WANTED]


@given(files(ours=True))
def test_what_is_taken_out_leaves_the_rest(text: str) -> None:
    """Nothing of ours is left, all comments and everything of others are."""
    left = uninstalled(text)
    if left is None:
        assert pruned(value(text), is_ours) == {}
        assert not comments(text)
        return
    assert comments(left) == comments(text)
    assert not any(is_ours(each) for each in all_handlers(value(left)))
    assert pruned(value(left), is_ours) == pruned(value(text), is_ours)
    assert is_within(left, text)


@given(files())
def test_in_and_out_again_is_the_file_of_before(text: str) -> None:
    """Byte for byte, but for lists and objects that were empty before, and blanks beside comments: the backup knows those."""
    left = uninstalled(installed(text))
    said = value(text)
    hooks = said.get("hooks", {"x": [1]})
    if said and hooks and all(hooks.get(event, [1]) for event in WANTED):
        assert left is not None
        assert "".join(left.split()) == "".join(text.split())
        assert comments(text) or left == text
    else:
        assert left is None or pruned(value(left), is_ours) == pruned(said, is_ours)


@given(files(ours=True), st.sampled_from(sorted(WANTED)))
def test_an_event_that_is_no_longer_wanted_goes(text: str, gone: str) -> None:
    """A release that hears fewer events takes its old ones out."""
    fewer = {event: group for event, group in WANTED.items() if event != gone}
    left = installed(installed(text), fewer)
    assert installed(left, fewer) == left
    said = value(left)
    assert not any(is_ours(each) for group in said["hooks"].get(gone, []) for each in group["hooks"])


def test_ours_are_known_by_their_command() -> None:
    """Whatever path or form, where it runs muniment's hook and nothing else."""
    assert all(map(is_ours, OURS))
    assert not any(map(is_ours, FOREIGN))
    assert all(is_ours(group["hooks"][0]) for group in (*WANTED.values(), *codex.HOOKS.values()))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{", "line 1: "),
        ('{\n  "a": 1\n  "b": 2\n}', "line 3: is not JSON (Expecting ','"),
        ('{\n\n"hooks": []}', "line 3: hooks is not an object"),
        ('{"hooks": {\r\n"Stop": 3}}', "line 2: hooks.Stop is not a list"),
        ("[]", "line 1: is not an object of settings"),
        ('{"a": 1}\n}', "line 2: is not JSON (Extra data"),
        ('{"hooks": {}, "hooks": {}}', 'line 1: "hooks" is twice in one object'),
        ('{"a": tru}', "line 1: is not JSON"),
        ('{"a": 01}', "line 1: "),
        ("{'a': 1}", "line 1: is not JSON"),
        ('{"a" 1}', "line 1: is not JSON"),
        ('{"a": "x\ny"}', "line 1: is not JSON"),
        ('{"a": /* 1}', "line 1: is not JSON"),
        ('{"a": ' + "[" * 100_000 + "]" * 100_000 + "}", "line 1: too many brackets"),
        ('{"a": ,}', "line 1: is not JSON"),
    ],
)
def test_what_is_no_settings_file_is_refused_with_its_line(text: str, said: str) -> None:
    """Nothing is guessed: whoever broke the file hears where."""
    with pytest.raises(UnreadableError) as caught:
        installed(text)
    assert str(caught.value).startswith(said)


def test_what_is_not_utf_8_is_refused_with_its_line() -> None:
    with pytest.raises(UnreadableError, match="line 2: is not UTF-8"):
        put(b'{\n"a": "\xff"}', WANTED)


@given(st.text(alphabet='{}[]",:/*\\ntrue1 \n\r-', max_size=40))
def test_no_text_does_anything_but_pass_or_be_refused(text: str) -> None:
    """What is read is what a strict reader of the same with its comments cut out reads, or it is refused."""
    try:
        new = installed(text)
    except UnreadableError:
        return
    assert not text.strip() or value(new).keys() >= value(text).keys()


def test_a_number_of_any_length_is_no_matter() -> None:
    long = f'{{"a": {"9" * 5000}}}'
    assert installed(long).startswith(long[:-1])


ONE: dict[str, Any] = {"Stop": {"hooks": [{"command": "muniment hook claude"}]}}
OURS_ALONE = '{"command": "muniment hook claude"}'
OF_OURS = '{"hooks": [{"command": "muniment hook claude"}]}'
OF_OTHERS = '{"hooks": [{"command": "x"}]}'


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ('{"a": 1}', f'{{"a": 1, "hooks": {{"Stop": [{OF_OURS}]}}}}'),
        (f'{{"hooks": {{"Stop": [{OF_OTHERS}]}}}}', f'{{"hooks": {{"Stop": [{OF_OTHERS}, {OF_OURS}]}}}}'),
        (
            '{\n\t"a": 1 // of a\n}',
            (
                '{\n\t"a": 1, // of a\n\t"hooks": {\n\t\t"Stop": [\n\t\t\t{\n\t\t\t\t"hooks": [\n\t\t\t\t\t{\n'
                '\t\t\t\t\t\t"command": "muniment hook claude"\n\t\t\t\t\t}\n\t\t\t\t]\n\t\t\t}\n\t\t]\n\t}\n}'
            ),
        ),
        (
            f'{{\n   "hooks": {{\n   "Stop": [\n     {OF_OTHERS}, // of x\n    ],\n   }}\n}}',
            (
                f'{{\n   "hooks": {{\n   "Stop": [\n     {OF_OTHERS}, // of x\n     {{\n        "hooks": [\n           {{\n'
                '              "command": "muniment hook claude"\n           }\n        ]\n     },\n    ],\n   }\n}'
            ),
        ),
        ("{}", None),
    ],
)
def test_ours_is_written_the_way_its_neighbours_are(before: str, after: str | None) -> None:
    """On one line or indented as they are, behind the comment that is about the one before, with their last comma."""
    new = installed(before, ONE)
    assert new == (put(None, ONE).decode().rstrip("\n") if after is None else after)
    assert uninstalled(new) == (before if after is not None else None)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (f"[{OF_OURS}, {OF_OTHERS}]", f"[{OF_OTHERS}]"),
        (f"[ {OF_OURS}, {OF_OTHERS} ]", f"[ {OF_OTHERS} ]"),
        (f"[{OF_OTHERS}, {OF_OURS}, {OF_OTHERS}]", f"[{OF_OTHERS}, {OF_OTHERS}]"),
        (f"[\n{OF_OURS},\n\n{OF_OTHERS}\n]", f"[\n\n{OF_OTHERS}\n]"),
        (f"[ // c\n{OF_OURS}, {OF_OTHERS}]", f"[ // c\n{OF_OTHERS}]"),
        (f"[{OF_OTHERS} /* c */, {OF_OURS} /* d */]", f"[{OF_OTHERS} /* c */ /* d */]"),
        (f"[{OF_OURS} /* d */, {OF_OTHERS}]", f"[/* d */ {OF_OTHERS}]"),
    ],
)
def test_what_stood_around_ours_closes_up(before: str, after: str) -> None:
    """Wherever ours stood among others, and whatever stood between."""
    assert uninstalled(f'{{"hooks": {{"Stop": {before}}}}}') == f'{{"hooks": {{"Stop": {after}}}}}'


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (f'{{"hooks": {{"Stop" /* c */: [{OF_OURS}]}}}}', '{"hooks": {"Stop" /* c */: []}}'),
        (
            f'{{"hooks": {{"Stop": [{{/* c */ "hooks": [{OURS_ALONE}]}}]}}}}',
            '{"hooks": {"Stop": [{/* c */ "hooks": []}]}}',
        ),
        (f'{{"hooks": {{"Stop": [{OF_OURS}]}} /* c */}}', "{/* c */}"),
        (f'// c\n{{"hooks": {{"Stop": [{OF_OURS}]}}}}', "// c\n{}"),
    ],
)
def test_a_comment_keeps_what_it_stands_in(before: str, after: str) -> None:
    """What is empty without ours goes; but for what a person wrote a comment into."""
    assert uninstalled(before) == after


def test_an_empty_file_is_as_none() -> None:
    """Settings of ours alone are what install writes where there is no file; without ours there is none."""
    fresh = put(None, WANTED)
    assert installed(" \n").encode() == fresh
    assert take(fresh) is None
