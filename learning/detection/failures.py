"""Learns from a tool's error and its fix: "`npm test` fails with … until `docker compose up -d` has run".

Implements specs/capture.md (K-36, K-37, K-39). Reads the turns of tools only, never an assistant's words
about them. A command that a person rejected teaches nothing, nor does a failing test that a code change fixes. Pure
except for the state of a conversation.
"""

from __future__ import annotations

import re
from collections import deque

from learning.turn import Turn
from ledger.lazy_pattern import lazy_pattern
from ledger.named_tuple import NamedTuple

REMEMBERED = 8
"""How many failures of a conversation wait for a fix."""
WITHIN = 12
"""A fix must follow within so many calls."""
LONGEST_ERROR = 140
LONGEST_COMMAND = 200


class Fix(NamedTuple):
    """A command that failed, its error line, and the command that worked.

    `prepares` means that the second command made the first one work; otherwise it replaces the first one.
    """

    failed: str
    error: str
    worked: str
    prepares: bool
    tool: str

    @property
    def line(self) -> str:
        """The memory's one line."""
        if self.prepares:
            return f"`{self.failed}` fails with `{self.error}` until `{self.worked}` has run"
        return f"`{self.failed}` fails with `{self.error}`; `{self.worked}` works"


class _Failure:
    """A call that failed: when, whether because of its environment, and the commands that worked since."""

    def __init__(self, command: str, error: str, at: int, *, environment: bool) -> None:
        self.command = command
        self.error = error
        self.at = at
        self.environment = environment
        self.between: list[str] = []


_SHELLS = lazy_pattern(
    r"bash|shell|exec|terminal|command|run|zsh|process|console|powershell|cmd", re.IGNORECASE
)
_EDITS = lazy_pattern(r"edit|write|patch|replace|create|insert|notebook", re.IGNORECASE)

