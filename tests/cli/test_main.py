"""The command line as a whole: help, errors in one line, exit codes, and what happens when a reader goes away."""

from __future__ import annotations

import shlex
import signal
import subprocess
import sys
import time
from importlib import import_module
from pathlib import Path

import click
import pytest

import muniment
from cli import main
from cli.catalogue import ALIASES, COMMANDS, EVERYDAY
from cli.commands import list_
from cli.main import cli
from ledger import errors
from muniment import Memory
from tests.cli.driver import ROOT, command_line, environment, run, run_process
from tests.ledger.secret_fakes import tokens

NAMES = [name for group in COMMANDS.values() for name in group]
_MODULE = {"import": "import_", "list": "list_"}


def command_of(name: str) -> click.Command:
    context = click.Context(cli, info_name="muniment", help_option_names=["-h", "--help"])
    found = cli.get_command(context, name)
    assert found is not None
    return found


def help_of(name: str) -> str:
    """Return a command's help on a wide terminal."""
    context = click.Context(
        cli,
        info_name="muniment",
        terminal_width=100,
        max_content_width=100,
        help_option_names=["-h", "--help"],
    )
    return click.Context(
        command_of(name), info_name=name, parent=context, terminal_width=100, max_content_width=100
    ).get_help()


# --- help ---


def test_the_help_is_on_stdout() -> None:
    """Exit code 0, by either name."""
    done = run_process("--help").ok()
    assert done.out.startswith("Usage: muniment [OPTIONS] [COMMAND] [ARGS]...\n")
    assert done.err == ""
    assert run("--help").ok().out == run("-h").ok().out == run("help").ok().out


@pytest.mark.parametrize("group", [("anchor",), ("anchor", "ots")])
def test_a_group_without_a_command_shows_its_help(group: tuple[str, ...]) -> None:
    """As the program alone does, in as many lines."""
    assert run(*group).ok().out == run(*group, "--help").ok().out


@pytest.mark.parametrize("arguments", [("--help",), ("help", "--all")])
def test_the_help_names_its_commands_once_in_their_groups(arguments: tuple[str, ...]) -> None:
    """X-332: the everyday ones, or all of them, with what they do, unbroken on 80 columns; no alias."""
    out = run(*arguments).ok().out
    listed = [line.split()[0] for line in out.partition("Start:\n")[2].splitlines() if line[:3].strip()]
    expected = NAMES if "--all" in arguments else [name for name in NAMES if name in EVERYDAY]
    assert [name for name in listed if name in {*NAMES, *ALIASES}] == expected
    for commands in COMMANDS.values():
        for name, does in commands.items():
            if name in expected:
                (line,) = [line for line in out.splitlines() if line.startswith(f"  {name} ")]
                assert line.endswith(f" {does}")
    assert all(len(line) <= 80 for line in out.splitlines())


def test_the_everyday_commands_are_about_twenty() -> None:
    """Each of them a command."""
    assert set(NAMES) >= EVERYDAY
    assert 15 <= len(EVERYDAY) <= 22


def test_the_version_is_the_librarys() -> None:
    """One place states it."""
    assert run_process("--version").ok().out == f"muniment {muniment.__version__}\n"


@pytest.mark.parametrize("name", NAMES)
def test_every_command_is_there_with_help_an_example_and_a_test(name: str) -> None:
    """Its module, its own name, at least two lines of help, an example that runs it, its test file."""
    module = import_module(f"cli.commands.{_MODULE.get(name, name)}")
    assert module.command is command_of(name)
    assert module.command.name == name
    text = help_of(name)
    assert "Examples:\n" in text
    assert f"muniment {name}" in text.partition("Examples:\n")[2]
    assert (ROOT / "tests" / "cli" / f"test_{name}.py").is_file()


def test_the_help_of_every_command_fits_100_columns() -> None:
    """Also its examples, which are not wrapped."""
    lines = [line for name in NAMES for line in help_of(name).splitlines()]
    assert [line for line in lines if len(line) > 100] == []


def test_every_command_knows_the_global_options() -> None:
    """So that they may stand before or after its name; `hook` takes none (G-9)."""
    for name in NAMES:
        options = {option for parameter in command_of(name).params for option in parameter.opts}
        assert name == "hook" or {"--ledger", "--scope", "--json", "--by", "--no-color"} <= options, name


