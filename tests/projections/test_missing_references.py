"""Tests projections/missing_references.py against specs/projections.md (P-144…P-146): what is named, and what is not there."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ledger.memory import Memory
from projections.missing_references import Reference, gone, mentions, sentence


@dataclass(frozen=True)
class Made:
    """A project of these paths (folders above them included) and names; None names are unknown."""

    paths: Collection[str] = ()
    declared: Mapping[str, frozenset[str] | None] = field(default_factory=dict)

    def has(self, path: str) -> bool | None:
        return any(f"/{one}/".find(f"/{path}/") >= 0 for one in self.paths)

    def has_folder(self, name: str) -> bool:
        return any(one.startswith(f"{name}/") for one in self.paths)

    def names(self, kind: str) -> frozenset[str] | None:
        return self.declared.get(kind, frozenset())


def named(span: str) -> list[tuple[str, str, bool]]:
    return [(one.kind, one.name, one.sure) for one in mentions(Memory(f"About `{span}`."))]


@pytest.mark.parametrize(
    ("span", "path"),
    [
        ("src/auth.ts", "src/auth.ts"),
        ("src/auth.ts:42", "src/auth.ts"),
        ("src/auth.ts:42-48", "src/auth.ts"),
        ("docs/guide.md#L10", "docs/guide.md"),
        ("tests/test_a.py::test_one", "tests/test_a.py"),
        ("internal/engine/", "internal/engine"),
        ("./deploy.sh", "deploy.sh"),
        ("./scripts/x.sh", "scripts/x.sh"),
        ("./scripts/run --fast", "scripts/run"),
        (".github/workflows/ci.yml", ".github/workflows/ci.yml"),
        ("bash scripts/deploy.sh staging", "scripts/deploy.sh"),
        ("uv run python scripts/gen.py", "scripts/gen.py"),
        ("CI=1 bash scripts/test.sh", "scripts/test.sh"),
        ("pytest -q tests/test_a.py", "tests/test_a.py"),
        ("src/größe.py", "src/größe.py"),
        ("lib/", "lib"),
        ("src\\gone.py", "src/gone.py"),
        (".\\src\\gone.py:12", "src/gone.py"),
        ("uv run pytest tests/gone.py -q", "tests/gone.py"),
    ],
)
def test_a_path_of_the_project_is_taken(span: str, path: str) -> None:
    """P-144: its end, its slash or its `./` shows it; a place in it is left away."""
    assert named(span) == [("path", path, True)]


@pytest.mark.parametrize(
    ("span", "found"),
    [
        ("npm run test:unit", [("package", "test:unit", True)]),
        ("npm run build -- --watch", [("package", "build", True)]),
        ("pnpm run lint && pnpm test", [("package", "lint", True), ("package", "test", True)]),
        ("yarn run build", [("binary", "build", True)]),
        ("bun run build", [("binary", "build", True)]),
        ("make -j4 lint test", [("make", "lint", True), ("make", "test", True)]),
        ("make docs ARGS=--check", [("make", "docs", True)]),
        ("just release", [("just", "release", True)]),
        ("deno task dev", [("deno", "dev", True)]),
        ("NODE_ENV=test npm test", [("package", "test", True)]),
        ("internal/engine", [("path", "internal/engine", False)]),
    ],
)
def test_a_command_is_taken(span: str, found: list[tuple[str, str, bool]]) -> None:
    """P-146."""
    assert named(span) == found


NOTHING = """
src/**/*.ts|src/{a,b}.ts|https://example.org/a.md|example.org/a.md|/etc/hosts.conf|~/.config/a.toml|../other/a.py|$HOME/a.sh
<root>/a.py|src/<name>.ts|path/to/file.ts|src/foo.py|notes/YYYY-MM-DD.md|@scope/pkg/index.js|github.com/a/b/c.go|feature/login
origin/main|origin/main..HEAD|fix/a-b|dist/index.js|node_modules/a/index.js|.venv/bin/python|a...b/c.py|app/[id]/page.tsx
package.json|README.md|Node.js|os.path|./...|go test ./...|memory/preferences.md|memories/auth/|npm install|npm ci|pnpm dev
npm run build --prefix web|npm --prefix web run build|pnpm --filter web run build|yarn workspace a run b|bun test|npm run <name>
make -C docs html|make $(TARGET)|cd web && npm run build|ssh host make deploy|git checkout docs/a|cp src/a.py src/b.py
bash -c "make x"|python -m build|C:\\src\\a.py|50% of/a.py|src//a.py|just|make|npm run|"src/a.py"|docs/x.md
"""


@pytest.mark.parametrize("span", [span for line in NOTHING.split("\n") for span in line.split("|") if span])
def test_what_could_be_anything_else_is_left_alone(span: str) -> None:
    """P-145: or where it is said of another folder."""
    assert [one for one in named(span) if one[2]] == []
    assert gone(Memory(f"`{span}`"), Made(["src/main.py"])) == ()


def test_a_route_is_no_path() -> None:
    """P-145: `api/users` is a folder here, and the span a route all the same."""
    assert gone(Memory("`api/users/list` is GET"), Made(["api/users/x.py"])) == ()


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
    assert gone(Memory(text), Made(["src/main.py"])) == ()


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
def test_a_gone_path_is_named(text: str) -> None:
    """P-144."""
    (found,) = gone(Memory(text), Made(["src/main.py"]))
    assert (found.kind, found.name, sentence(found)) == ("path", "src/a.py", "src/a.py is not there")


def test_every_member_that_people_read_counts_and_code_blocks_do_not() -> None:
    """P-144."""
    memory = Memory(
        "`src/a.py`",
        title="On `src/b.py`",
        details=("see `src/c.py`",),
        body="See `src/d.py`.\n\n```sh\nbash src/e.sh `src/f.py`\n```\n\n    `src/g.py`\n",
    )
    assert [one.name for one in gone(memory, Made(["src/main.py"]))] == [f"src/{x}.py" for x in "abcd"]
    assert list(mentions(Memory("\\`src/a.py`, and ` src/a.py"))) == []


def test_one_thing_is_named_once_and_no_more_than_a_hundred() -> None:
    """P-144; a hostile body costs little."""
    assert len(gone(Memory("`src/a.py` and `src/a.py`"), Made())) == 1
    body = " ".join(f"`src/a{n}.py`" for n in range(1000))
    assert len(gone(Memory("x", body=body), Made())) == 100


def test_a_path_counts_from_any_folder() -> None:
    """P-147: in a monorepo people leave the beginning away."""
    project = Made(["packages/web/src/auth/session.ts"])
    assert gone(Memory("`src/auth/session.ts`, `auth/session.ts`, `web/src/`"), project) == ()
    assert [one.name for one in gone(Memory("`auth/login.ts`"), project)] == ["auth/login.ts"]


def test_a_path_without_an_ending_counts_only_beside_others() -> None:
    """P-144: `internal/chain` is one where internal/ stands; text/html never."""
    memory = Memory("`internal/chain`, `text/html`, `linux/amd64`")
    assert [one.name for one in gone(memory, Made(["internal/engine/a.go"]))] == ["internal/chain"]
    assert gone(memory, Made(["src/main.py"])) == ()


def test_hidden_folders_count_only_where_they_stand() -> None:
    """P-145."""
    memory = Memory("`.claude/rules/a.md` and `.github/workflows/ci.yml`")
    assert [one.name for one in gone(memory, Made())] == [".github/workflows/ci.yml"]
    assert len(gone(memory, Made([".claude/settings.json"]))) == 2


IMPORTS = "`react-dom/client.js`, `lodash/fp.js`, `bootstrap/dist.css`, `preact/hooks.d.ts` and `node/fs.mjs`"


def test_what_is_imported_from_a_package_is_no_path() -> None:
    """P-145: the project declares the package, or has no such folder anywhere."""
    used = frozenset({"react-dom", "lodash"})
    assert gone(Memory(IMPORTS), Made(["src/main.js"], {"dependency": used})) == ()
    assert gone(Memory(IMPORTS), Made(["src/main.js"])) == ()
    assert gone(Memory(IMPORTS), Made(["src/main.js"], {"dependency": None})) == ()
    assert gone(Memory("`lodash/fp.js`"), Made(["src/lodash/a.js"], {"dependency": used})) == ()


def test_a_folder_of_the_project_is_no_package() -> None:
    """P-145: one that stands there, one called as projects call theirs, what `./` leads to, what is no import."""
    told = Memory(
        "`lodash/fp.js`, `src/gone.js`, `utils/y.mjs`, `./lodash/a.js`, `lodash/fp.py`, `theme/a.css`"
    )
    project = Made(["theme/b.css", "lodash/map.js"], {"dependency": frozenset({"lodash"})})
    assert [one.name for one in gone(told, project)] == [
        "lodash/fp.js",
        "src/gone.js",
        "utils/y.mjs",
        "lodash/a.js",
        "lodash/fp.py",
        "theme/a.css",
    ]
    assert [one.name for one in gone(told, Made(["web/theme/b.css"]))] == [
        "src/gone.js",
        "utils/y.mjs",
        "lodash/a.js",
        "lodash/fp.py",
        "theme/a.css",
    ]


def test_scripts_and_targets_are_compared_with_what_is_declared() -> None:
    """P-146: unknown is not gone; a make pattern, or a file of that name, is enough."""
    memory = Memory(
        "`npm run build`, `npm run e2e`, `make docs`, `make main.o`, `make build`, `make LICENSE`, `just all`"
    )
    project = Made(
        ["LICENSE"],
        {"package": frozenset({"build"}), "make": frozenset({"%.o", "b%d", "test"}), "just": None},
    )
    assert [sentence(one) for one in gone(memory, project)] == [
        "no package.json has a script e2e",
        "no Makefile has a target docs",
    ]


@given(st.text(st.sampled_from("ab/.`~<$*: -npmrunake\\\n@#[]&|;'\"é\0"), max_size=60), st.booleans())
def test_no_text_makes_it_fail_or_look_outside(text: str, body: bool) -> None:
    """P-145, P-147: a name is always relative, and leads nowhere up."""
    memory = Memory("x", body=text) if body else Memory(text)
    for one in mentions(memory):
        assert isinstance(one, Reference)
        assert not one.name.startswith(("/", "~"))
        assert ".." not in one.name.split("/")
        assert not set(one.name) & set("*<>$`\\ \n\0")
