"""Tests projections/missing_references.py against specs/projections.md (P-144, P-145): what is named, and what is not there."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ledger.memory import Memory
from projections.missing_references import gone, mentions


@dataclass(frozen=True)
class Made:
    """A project of these paths, folders above them included."""

    paths: Collection[str] = ()

    def has(self, path: str) -> bool | None:
        return any(f"/{one}/".find(f"/{path}/") >= 0 for one in self.paths)


HOUSE = Made(["src/main.py", "docs/a.md", "packages/web/src/auth/session.ts"])


@pytest.mark.parametrize(
    ("span", "path"),
    [
        ("src/auth.ts", "src/auth.ts"),
        ("src/auth.ts:42", "src/auth.ts"),
        ("src/auth.ts:42-48", "src/auth.ts"),
        ("docs/guide.md#L10", "docs/guide.md"),
        ("src/test_a.py::test_one", "src/test_a.py"),
        ("src/engine/", "src/engine"),
        ("./deploy.sh", "./deploy.sh"),
        ("bash src/deploy.sh staging", "src/deploy.sh"),
        ("./src/run.sh --fast", "./src/run.sh"),
        ("src/größe.py", "src/größe.py"),
        ("src\\gone.py", "src/gone.py"),
    ],
)
def test_a_path_of_the_project_that_is_not_there_is_named(span: str, path: str) -> None:
    """P-144: its end, its slash or its `./` shows it; a place in it is left away."""
    assert gone(Memory(f"About `{span}`."), HOUSE) == (path,)


NOTHING = """
src/**/*.ts|src/{a,b}.ts|https://example.org/a.md|example.org/a.md|/etc/hosts.conf|~/.config/a.toml|../other/a.py|$HOME/a.sh
<root>/a.py|src/<name>.ts|path/to/file.ts|docs/YYYY-MM-DD.md|@scope/pkg/index.js|github.com/a/b/c.go|feature/login
origin/main|origin/main..HEAD|fix/a-b|dist/index.js|node_modules/a/index.js|a...b/c.py|app/[id]/page.tsx|react-dom/client.js
package.json|README.md|Node.js|os.path|./...|go test ./...|memory/preferences.md|memories/auth/|npm install|npm run build
git checkout docs/a|C:\\src\\a.py|50% of/a.py|src//a.py|make docs|"src/a.py"|text/html|api/users/list|src/main
"""


@pytest.mark.parametrize("span", [span for line in NOTHING.split("\n") for span in line.split("|") if span])
def test_what_could_be_anything_else_is_left_alone(span: str) -> None:
    """P-145."""
    assert gone(Memory(f"`{span}`"), HOUSE) == ()


@pytest.mark.parametrize(
    "text",
    [
        "`src/a.py` was removed in May",
        "We deleted `src/a.py`",
        "`src/a.py` no longer exists",
        "`src/a.py` → `src/main.py`",
        "Moved from the old `src/a.py`",
        "There is no `src/a.py`",
        "The build writes to `src/a.py`",
        "Create `src/a.py` first",
        "`src/a.py` has been renamed to something",
        "`src/a.py` does not exist",
        "e.g. `src/a.py`",
    ],
)
def test_what_is_called_gone_or_made_is_no_news(text: str) -> None:
    """P-145."""
    assert gone(Memory(text), HOUSE) == ()


@pytest.mark.parametrize(
    "text",
    [
        "Sessions are created in `src/a.py`",
        "`src/a.py` creates the client",
        "Never edit `src/a.py` by hand",
        "Run `python src/a.py` before a release",
        "**`src/a.py`** holds the parser",
        "``src/a.py``: the parser",
    ],
)
def test_a_gone_path_is_named_whatever_is_said_of_it(text: str) -> None:
    """P-144."""
    assert gone(Memory(text), HOUSE) == ("src/a.py",)


def test_every_member_that_people_read_counts_and_code_blocks_do_not() -> None:
    """P-144."""
    memory = Memory(
        "`src/a.py`",
        title="On `src/b.py`",
        details=("see `src/c.py`",),
        body="See `src/d.py`.\n\n```sh\nbash src/e.sh `src/f.py`\n```\n\n    `src/g.py`\n",
    )
    assert gone(memory, HOUSE) == tuple(f"src/{x}.py" for x in "abcd")
    assert list(mentions(Memory("\\`src/a.py`, and ` src/a.py"))) == []


def test_one_thing_is_named_once_and_no_more_than_a_hundred() -> None:
    """P-144; a hostile body costs little."""
    assert len(gone(Memory("`src/a.py` and `src/a.py`"), HOUSE)) == 1
    body = " ".join(f"`src/a{n}.py`" for n in range(1000))
    assert len(gone(Memory("x", body=body), HOUSE)) == 100


def test_a_path_counts_from_any_folder() -> None:
    """P-147: in a monorepo people leave the beginning away."""
    assert gone(Memory("`src/auth/session.ts`, `auth/session.ts`, `web/src/`"), HOUSE) == ()
    assert gone(Memory("`auth/login.ts`"), HOUSE) == ("auth/login.ts",)


@given(st.text(st.sampled_from("ab/.`~<$*: -npmrunake\\\n@#[]&|;'\"é\0"), max_size=60), st.booleans())
def test_no_text_makes_it_fail_or_look_outside(text: str, body: bool) -> None:
    """P-145, P-147: a name is always relative, and leads nowhere up."""
    for path in mentions(Memory("x", body=text) if body else Memory(text)):
        assert not path.startswith(("/", "~"))
        assert ".." not in path.split("/")
        assert not set(path) & set("*<>$`\\ \n\0")