_ERROR = lazy_pattern(
    r"""^.*(?:\b(?:E[A-Z]{4,}|\w*(?:Error|Exception))\b | \b(?:error|fatal|panic|failed|failure|cannot|can't|
      could\ not|unable\ to|denied|refused|not\ found|
        no\ such|unknown|unrecognized|invalid|missing|timed\ out|timeout|already\ in\ use|unsupported|
        not\ installed|not\ recognized|command\ not\ found)\b).*$""",
    re.VERBOSE | re.IGNORECASE | re.MULTILINE,
)
_ENVIRONMENT = lazy_pattern(
    r"""ECONNREFUSED|ECONNRESET|ENOTFOUND|EADDRINUSE|EACCES|ENOENT|EPERM|ETIMEDOUT|EHOSTUNREACH|ENOSPC|
      connection\ (?:refused|reset|timed\ out)|could\ not\ connect|
        cannot\ connect|can't\ connect|could\ not\ resolve|name\ or\ service|permission\ denied|access\ denied|
        command\ not\ found|not\ found:|is\ not\ recognized|
        no\ such\ (?:file|host|option|command|container|device|image)|module\ ?not\ ?found|no\ module\ named|
        cannot\ find\ module|module_not_found|
        unknown\ (?:option|command|flag|argument|host)|unrecogni[sz]ed\ (?:option|argument|arguments|command|emulation|platform|target)|
        (?:may|must|can)(?:not|\ not|'t)\ be\ (?:used|combined)\ with|requires\ (?:either|one\ of)|
        invalid\ (?:option|choice|flag)|
        unsupported\ (?:engine|python|version|class)|requires\ (?:python|node|java|go)|version\ mismatch|
        not\ installed|missing\ script|no\ rule\ to\ make|
        address\ already\ in\ use|port\ .*(?:in\ use|allocated)|out\ of\ memory|heap\ out|no\ space\ left|
        not\ logged\ in|unauthori[sz]ed|authentication\ (?:failed|required)|
        externally-managed|certificate|ssl|daemon|is\ the\ .*running|not\ running|does\ not\ exist|
        undefined\ (?:variable|symbol)|environment\ variable|
        library\ not\ (?:found|loaded)|cannot\ open\ shared|wrong\ (?:version|architecture)|lock\ file|lockfile|
        frozen|not\ a\ git|detached\ HEAD\ state|
        host\ key|publickey|timed?\ ?out|usage:""",
    re.VERBOSE | re.IGNORECASE,
)
_TESTS = lazy_pattern(
    r"AssertionError|assert(?:ion)? failed|expected .{0,60}(?:to|got|but|received)|"
    r"\b\d+ (?:tests? )?fail(?:ed|ing|ures?)\b|FAILED \S+::|--- FAIL|"
    r"✗|✕|×|Tests?:\s+\d+ failed|mismatched types|error\[E\d+\]|TS[1-478]\d{3}\b|SyntaxError|IndentationError|"
    r"TypeError|NameError|KeyError|ValueError|AttributeError|"
    r"would reformat|lint",
    re.IGNORECASE,
)
_OF_THE_MOMENT = lazy_pattern(
    r"merge conflict|\bCONFLICT \(|could not apply [0-9a-f]{7}|automatic merge failed|needs? merge\b|unmerged (?:files|paths)|"
    r"nothing to (?:commit|rebase|merge)|not up[ -]to[ -]date|non-fast-forward",
    re.IGNORECASE,
)
"""The momentary state of a repository, which does not recur."""
_VERSIONS = lazy_pattern(r"\b(?:git|hg|jj|svn)\b")
_PROGRESS = lazy_pattern(
    r"\W*(?:\[?\d+/\d+\]?\W|\d{1,3}\s?%|\w+ing\b[^\n]*?(?:\(\d+/\d+\)|\d{1,3}\s?%|\.{3}|…))[^\n:]*",
    re.IGNORECASE,
)
"""A progress line of a command, which alone is not an error."""
_STARTS = lazy_pattern(
    r"\b(?:docker(?:[ -]compose)? (?:\S+ )*?(?:up|start|run)|systemctl (?:\S+ )*?(?:re)?start|"
    r"service \S+ (?:re)?start|brew services|pg_ctl|redis-server|postgres|mysqld|"
    r"(?:npm|pnpm|yarn|bun|pip3?|uv|poetry|cargo|go|gem|bundle|apt(?:-get)?|brew|dnf|apk|"
    r"conda) (?:\S+ )*?(?:install|add|sync|ci|i|get|update|mod|download)|"
    r"nvm use|fnm use|asdf (?:install|local)|mise (?:install|use)|export|source|login|ssh-add|chmod|chown|"
    r"mkdir|git (?:fetch|submodule|lfs)|kill|fuser|"
    r"make (?:setup|deps|install|bootstrap|services|up|db\S*)|rustup|corepack|eval|start|up|migrate|"
    r"generate|init|build)\b"
)
_LOOKS = lazy_pattern(
    r"^(?:cd \S+\s*(?:&&|;)\s*)?(?:ls|cat|head|tail|grep|rg|find|pwd|echo|which|type|ps|env|printenv|"
    r"whoami|stat|file|wc|sed -n|git (?:status|log|diff|show|branch)|"
    r"docker (?:ps|logs|images|inspect)|df|du|lsof|netstat|ss|ping|dig|nslookup|man|tree|less|date|test|"
    r"kubectl (?:get|describe|logs))\b"
)
_WRAPPERS = frozenset(
    """sudo env time npx pnpx bunx uvx uv run poetry pipenv bundle exec nohup command python python3 -m node yarn pnpm
    npm bun docker compose dlx""".split()
)
_PREPARES = frozenset(("cd", "export", "source", "set", "echo"))
_WORDS = lazy_pattern(r"[A-Za-z0-9_./@:-]+")
_ANSI = lazy_pattern(r"\x1b\[[0-9;?]*[A-Za-z]")


class Failures:
    """The failures of one conversation that wait for a fix."""

    def __init__(self) -> None:
        self._waiting: deque[_Failure] = deque(maxlen=REMEMBERED)
        self._calls = 0
        self._told: set[str] = set()

    def see(self, turn: Turn) -> list[Fix]:
        """Add a call of a tool; return the fixes of earlier failures that it shows (K-36, K-37)."""
        self._calls += 1
        if turn.rejected:
            return []
        command = " ".join(turn.command.split())
        if _EDITS.search(turn.tool) and not _SHELLS.search(turn.tool):
            for failure in self._waiting:
                failure.between.append("")
            return []
        if not command or len(command) > LONGEST_COMMAND or (turn.tool and not _SHELLS.search(turn.tool)):
            return []
        error = _error_in(turn)
        if turn.failed and _VERSIONS.search(command) and _OF_THE_MOMENT.search(turn.text[:20_000]):
            return []
        if error:
            self._fail(command, error)
        if error or turn.failed:
            return []
        return self._succeed(command, turn.tool)

    def _fail(self, command: str, error: str) -> None:
        if _TESTS.search(error) and not _ENVIRONMENT.search(error):
            return
        known = next((one for one in self._waiting if one.command == command), None)
        if known is not None:
            known.at, known.error = self._calls, error
            return
        environment = _ENVIRONMENT.search(error) is not None
        self._waiting.append(_Failure(command, error, self._calls, environment=environment))

    def _succeed(self, command: str, tool: str) -> list[Fix]:
        found: list[Fix] = []
        for failure in list(self._waiting):
            if self._calls - failure.at > WITHIN:
                self._waiting.remove(failure)
                continue
            if command == failure.command:
                self._waiting.remove(failure)
                steps = [step for step in failure.between if step]
                if (
                    failure.environment
                    and len(failure.between) == len(steps)
                    and steps
                    and failure.error not in self._told
                ):
                    found.append(Fix(command, failure.error, steps[-1], prepares=True, tool=tool))
                    self._told.add(failure.error)
                continue
            if _LOOKS.match(command):
                continue
            if _changed(failure.command, command):
                self._waiting.remove(failure)
                if failure.error not in self._told:
                    found.append(Fix(failure.command, failure.error, command, prepares=False, tool=tool))
                    self._told.add(failure.error)
            elif failure.environment and _STARTS.search(command):
                failure.between.append(command)
        return found