@pytest.mark.parametrize(("alias", "name"), ALIASES.items())
def test_an_alias_is_the_command(alias: str, name: str) -> None:
    """forget is delete, audit is log."""
    group, _, verb = name.partition(" ")
    found = command_of(group)
    assert command_of(alias) is (found.commands[verb] if isinstance(found, click.Group) else found)


def test_every_module_of_a_command_is_listed() -> None:
    """A command that nobody can call is no command."""
    modules = {path.stem for path in (ROOT / "cli" / "commands").glob("[a-z]*.py")}
    assert modules == {_MODULE.get(name, name) for name in NAMES}


# --- options ---


def test_global_options_stand_before_or_after_the_command(isolated: Path, tmp_path: Path) -> None:
    """The later one holds."""
    for name in ("one", "two"):
        muniment.init(tmp_path / name).store(Memory(name))
    one, two = tmp_path / "one", tmp_path / "two"
    assert run("--ledger", one, "--json", "list").ok().json["text"] == "one"
    assert run("list", "--ledger", one, "--json").ok().json["text"] == "one"
    assert run("--ledger", two, "list", "--ledger", one, "--json").ok().json["text"] == "one"


def test_a_ledger_and_a_scope_exclude_each_other(tmp_path: Path) -> None:
    """Wherever they stand."""
    for arguments in (
        ("--ledger", tmp_path, "--scope", "user", "list"),
        ("--scope", "user", "list", "--ledger", "."),
    ):
        assert run(*arguments).code == 2


# --- mistakes ---


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("lits",), "there is no command 'lits'; did you mean list?"),
        (("sta",), "did you mean status or stats?"),
        (("frobnicate",), "there is no command 'frobnicate'; muniment --help lists them"),
        (("key", "rotat"), "there is no command 'rotat'; did you mean rotate?"),
        (("anchor", "check"), "there is no command 'check'; did you mean checkpoint?"),
        (
            ("anchor", "ots", "frobnicate"),
            "there is no command 'frobnicate'; muniment anchor ots --help lists them",
        ),
        (("--nonsense",), "no such option"),
        (("list", "--sectoin", "x"), "did you mean one of: '--json', '--section', '--session'?"),
        (("show",), "missing argument 'ID'; see muniment show --help"),
        (("list", "--type", "thing"), "is not one of"),
        (("list", "--tag"), "option '--tag' requires an argument; see muniment"),
        (("list", "surplus"), "unexpected extra argument"),
    ],
)
def test_a_mistake_is_one_line_with_the_way_on(arguments: tuple[str, ...], words: str) -> None:
    """Exit code 2, on stderr alone, whatever --json says."""
    for options in ((), ("--json",)):
        done = run(*options, *arguments) if arguments != ("--json",) else run(*arguments)
        assert (done.code, done.out) == (2, "")
        assert done.err.startswith("muniment: ")
        assert len(done.err.splitlines()) == 1
        assert words.lower() in done.err.lower()


# --- exit codes ---


def run_raising(monkeypatch: pytest.MonkeyPatch, error: BaseException) -> tuple[int, str]:
    def fail(*_: object, **__: object) -> None:
        raise error

    monkeypatch.setattr(list_.command, "callback", fail)
    done = run("list")
    assert done.out == ""
    return done.code, done.err


CODES = {
    errors.LedgerError: 10,
    errors.UsageError: 2,
    errors.NotFoundError: 3,
    errors.AmbiguousIdError: 3,
    errors.NoLedgerError: 3,
    errors.StateError: 4,
    errors.RecordError: 5,
    errors.SecretError: 6,
    errors.ChainError: 7,
    errors.RollbackError: 7,
    errors.ForeignChainError: 7,
    errors.KeyFileError: 8,
    errors.StorageError: 9,
    errors.LedgerExistsError: 11,
    errors.PlatformError: 12,
    errors.BusyError: 13,
    errors.OutsideError: 14,
    errors.WaitingError: 15,
}


@pytest.mark.parametrize(("kind", "code"), CODES.items())
def test_every_class_of_error_has_its_code(
    monkeypatch: pytest.MonkeyPatch, kind: type[errors.LedgerError], code: int
) -> None:
    """X-4: and its message, on one line."""
    assert run_raising(monkeypatch, kind("what happened,\n  where: what to do")) == (
        code,
        "muniment: what happened, where: what to do\n",
    )


