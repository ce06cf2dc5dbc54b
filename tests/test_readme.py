"""What README.md shows is what happens: its terminal session, its Python, its links and its make targets."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

import ledger.errors
import muniment
from docs import session
from tests.cli.driver import ROOT, run_process, user_ledger

README = (ROOT / "README.md").read_text("utf-8")


def test_the_terminal_session_is_real() -> None:
    """Each command gives what the page shows, ids and times aside; `make docs` writes it anew."""
    shown = session.session_of(README)
    assert session.beginning_of(README) == "muniment init --scope user"
    fresh = session.run(shown, session.beginning_of(README))
    assert session.same(fresh, shown), f"README.md is out of date, run make docs; now it prints:\n{fresh}"
    assert shown.count("$ muniment") >= 7


@pytest.mark.parametrize(
    "change",
    [
        lambda text: text.replace("5 events", "6 events"),
        lambda text: text.replace("sound", "valid", 1),
        lambda text: text + "more\n",
        lambda text: text.replace(session.ID.findall(text)[0], "0123456789ab", 1),
    ],
)
def test_a_session_that_says_something_else_is_not_the_same(change: object) -> None:
    """The comparison can fail: on a number, a word, a line, or an id that is another one elsewhere."""
    assert callable(change)
    shown = session.session_of(README)
    assert not session.same(shown, change(shown))


def test_other_ids_and_times_are_the_same() -> None:
    """The comparison can hold."""
    assert session.same(
        "$ x\n0123456789ab at 2026-11-20 15:00:00Z\nabout 01234567\n",
        "$ x\nba9876543210 at 2027-01-02 03:04:05Z\nabout ba987654\n",
    )


def test_the_python_works(isolated: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """In an empty home, with no line more than the page has: what it says comes first, then the block."""
    code = re.search(r"^```python\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)
    first = re.search(r"To create one from Python, call\s+`([^`]+)`", README)
    assert code is not None
    assert first is not None
    for text in (f"import muniment\n{first.group(1)}", code.group(1)):
        exec(compile(text, "README.md", "exec"), {})
    assert "Deploys happen on Mondays" in capsys.readouterr().out


def test_the_adapters_are_named_as_programs_import_them(isolated: Path) -> None:
    """Each name of the table, and no module of an adapter is left out; its example works."""
    section = README.partition("## Use it from a framework")[2].partition("\n## ")[0]
    named = re.findall(r"`([a-z0-9_]+)\.([A-Z]\w+)`", section)
    for module, name in named:
        source = (ROOT / "frameworks" / f"{module}.py").read_text("utf-8")
        assert re.search(rf"^(?:class {name}\b|{name} = )", source, re.MULTILINE), name
    told = {
        path.stem
        for path in (ROOT / "frameworks").glob("*.py")
        if f"from muniment.frameworks.{path.stem} import" in path.read_text("utf-8")
    }
    assert {module for module, _ in named} == told
    (example,) = re.findall(r"^```python\n(.*?)^```$", section, re.MULTILINE | re.DOTALL)
    muniment.init().close()
    exec(compile(example.replace("muniment.frameworks", "frameworks"), "README.md", "exec"), {})
    with muniment.open() as memory:
        assert [entry.memory.text for entry in memory.load_all()] == ["I like tea"]


def test_what_is_proved_to_others_is_proved(isolated: Path, tmp_path: Path) -> None:
    """The page's four commands to the letter, with the key of this run; the proof is judged in another home."""
    page = (ROOT / "docs" / "guides" / "prove.md").read_text("utf-8")
    block = re.search(r"^## Proof to others$.*?^```sh\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    assert block is not None
    signing, proving, showing, judging = (
        shlex.split(line, comments=True) for line in block.group(1).splitlines()
    )
    user_ledger("Use npm", "Postgres listens on 5433", "Deploys happen on Mondays")
    *words, arrow, file = signing[1:]
    assert arrow == ">"
    signed = run_process(*words, cwd=tmp_path).ok()
    (tmp_path / file).write_text(signed.out)
    compared = run_process("verify", "--checkpoint", file, cwd=tmp_path).ok()
    assert compared.out.count("the checkpoint of") == 1  # it is stored here, too
    run_process(*proving[1:], cwd=tmp_path).ok()
    key = re.search(r"^vkey +(\S+)$", run_process(*showing[1:], cwd=tmp_path).ok().out, re.MULTILINE)
    assert key is not None
    elsewhere = {"HOME": str(tmp_path / "elsewhere")}
    words = [key[1] if word == "VKEY" else word for word in judging[1:]]
    judged = run_process(*words, cwd=tmp_path, env=elsewhere).ok()
    assert "Deploys happen on Mondays" in judged.out
    (tmp_path / "memory.proof").write_bytes(
        (tmp_path / "memory.proof").read_bytes().replace(b"index 3", b"index 2")
    )
    assert run_process(*words, cwd=tmp_path, env=elsewhere).code == 1


def test_the_docstring_of_the_library_works(isolated: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """In an empty home; what it searches for is what it stored."""
    assert muniment.__doc__ is not None
    example = re.findall(r"^    .*\n|^\n", muniment.__doc__.partition("\n\n")[2], re.MULTILINE)
    exec(compile(textwrap.dedent("".join(example)), "muniment.py", "exec"), {})
    assert "Use pnpm, not npm" in capsys.readouterr().out


def test_what_a_caller_catches_and_asks_with_is_at_hand() -> None:
    """Every error class, and the filters, without a look into the parts."""
    for name in muniment.__all__:
        assert hasattr(muniment, name), name
    errors = {name for name, value in vars(ledger.errors).items() if isinstance(value, type)}
    assert errors <= set(muniment.__all__)
    assert muniment.Filter().statuses == ("active", "candidate")
    with pytest.raises(AttributeError, match="no_such_thing"):
        _ = muniment.no_such_thing  # type: ignore[attr-defined]


def test_links_lead_somewhere() -> None:
    """Every relative link of the pages at the root, of those in docs and of the index of the specs is a file or a folder."""
    pages = [path.relative_to(ROOT).as_posix() for path in (*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"))]
    for page in (*pages, "specs/README.md"):
        text = (ROOT / page).read_text("utf-8")
        for target in re.findall(r"\]\(([^)#]+)\)", text):
            found = "://" in target or (ROOT / page).parent.joinpath(target).exists()
            assert found, f"{page}: {target}"


def test_make_targets_exist() -> None:
    """`make demo`, `make test` and whatever else the page tells a person to make."""
    targets = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE))
    assert {"demo", "test", "lint", "types"} <= told_to_make(README) <= targets


def told_to_make(page: str) -> set[str]:
    """Return the targets that a page names in its code: in lines of its blocks, and in the text."""
    blocks = re.findall(r"^```\w*\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    prose = re.sub(r"^```\w*\n.*?^```$", "", page, flags=re.MULTILINE | re.DOTALL)
    commands = [line for block in blocks for line in block.splitlines()] + re.findall(r"`([^`]+)`", prose)
    told = [re.match(r"(?:\$ )?make ([^#]+)", command) for command in commands]
    return {word for match in told if match for word in match.group(1).split() if "=" not in word}


def test_a_target_that_does_not_exist_is_seen() -> None:
    page = "```sh\nmake demo   # runs\n$ make bread\n```\nThey make nothing. `make test no-such` it is.\n"
    assert told_to_make(page) == {"demo", "bread", "test", "no-such"}


def test_the_first_screen_says_what_it_is() -> None:
    """Name, sentence, picture and quick start come before line 45."""
    first = "\n".join(README.splitlines()[:45])
    for wanted in ("# muniment", "chain.jsonl", "make demo", "make test", "pipx install ."):
        assert wanted in first


def test_importing_the_face_loads_nothing_of_ours() -> None:
    """A hook that does nothing pays for it (doors.md G-5); every name is there all the same."""
    code = "import sys, muniment; print(*sys.modules); print(*dir(muniment))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT)
    loaded, names = (set(line.split()) for line in done.stdout.splitlines())
    ours = {
        "ledger",
        "language",
        "writers",
        "projections",
        "documents",
        "proofs",
        "learning",
        "agents",
        "cli",
    }
    assert not loaded & {*ours, "dataclasses", "pathlib"}
    assert set(muniment.__all__) <= names