def _error_in(turn: Turn) -> str:
    """Return the error line, or ""."""
    if turn.failed is False:
        return ""
    text = _ANSI.sub("", turn.text[:20_000])
    if "\r" in text:
        text = "\n".join(line.rstrip("\r").rpartition("\r")[2] for line in text.split("\n"))
    environment = _ENVIRONMENT.search(text)
    if environment is not None:
        begin = text.rfind("\n", 0, environment.start()) + 1
        end = text.find("\n", environment.end())
        said = text[begin : end if end >= 0 else len(text)]
    elif (error := _ERROR.search(text)) is not None:
        said = error.group()
    else:
        told = (
            line
            for line in text.splitlines()
            if line.strip() and not _PROGRESS.fullmatch(line[:LONGEST_COMMAND])
        )
        said = next(told, "") if turn.failed else ""
    if (
        turn.failed is None
        and environment is None
        and not re.search(r"(?i)\b(?:error|fatal|exit (?:code|status) [1-9])", text)
    ):
        return ""
    return _short(said)


def _short(said: str) -> str:
    said = " ".join(said.replace("`", "'").split())
    said = re.sub(r"^(?:<error>|Error:\s(?=\S*Error)|npm ERR!\s*|\[?ERROR\]?:?\s+)", "", said)
    if len(said) > LONGEST_ERROR:
        at = _ENVIRONMENT.search(said)
        begin = max(0, at.start() - 40) if at is not None else 0
        said = said[begin : begin + LONGEST_ERROR].strip()
    return said.replace("</error>", "").strip(" .")


def _changed(one: str, other: str) -> bool:
    """Return whether a command is a changed form of another one: some part of both does the same job."""
    ours, theirs = _jobs(one), _jobs(other)
    return any(_same_job(mine, yours) for mine in ours for yours in theirs)


def _jobs(command: str) -> list[list[str]]:
    """Return the words of each part of a command, without wrappers; leave out preparations such as `cd`."""
    parts = re.split(r"&&|\|\||;", command)
    jobs = [
        [word for word in _WORDS.findall(part) if word not in _WRAPPERS and "=" not in word] for part in parts
    ]
    return [job for job in jobs if job and job[0] not in _PREPARES]


def _same_job(one: list[str], other: list[str]) -> bool:
    """Return whether two commands have the same program and subcommand, or the same object, and are similar.

    Similar commands share half of the shorter one's words. Another program does the same job if the rest of its
    command is the same, with the subcommand or a part of the name: `cargo build` and `cross build`.
    """
    if one[0] != other[0] and one[0] not in other and other[0] not in one:
        same = _objects(one) == _objects(other)
        return same and (len(_objects(one)) > 1 if _subcommand(one) else _are_akin(one[0], other[0]))
    first, second = _subcommand(one), _subcommand(other)
    if one[0] == other[0] and first and second and first != second and not (_objects(one) & _objects(other)):
        return False
    return len(set(one) & set(other)) * 2 >= min(len(set(one)), len(set(other)))


def _are_akin(one: str, other: str) -> bool:
    """Return whether the names of two programs share four consecutive letters, as pdflatex and latexmk do."""
    return any(one[at : at + 4] in other for at in range(len(one) - 3))


def _objects(words: list[str]) -> set[str]:
    """Return the words of a command with a letter or digit, without its program and options."""
    return {word for word in words[1:] if re.match(r"[./~]*\w", word)}


def _subcommand(words: list[str]) -> str:
    """Return the plain word after a program's name and options ("push" of `git -q push`), or ""."""
    word = next((word for word in words[1:] if not word.startswith("-")), "")
    return word if re.fullmatch(r"[a-z]+(?:-[a-z]+)*", word) else ""
