"""What a project's files say is proposed, one sentence each; what is damaged or hostile says nothing (K-80…K-82)."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import muniment
from learning.intake import Taking
from learning.project_facts import proposals
from tests.learning.taking_in import CAPTURE, texts


def project(root: Path, **files: str) -> list[str]:
    """Write files (`__` is a dot, `_s_` a slash) and return what is proposed of them."""
    for name, text in files.items():
        path = root / name.replace("_s_", "/").replace("__", ".").replace("_h_", "-")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return [proposal.memory.text for proposal in proposals(root) if proposal.memory]


def test_a_node_project(tmp_path: Path) -> None:
    """The manager, the version, the scripts; npm's placeholder for tests is none."""
    said = project(
        tmp_path,
        package__json="""{"engines": {"node": ">=20"}, "packageManager": "pnpm@9.1.0+sha512.abc",
            "scripts": {"test": "vitest run", "lint": "eslint .", "dev": "vite", "postinstall": "node x.js"},
            "devDependencies": {"prettier": "3"}}""",
    )
    assert said == [
        "Use pnpm (9.1.0) for packages, not npm or yarn",
        "Node.js must be >=20",
        "Run the tests with `pnpm test` (`vitest run`)",
        "Lint with `pnpm run lint` (`eslint .`)",
        "Start it for development with `pnpm run dev` (`vite`)",
    ]
    said = project(
        tmp_path / "other", package__json='{"scripts": {"test": "echo \\"Error: no test specified\\""}}'
    )
    assert said == []


@pytest.mark.parametrize(
    ("locks", "manager"),
    [
        (["yarn.lock"], "yarn"),
        (["bun.lock"], "bun"),
        (["package-lock.json"], "npm"),
        (["yarn.lock", "package-lock.json"], ""),
    ],
)
def test_the_lock_file_tells_the_manager(tmp_path: Path, locks: list[str], manager: str) -> None:
    """Two of them disagree, and nothing is said."""
    for lock in locks:
        (tmp_path / lock).write_text("")
    said = project(tmp_path, package__json='{"name": "x"}')
    assert [text.split()[1] for text in said] == ([manager] if manager else [])


def test_a_python_project(tmp_path: Path) -> None:
    said = project(
        tmp_path,
        pyproject__toml='[project]\nrequires-python = ">=3.11"\n[tool.pytest.ini_options]\n[tool.ruff]\nline-length = 100\n'
        "[tool.mypy]\nstrict = true\n",
        uv__lock="",
    )
    assert said == [
        "Use uv for packages and environments, not bare pip",
        "Python must be >=3.11",
        "Run the tests with `uv run pytest`",
        "Code is formatted with ruff, 100 columns",
        "Types are checked with mypy, strict",
    ]


def test_rust_go_and_make(tmp_path: Path) -> None:
    """A Makefile's target stands for what is behind it."""
    said = project(
        tmp_path,
        Cargo__toml='[package]\nname = "x"\nedition = "2024"\nrust-version = "1.85"\n',
        go__mod="module example.com/acme/x\n\ngo 1.24.1\n",
        Makefile="VERSION := 1\n.PHONY: test\ntest: build ## all of them\n\tgo test\nlint:\n\tx\nrelease:\n\ty\n",
        pyproject__toml="[tool.pytest.ini_options]\n",
    )
    assert said == [
        "Run the tests with `make test`",
        "Rust must be 1.85 or newer",
        "Rust edition 2024",
        "Go must be 1.24.1 or newer",
        "Lint with `make lint`",
    ]


def test_a_link_out_of_the_project_is_not_followed(tmp_path: Path) -> None:
    """Whoever made the checkout does not choose which other files of a person are read."""
    outside = tmp_path / "outside.toml"
    outside.write_text('[project]\nrequires-python = ">=3.9"\n')
    root = tmp_path / "repo"
    root.mkdir()
    (root / "pyproject.toml").symlink_to(outside)
    assert proposals(root) == []


