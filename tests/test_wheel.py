"""The wheel: what is in it, and that an installed muniment runs without the checkout and without a network.

Tests specs/adr/0001. The dependencies are packed again from what is installed here, so
that pip and pipx resolve and install them as they would from an index; nothing else that stands here helps.
"""

from __future__ import annotations

import ast
import hashlib
import importlib.metadata
import importlib.util
import os
import re
import shlex
import shutil
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parent.parent
PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
_HOOK = PYPROJECT["tool"]["hatch"]["build"]["targets"]["wheel"]["hooks"]["custom"]
PACKAGES, MODULES = tuple(_HOOK["packages"]), tuple(_HOOK["modules"])
LICENCES = [f"licenses/{name}" for name in PYPROJECT["project"]["license-files"]]
OURS = (*PACKAGES, *MODULES)
"""The names in the source that the wheel moves under muniment."""

MOST_INSTALLED = 60e6
"""Bytes that muniment and what it needs may take on a disk."""


# --- what is built ---


def _run(*command: str | Path, cwd: Path, **env: str) -> subprocess.CompletedProcess[str]:
    """Run a command away from the checkout's settings; its output is one text."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("PYTHON", "PIP", "MUNIMENT"))
    }
    return subprocess.run(
        command,
        cwd=cwd,
        env={
            **kept,
            "HOME": str(cwd),
            "PIP_CONFIG_FILE": os.devnull,
            "PIP_NO_INDEX": "1",
            "TERM": "dumb",
            **env,
        },
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


def _succeed(*command: str | Path, cwd: Path, **env: str) -> str:
    done = _run(*command, cwd=cwd, **env)
    assert done.returncode == 0, f"{shlex.join(map(str, command))}\n{done.stdout}"
    return done.stdout


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the source distribution of the checkout, and the wheel that was built from it."""
    out = tmp_path_factory.mktemp("built")
    _succeed(sys.executable, "-m", "build", "--no-isolation", "--outdir", out, ROOT, cwd=out)
    return out


@pytest.fixture(scope="session")
def wheel(built: Path) -> Path:
    """The wheel, built from the source distribution as `make wheel` does."""
    (wheel,) = built.glob("*.whl")
    return wheel


@pytest.fixture(scope="session")
def sdist(built: Path) -> Path:
    """The source distribution, built from the checkout."""
    (sdist,) = built.glob("*.tar.gz")
    return sdist