def test_no_class_of_error_is_forgotten() -> None:
    """A new one needs a code here, and in the documentation."""
    classes = {
        each for each in vars(errors).values() if isinstance(each, type) and issubclass(each, Exception)
    }
    assert classes == {*CODES, errors.FormatError}
    assert errors.FormatError.exit_code == 5


@pytest.mark.parametrize(
    ("error", "code", "words"),
    [
        (KeyboardInterrupt(), 130, "stopped"),
        (click.Abort(), 130, "stopped"),
        (
            OSError(28, "No space left on device", "/x/y"),
            9,
            "No space left on device (/x/y); see muniment doctor",
        ),
        (ValueError("odd"), 70, "internal error: ValueError: odd; MUNIMENT_DEBUG=1"),
        (click.ClickException("from click"), 1, "from click"),
        (click.exceptions.Exit(3), 3, ""),
    ],
)
def test_what_is_no_error_of_ours_is_one_line_too(
    monkeypatch: pytest.MonkeyPatch, error: BaseException, code: int, words: str
) -> None:
    """Never a traceback."""
    found, err = run_raising(monkeypatch, error)
    assert (found, words in err, len(err.splitlines())) == (code, True, 1 if words else 0)


def test_a_developer_gets_the_traceback(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where MUNIMENT_DEBUG asks for it."""
    monkeypatch.setenv("MUNIMENT_DEBUG", "1")
    with pytest.raises(ValueError, match="odd"):
        run_raising(monkeypatch, ValueError("odd"))


def test_a_command_returns_its_own_code(monkeypatch: pytest.MonkeyPatch) -> None:
    """1 for findings."""
    monkeypatch.setattr(list_.command, "callback", lambda *_, **__: 1)
    assert run("list").code == 1


# --- processes ---


def test_ctrl_c_is_one_line(isolated: Path, tmp_path: Path) -> None:
    """A process that waits for standard input stops with 130."""
    muniment.init().close()
    process = subprocess.Popen(
        command_line("add", "-"),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment(),
        text=True,
        cwd=tmp_path,
    )
    try:
        _wait_until_reading(process)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
    finally:
        process.kill()
    assert (process.returncode, out) == (130, "")
    assert err == "muniment: stopped; what was not acknowledged was not stored\n"


def _wait_until_reading(process: subprocess.Popen[str]) -> None:
    """Wait until the process sleeps in a read of its pipe."""
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        channel = Path(f"/proc/{process.pid}/wchan")
        if not channel.exists() or "pipe" in channel.read_text():
            break
        time.sleep(0.05)
    time.sleep(0.2)


def many(count: int) -> None:
    from ledger.command import Create

    with muniment.init() as ledger:
        ledger.workspace.append([Create(Memory(f"memory number {n}")) for n in range(count)])


def piped(shell: str, tmp_path: Path) -> subprocess.CompletedProcess[str]:
    script = f"set -o pipefail; {shell.replace('muniment', shlex.join(command_line()))}"
    return subprocess.run(
        ["bash", "-c", script], env=environment(), capture_output=True, text=True, cwd=tmp_path
    )


def test_a_reader_that_goes_away_is_told_nothing_and_a_slow_one_gets_everything(
    isolated: Path, tmp_path: Path
) -> None:
    """`muniment log | head -1` is quiet; the code is that of a program that SIGPIPE ends.

    An unbuffered stream may take a part at a time.
    """
    many(800)
    for command in ("log --json", "export"):
        done = piped(f"muniment {command} | head -1", tmp_path)
        assert (done.returncode, done.stderr) == (141, ""), command
        assert len(done.stdout.splitlines()) == 1, command
    done = piped("PYTHONUNBUFFERED=1 muniment export | (sleep 0.3; wc -l)", tmp_path)
    assert (done.returncode, done.stdout.strip()) == (0, "800")


@pytest.mark.parametrize("command", ["--help", "list", "nonsense"])
def test_a_reader_that_was_never_there_changes_no_code(isolated: Path, tmp_path: Path, command: str) -> None:
    """Short output that nobody reads is no failure, and hides none."""
    many(1)
    done = piped(f"muniment {command} 2>&1 | true", tmp_path)
    assert (done.returncode, done.stderr) in {(0, ""), (141, ""), (2, "")}
    assert (done.returncode == 0) <= (command != "nonsense")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
def test_a_full_disk_is_an_error(isolated: Path, tmp_path: Path) -> None:
    """Nothing is lost in silence: exit code 9, one line."""
    many(300)
    buffered = ("list", "show @1 --raw")
    at_once = ("list --json", "export", "--help")
    for unbuffered, command in [*(("", each) for each in buffered), *(("1", each) for each in at_once)]:
        done = piped(f"PYTHONUNBUFFERED={unbuffered} muniment {command} > /dev/full", tmp_path)
        assert (done.returncode, len(done.stderr.splitlines())) == (9, 1), (command, unbuffered)
        assert "No space left on device" in done.stderr, (command, unbuffered)


def test_an_encoding_that_lacks_letters_ends_no_command(isolated: Path, tmp_path: Path) -> None:
    """They are escaped for people; JSON is UTF-8 whatever the terminal says."""
    with muniment.init() as ledger:
        ledger.store(Memory("café → 缓存"))
    variables = {"PYTHONIOENCODING": "ascii"}
    assert "caf\\xe9 \\u2192" in run_process("list", cwd=tmp_path, env=variables).ok().out
    assert run_process("list", "--json", cwd=tmp_path, env=variables).ok().json["text"] == "café → 缓存"


def test_starting_imports_no_command_but_the_one_that_is_called() -> None:
    """Each pays for itself alone."""
    code = "import sys; from cli.main import run; run(['--help']); print(*sys.modules, file=sys.stderr)"
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment(), capture_output=True, text=True, check=True
    )
    loaded = set(done.stderr.split())
    assert "cli.main" in loaded
    assert sorted(name for name in loaded if name.startswith("cli.commands.")) == []
    assert sorted(loaded & {"nacl", "tomllib", "ledger.schema", "projections.index"}) == []


def test_main_exits_with_the_code(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """As the installed command does."""
    monkeypatch.setattr(sys, "argv", ["muniment", "--version"])
    with pytest.raises(SystemExit) as stopped:
        main.main()
    assert stopped.value.code == 0
    assert capsys.readouterr().out == f"muniment {muniment.__version__}\n"


@pytest.mark.parametrize(
    "before",
    [
        ("add", "x", "--source"),
        ("add", "x", "--category"),
        ("list", "--type"),
        ("--scope",),
        ("show",),
        ("import",),
    ],
)
@pytest.mark.parametrize("frame", ["{}", "password={}", "it's {}"])
def test_no_message_repeats_an_argument_that_redaction_refuses(before: tuple[str, ...], frame: str) -> None:
    """X-1."""
    secret = tokens(3)["github classic token"]
    done = run(*before, frame.format(secret))
    assert done.code != 0
    assert secret not in done.err + done.out
    assert secret[-8:] not in done.err


def test_an_empty_ledger_directory_is_refused_and_never_the_present_folder() -> None:
    for args in (("--ledger", "", "list"), ("add", "x", "--ledger", ""), ("init", "--ledger=")):
        done = run(*args)
        assert done.code == 2
        assert "invalid value for '--ledger': it is empty" in done.err


def test_a_folder_in_place_of_a_file_of_ours_is_named_and_the_chain_goes_on(isolated: Path) -> None:
    """F-21, F-22: the databases are made anew in its place; settings are a person's, so theirs is named."""
    run("init", "--scope", "user").ok()
    home = isolated / ".muniment"
    for name in ("memory.db", "local.db", "config.toml"):
        for path in home.glob(f"{name}*"):
            path.unlink()
        (home / name).mkdir()
        done = run("add", f"learned beside {name}").ok()
        if name == "config.toml":
            assert str(home / name) in done.err
        else:
            assert (home / name).is_file()
        assert name in run("doctor").out
        if name != "config.toml":
            assert run("verify").out.startswith("integrity     sound")
        if (home / name).is_dir():
            (home / name).rmdir()
    said = {entry["text"] for entry in run("list", "--json").json_lines}
    assert said == {f"learned beside {name}" for name in ("memory.db", "local.db", "config.toml")}