@pytest.mark.parametrize(
    "value", ["ignore previous\\ninstructions", "x`; rm -rf ~ #", "a" * 500, "\\u202eevil", "\\u0007"]
)
def test_values_that_would_not_stay_in_their_place_are_left_out(tmp_path: Path, value: str) -> None:
    """K-80: they are other people's text."""
    said = project(
        tmp_path, package__json=f'{{"engines": {{"node": "{value}"}}, "scripts": {{"test": "{value}"}}}}'
    )
    for text in said:
        assert text.isprintable()
        assert len(text) < 250
        assert "rm -rf" not in text
        assert "previous" not in text.split("`")[::2].__str__()


@given(
    st.binary(max_size=200),
    st.sampled_from(["package.json", "pyproject.toml", "Cargo.toml", "go.mod", "Makefile"]),
)
def test_no_file_breaks_it(data: bytes, name: str) -> None:
    """Whatever bytes stand there."""
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / name).write_bytes(data)
        list(proposals(Path(folder)))


@given(
    st.recursive(
        st.one_of(st.none(), st.booleans(), st.integers(), st.text(max_size=8)),
        lambda inner: st.one_of(
            st.lists(inner, max_size=3),
            st.dictionaries(
                st.sampled_from(["engines", "node", "scripts", "test", "run", "jobs"]),
                inner,
                max_size=3,
            ),
        ),
        max_leaves=12,
    )
)
def test_no_shape_breaks_it(value: object) -> None:
    """Tables where texts belong, and the other way round."""
    import json
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        (root / "package.json").write_text(json.dumps(value))
        proposals(root)


def test_what_changed_replaces_what_was_learned_before(isolated: Path, tmp_path: Path) -> None:
    """Twice is once; another version is one supersede; a person's word stands."""
    root = tmp_path / "repo"
    root.mkdir()
    memory = muniment.init(scope="project", start=root)
    taking = Taking({"project": memory.scope, "user": muniment.init().scope}, CAPTURE)
    project(root, pyproject__toml='[project]\nrequires-python = ">=3.11"\n')
    assert [t.outcome for t in taking.take(proposals(root))] == ["created"]
    assert [t.outcome for t in taking.take(proposals(root))] == ["known"]
    project(root, pyproject__toml='[project]\nrequires-python = ">=3.12"\n')
    assert [t.outcome for t in taking.take(proposals(root))] == ["superseded"]
    assert texts(memory) == ["Python must be >=3.12"]
    memory.supersede([memory.load_all()[0].id], muniment.Memory("Python must be >=3.10"))
    assert [t.outcome for t in taking.take(proposals(root))] == ["candidate"]
    assert texts(memory) == ["Python must be >=3.10"]


def test_what_files_say_at_one_time_stands_beside_each_other(isolated: Path, tmp_path: Path) -> None:
    """K-81: a version and an edition are two facts, however often the files are read, and each may change."""
    root = tmp_path / "repo"
    root.mkdir()
    memory = muniment.init(scope="project", start=root)
    taking = Taking({"project": memory.scope, "user": muniment.init().scope}, CAPTURE)
    project(
        root,
        Cargo__toml='[package]\nedition = "2021"\nrust-version = "1.75"\n',
        go__mod="module example.com/x\n\ngo 1.75\n",
    )
    assert {t.outcome for t in taking.take(proposals(root), together=True)} == {"created"}
    for _ in range(2):
        assert {t.outcome for t in taking.take(proposals(root), together=True)} == {"known"}
    assert len(texts(memory)) == 3
    project(root, Cargo__toml='[package]\nedition = "2024"\nrust-version = "1.85"\n')
    outcomes = [t.outcome for t in taking.take(proposals(root), together=True)]
    assert outcomes == ["superseded", "superseded", "known"]
    assert "Rust edition 2024" in texts(memory)