def _content(wheel: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(wheel) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def _sources(root: Path = ROOT) -> dict[str, Path]:
    """Return the Python files that are to be shipped, by their names in the wheel."""
    files = [path for package in PACKAGES for path in (root / package).rglob("*.py")]
    files += [root / f"{module}.py" for module in MODULES]
    named = {f"muniment/{path.relative_to(root).as_posix()}": path for path in files}
    return {"muniment/__init__.py": root / "muniment.py", **named}


def test_the_wheel_holds_one_package_and_nothing_else(wheel: Path) -> None:
    """At the top: muniment and its dist-info; below: each source file and the typing marker, no tests."""
    names = set(_content(wheel))
    info = f"muniment-{_version()}.dist-info"
    assert {name.partition("/")[0] for name in names} == {"muniment", info}
    assert wheel.name == f"muniment-{_version()}-py3-none-any.whl"
    assert {name for name in names if name.startswith(info)} == {
        f"{info}/{name}" for name in ("METADATA", "WHEEL", "RECORD", "entry_points.txt", *LICENCES)
    }
    assert {name for name in names if name.endswith(".py")} == set(_sources())
    assert "muniment/py.typed" in names
    assert not [
        name for name in names if re.search(r"(^|/)(tests?|specs|benchmarks|demo|eval|docs)/|test_", name)
    ]


class _Moved(ast.NodeTransformer):
    """The same change as the build hook's, made on the tree: what the hook's text must parse to."""

    def visit_ImportFrom(self, node: ast.ImportFrom) -> ast.ImportFrom:
        if node.level == 0 and str(node.module).partition(".")[0] in OURS:
            node.module = f"muniment.{node.module}"
        return node

    def visit_Import(self, node: ast.Import) -> ast.Import:
        for alias in node.names:
            if alias.name.partition(".")[0] in OURS:
                alias.name = f"muniment.{alias.name}"
        return node


def test_the_wheel_differs_from_the_source_in_imports_only(wheel: Path) -> None:
    """In each shipped file nothing but prefixes is new; every fifth is parsed, to its source with the imports moved."""
    content = _content(wheel)
    for number, (name, path) in enumerate(sorted(_sources().items())):
        source = path.read_bytes()
        assert content[name].replace(b"muniment.", b"") == source.replace(b"muniment.", b""), name
        if number % 5 == 0:
            assert ast.dump(ast.parse(content[name])) == ast.dump(_Moved().visit(ast.parse(source))), name


def test_the_sdist_holds_sources_specs_and_tests(sdist: Path) -> None:
    """The source distribution is enough to read the rules, run the tests and build the wheel."""
    with tarfile.open(sdist) as archive:
        held = {name.partition("/")[2] for name in archive.getnames()}
    wanted = [*(ROOT / "specs").rglob("*.md"), *(ROOT / "tests").rglob("*.py"), *_sources().values()]
    wanted += [ROOT / name for name in ("hatch_build.py", "pyproject.toml", "constraints.txt", "Makefile")]
    wanted.append(ROOT / ".claude-plugin" / "marketplace.json")
    assert {path.relative_to(ROOT).as_posix() for path in wanted} <= held
    assert not [name for name in held if re.match(r"\.venv|build/|dist/|\.git/|.*__pycache__", name)]


def test_two_builds_give_the_same_bytes(built: Path, sdist: Path, tmp_path: Path) -> None:
    """In another folder, at another time, in another time zone and with files that only their owner may read."""
    with tarfile.open(sdist) as archive:
        archive.extractall(tmp_path, filter="data")
    (source,) = tmp_path.iterdir()
    (source / "PKG-INFO").unlink()  # no checkout has it
    for number, path in enumerate(sorted(source.rglob("*"))):
        path.chmod(path.stat().st_mode & 0o700)
        os.utime(path, (number, number))
    build = (sys.executable, "-m", "build", "--no-isolation", "--outdir", tmp_path / "again", source)
    _succeed(*build, cwd=tmp_path, TZ="Asia/Tokyo")
    digests = [
        {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in folder.iterdir()}
        for folder in (built, tmp_path / "again")
    ]
    assert digests[0] == digests[1]
    assert len(digests[0]) == 2


def test_an_editable_install_is_refused_with_the_reason(tmp_path: Path) -> None:
    """The hook says what to do instead."""
    code = f"import hatchling.build; hatchling.build.build_editable({str(tmp_path)!r})"
    done = _run(sys.executable, "-c", code, cwd=ROOT)
    assert done.returncode != 0
    assert "cannot be installed in editable mode" in done.stdout
    assert "`python -m cli`" in done.stdout
    assert "Traceback" not in done.stdout
    assert not list(tmp_path.iterdir())


# --- what is installed ---


def _version() -> str:
    match = re.search(r'^__version__ = "(.+)"$', (ROOT / "muniment.py").read_text("utf-8"), re.MULTILINE)
    assert match
    return match[1]


def _closure(requirements: Iterable[str]) -> dict[str, importlib.metadata.Distribution]:
    """Return the installed distributions that these requirements need, by canonical name."""
    found: dict[str, importlib.metadata.Distribution] = {}
    waiting = [Requirement(text) for text in requirements]
    while waiting:
        requirement = waiting.pop()
        extras = requirement.extras or {""}
        if requirement.marker and not requirement.marker.evaluate({"extra": ""}):
            continue
        name = canonicalize_name(requirement.name)
        if name not in found or requirement.extras:
            found[name] = importlib.metadata.distribution(name)
            own = [Requirement(text) for text in found[name].requires or ()]
            for each in own:
                if each.marker is None or any(each.marker.evaluate({"extra": extra}) for extra in extras):
                    each.marker = None
                    waiting.append(each)
    return found


def _pack(distribution: importlib.metadata.Distribution, into: Path) -> None:
    """Write the wheel that an installed distribution came from, without what the installer added."""
    tags = [line[5:] for line in (distribution.read_text("WHEEL") or "").splitlines() if line[:5] == "Tag: "]
    columns = zip(*(tag.split("-") for tag in tags), strict=True)
    name = canonicalize_name(distribution.name).replace("-", "_")
    tag = "-".join(".".join(dict.fromkeys(column)) for column in columns)
    files = [file for file in distribution.files or () if not {"..", "/", "__pycache__"} & set(file.parts)]
    info = next(file.parts[0] for file in files if file.name == "METADATA")
    added = {f"{info}/{each}" for each in ("INSTALLER", "REQUESTED", "RECORD", "direct_url.json")}
    packed = [str(file) for file in files if str(file) not in added]
    with zipfile.ZipFile(into / f"{name}-{distribution.version}-{tag}.whl", "w") as archive:
        for each in packed:
            archive.write(str(distribution.locate_file(each)), each)
        archive.writestr(f"{info}/RECORD", "".join(f"{each},,\n" for each in [*packed, f"{info}/RECORD"]))


@pytest.fixture(scope="session")
def wheelhouse(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with wheels of what muniment needs to run, and of nothing else."""
    folder = tmp_path_factory.mktemp("wheelhouse")
    for distribution in _closure(PYPROJECT["project"]["dependencies"]).values():
        _pack(distribution, folder)
    return folder


@pytest.fixture(scope="session")
def scripts(wheel: Path, wheelhouse: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of commands of a new environment that holds the wheel and what it needs, with the bytecode of both."""
    base = tmp_path_factory.mktemp("installed")
    _succeed(sys.executable, "-m", "venv", "--without-pip", base / "venv", cwd=base)
    pip = (sys.executable, "-m", "pip", "--python", base / "venv/bin/python", "--disable-pip-version-check")
    _succeed(*pip, "install", "--no-index", "--find-links", wheelhouse, wheel, cwd=base)
    return base / "venv/bin"


def test_a_base_install_is_small(scripts: Path) -> None:
    """muniment, what it needs and the bytecode of both take at most 60 MB; pip is there because sqlite-utils needs it."""
    library = scripts.parent / "lib"
    sizes = Counter[str]()
    for path in library.glob("*/site-packages/**/*"):
        if path.is_file():
            sizes[path.relative_to(library).parts[2]] += path.stat().st_size
    largest = ", ".join(f"{name} {size / 1e6:.1f}" for name, size in sizes.most_common(4))
    print(f"a base install takes {sizes.total() / 1e6:.1f} MB: {largest}, …")
    assert 1e6 < sizes["muniment"] < sizes.total() <= MOST_INSTALLED


_EVERY_HELP = """
import click
from muniment.cli.main import cli, run

def show(command, words):
    assert run([*words, "--help"]) == 0, words
    if isinstance(command, click.Group):
        with click.Context(command) as context:
            for name in command.list_commands(context):
                show(command.get_command(context, name), [*words, name])

show(cli, [])
"""


def test_every_command_starts_in_an_environment_of_its_own(scripts: Path, tmp_path: Path) -> None:
    """The installed `muniment` answers --version and a command's --help, and its package every other's, without the checkout."""
    assert _version() in _succeed(scripts / "muniment", "--version", cwd=tmp_path)
    assert _succeed(scripts / "muniment", "add", "--help", cwd=tmp_path).startswith("Usage: ")
    shown = _succeed(scripts / "python", "-c", _EVERY_HELP, cwd=tmp_path)
    assert len(re.findall("^Usage: ", shown, re.MULTILINE)) > 40


def test_the_command_of_before_is_installed_beside_it(scripts: Path, tmp_path: Path) -> None:
    """`memory-chain` is the same program (specs/doors.md G-50)."""
    assert _succeed(scripts / "memory-chain", "--help", cwd=tmp_path).startswith("Usage: memory-chain ")
    assert "muniment add" in _succeed(scripts / "memory-chain", "add", "--help", cwd=tmp_path)


def test_the_package_runs_as_a_module(scripts: Path, tmp_path: Path) -> None:
    """`python -m muniment.cli` is the installed form of `python -m cli`."""
    assert "Usage: " in _succeed(scripts / "python", "-m", "muniment.cli", "--help", cwd=tmp_path)


def test_an_installed_muniment_brings_the_plugin(scripts: Path, tmp_path: Path) -> None:
    """Its hidden files too, and its hooks are started by the program that was installed."""
    plugin = ROOT / "agents" / "install" / "plugin"
    _succeed(scripts / "muniment", "install", "claude-code", "--plugin", "p", "--yes", cwd=tmp_path)
    wanted = {path.relative_to(plugin): path.read_bytes() for path in plugin.rglob("*") if path.is_file()}
    got = {
        path.relative_to(tmp_path / "p"): path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()
    }
    assert got == wanted
    assert len(wanted) == 5


IMPORT_ALL = """
import importlib, importlib.util, sys
for name in sys.argv[1:]:
    try:
        importlib.import_module(name)
    except Exception as error:
        print(f"{name}: {error!r}")
print([name for name in ("ledger", "projections", "documents", "cli") if importlib.util.find_spec(name)])
"""


OF_EXTRAS = (
    "muniment.agents.mcp.",
    "muniment.frameworks.anthropic_memory",
    "muniment.frameworks.langgraph",
    "muniment.frameworks.llama_index",
    "muniment.frameworks.pydantic_ai",
    *(
        f"muniment.transports.{each}"
        for each in ("nats_stream", "nats_transport", "postgres_transport", "s3_transport")
    ),
)
"""Modules that need an extra begin so (specs/doors.md G-40, specs/team.md TM-76, specs/frameworks.md)."""


def test_every_module_imports_where_only_the_dependencies_are(
    scripts: Path, wheel: Path, tmp_path: Path
) -> None:
    """No module needs what is not declared, and the source's top-level names are not in site-packages."""
    names = [name.removesuffix(".py").replace("/", ".") for name in _content(wheel) if name.endswith(".py")]
    names = [name for name in names if not name.startswith(OF_EXTRAS) or name == f"{OF_EXTRAS[0]}__init__"]
    names = [name.removesuffix(".__init__") for name in names if not name.endswith(".__main__")]
    assert _succeed(scripts / "python", "-W", "error", "-c", IMPORT_ALL, *names, cwd=tmp_path) == "[]\n"


def _pipx() -> list[str]:
    if importlib.util.find_spec("pipx"):
        return [sys.executable, "-m", "pipx"]
    if found := shutil.which("pipx"):
        return [found]
    pytest.skip("pipx is not installed here; `make test` installs it")


@pytest.fixture
def by_pipx(wheel: Path, wheelhouse: Path, tmp_path: Path) -> Path:
    """The folder of commands that `pipx install` of the wheel fills."""
    env = {f"PIPX_{name}": str(tmp_path / name.lower()) for name in ("HOME", "BIN_DIR", "MAN_DIR")}
    env["PIPX_DISABLE_SHARED_LIBS_AUTO_UPGRADE"] = "1"  # its own pip comes from Python, not from an index
    pip_args = shlex.join(["--no-index", f"--find-links={wheelhouse}"])
    install = [*_pipx(), "install", "--python", sys.executable, f"--pip-args={pip_args}", str(wheel)]
    _succeed(*install, cwd=tmp_path, **env)
    return tmp_path / "bin_dir"


@pytest.mark.soak  # pipx installs its own pip first; all other tests of what is installed take pip
def test_pipx_installs_the_command(by_pipx: Path, tmp_path: Path) -> None:
    """`pipx install` of the wheel gives a `muniment` that stores and finds a memory."""
    remembers(by_pipx / "muniment", tmp_path)


def test_uv_installs_the_command(wheel: Path, wheelhouse: Path, tmp_path: Path) -> None:
    """So does `uv tool install`."""
    if importlib.util.find_spec("uv") is None:
        pytest.skip("uv is not installed: `make extras` installs it")
    env = {f"UV_{name}_DIR": str(tmp_path / name.lower()) for name in ("TOOL", "TOOL_BIN", "CACHE")}
    offline = ("--no-config", "--offline", "--no-index", "--find-links", wheelhouse)
    install = (sys.executable, "-m", "uv", "tool", "install", "--python", sys.executable, *offline, wheel)
    _succeed(*install, cwd=tmp_path, **env)
    remembers(tmp_path / "tool_bin/muniment", tmp_path)


def remembers(program: Path, home: Path) -> None:
    """Assert that an installed program states its version, stores a memory and finds it, in a new home."""
    assert _version() in _succeed(program, "--version", cwd=home)
    _succeed(program, "init", "--scope", "user", cwd=home)
    _succeed(program, "add", "Deploys happen on Mondays", cwd=home)
    assert "Deploys happen on Mondays" in _succeed(program, "search", "deploy", cwd=home)


def test_what_only_a_checkout_needs_is_no_extra(wheel: Path) -> None:
    """A published extra is a promise to those who install muniment: these are what its own commands use."""
    with zipfile.ZipFile(wheel) as archive:
        (name,) = [each for each in archive.namelist() if each.endswith(".dist-info/METADATA")]
        said = archive.read(name).decode()
    extras = set(re.findall(r"^Provides-Extra: (.+)$", said, re.MULTILINE))
    assert extras <= {
        "anchors",
        "anthropic",
        "langgraph",
        "llama-index",
        "llm",
        "mcp",
        "nats",
        "postgres",
        "pydantic-ai",
        "s3",
        "vectors",
    }
    assert {"dev", "sigstore", "wallet"} <= PYPROJECT["dependency-groups"].keys()


def test_every_dependency_is_pinned() -> None:
    """constraints.txt names one version for all that `make test` installs, and pyproject.toml allows each."""
    project = PYPROJECT["project"]
    declared = [*project["dependencies"], *PYPROJECT["dependency-groups"]["dev"]]
    declared += [
        each
        for extra in ("llm", "mcp", "anchors", "postgres", "nats", "s3")
        for each in project["optional-dependencies"][extra]
    ]
    lines = (ROOT / "constraints.txt").read_text("utf-8").splitlines()
    pins = dict(line.split("==") for line in lines if line and not line.startswith("#"))
    pinned = {canonicalize_name(name): version for name, version in pins.items()}
    assert not set(_closure(declared)) - set(pinned) - {"pip"}  # an environment brings its own pip
    for requirement in map(Requirement, declared):
        assert requirement.specifier.contains(pinned[canonicalize_name(requirement.name)]), str(requirement)
