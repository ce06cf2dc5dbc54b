"""Lives of a project on three machines: learning, editing, pulling, merging, older commits, in any order.

A life is drawn from a seed, so that one that went wrong can be lived again. Two things are held against every step:
no delete is signed of what nobody deleted, and no command takes a line that stands out of all documents at once.
What was learned at a machine stands there until somebody takes it out or writes something else over it.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from tests.cli.driver import Result
from tests.documents.adopting.in_git import git
from tests.documents.adopting.machine import Machine, cloned, founded, write
from tests.projections.house import tree

_WORDS = (
    "queue cache login deploy nginx redis schema linter parser worker invoice billing router socket".split()
)
_SECTIONS = ("Workflow", "Tool Usage", "Error Patterns", "Architecture Decisions")
_OTHERS = (("Me", "me@example.org"), ("Ada", "ada@example.org"), ("Me", "me@example.org"))
_ROUNDS = 12
"""After so many rounds machines have nothing new for each other, or never."""
_PLAIN = re.compile(r"- (?!\[)[^:]+ rule [0-9]+[a-h]\.\n")
_QUOTES = re.compile(rb": \xe2\x80\x9c.*$", re.MULTILINE)
_MARKS = ("<<<<<<<", "=======", ">>>>>>>", "|||||||")


class Life:
    """A project on three machines, of one person or of two.

    Args:
        base: where the machines' folders lie.
        seed: what the life is drawn from.
        people: one, or two, of whom the second has one machine.
        editing: how often lines are edited as people edit them, beside seven memories that are learned.
    """

    def __init__(self, base: Path, seed: int, people: int, editing: int = 0) -> None:
        self._random = random.Random(seed)
        self._base = base
        self._editing = editing
        self._number = self._joined = 0
        self._hub = base / "hub"
        first = founded(base / "m0" / "house")
        (first.folder / "config.toml").write_text("max_lines_per_file = 14\n")
        first("add", "Founding rule zero").ok()
        first.commit("one")
        git(base, "init", "-q", "--bare", "-b", "main", "hub")
        first.git("remote", "add", "origin", str(self._hub))
        first.git("push", "-q", "origin", "main")
        self._whose = _OTHERS if people == 2 else _OTHERS[:1] * 3
        self.machines = [first, *(cloned(self._hub, base / f"m{at}", self._whose[at]) for at in (1, 2))]
        self._learned: list[set[str]] = [set(), set(), set()]
        self._deleted: set[str] = set()
        self._texts: dict[str, str] = {}
        self.story: list[str] = []

    def step(self) -> None:
        """Do one thing on one machine, and look whether all is well there."""
        at = self._random.randrange(3)
        machine = self.machines[at]
        steps: dict[Callable[[int], None], float] = {
            self._add: 7,
            self._type: 1,
            self._make: 1,
            self._commit: 1,
            self._sync: 4,
            self._adopt: 1,
            self._look_back: 1,
            self._stash: 1,
            self._forget: 1,
            self._join: 1,
            self._edit: self._editing,
            self._confirm: self._editing,
            self._consolidate: self._editing / 4,
        }
        self._number += 1
        step = self._random.choices(list(steps), list(steps.values()))[0]
        self._tell(at, step.__name__)
        step(at)
        texts = set(machine.texts())
        for row in machine("log", "--json").json_lines:
            gone = self._says(machine, row["targets"]) if row["kind"] == "delete" else set()
            wrong = gone - self._deleted - texts  # one of two that say the same may go
            assert not wrong, self._told(f"taken out at m{at} by nobody: {wrong}")
        missing = self._learned[at] - self._deleted - texts
        assert not missing, self._told(f"learned at m{at}, and gone: {missing}")

    def settle(self) -> None:
        """Let all machines pull until none has anything new, and look whether they show the same documents.

        One that has nothing new changes nothing. All say the same, and where no merge left a line twice their documents
        are equal.
        """
        for number in range(_ROUNDS):
            before = self._tip()
            for at in range(3):
                self._settle(at)
            self._tell(0, f"round {number}")
            if self._tip() == before:
                break
        told = [machine.git("status", "--short") for machine in self.machines]
        assert told == ["", "", ""], self._told(f"not settled: {told}")
        shown = [tree(machine.folder) for machine in self.machines]
        if self._editing:  # no document shows what was confirmed, which ranks what Links quotes (D-65)
            shown = [{path: _QUOTES.sub(b"", data) for path, data in each.items()} for each in shown]
        lines = [list(_lines(documents.values())) for documents in shown]
        assert set(lines[0]) == set(lines[1]) == set(lines[2]), self._told("not the same lines")
        if all(len(each) == len(set(each)) for each in lines):  # else a merge doubled one, and which is it?
            assert shown[0] == shown[1] == shown[2], self._told("not the same documents")

    def _settle(self, at: int) -> None:
        """Take in what the others have, have what a stash took away written again, and give it to them."""
        self._commit(at)
        self._git(at, "pull", "-q", "--no-rebase", "origin", "main")
        if self._under_way(self.machines[at]):
            self._resolve(self.machines[at])
            self.machines[at].git("add", "-A")
            self._git(at, "commit", "-qm", "merge")
        for line in self._run(at, "adopt").out.splitlines():
            path, _, why = line.partition(": ")
            if why.startswith("it was deleted"):
                self._run(at, "replay", path)
        self._commit(at)
        self._git(at, "push", "-q", "origin", "main")

    def _tip(self) -> str:
        return git(self._hub, "rev-parse", "main")

    # --- what is done ---

    def _join(self, at: int) -> None:
        """Lose a machine but the first, and join on another one."""
        if at:
            self._joined += 1
            self.machines[at] = cloned(self._hub, self._base / f"j{self._joined}", self._whose[at])
            self._learned[at] = set()

    def _add(self, at: int) -> None:
        text = self._text()
        ways: list[tuple[str, ...]] = [("--section", section) for section in _SECTIONS]
        ways += [(), (), ("--topic", f"infra/{self._random.choice(_WORDS[:2])}"), ("--tier", "daily")]
        self._run(at, "add", text, *self._random.choice(ways)).ok()
        self._learned[at].add(text)

    def _type(self, at: int) -> None:
        machine = self.machines[at]
        lines = machine.read().splitlines(keepends=True)
        headings = [number for number, line in enumerate(lines) if line.startswith("## ")]
        if not headings or any(line.startswith(_MARKS) for line in lines):
            return
        text = self._text()
        lines.insert(headings[0] + 2, f"- {text}\n")
        (machine.folder / "MEMORY.md").write_text("".join(lines))
        self._run(at, "adopt")
        self._learned[at].add(text)

    def _make(self, at: int) -> None:
        machine, text = self.machines[at], self._text()
        path = f"memory/{self._random.choice(_WORDS)}-{self._random.choice(_WORDS)}.md"
        if machine.read(path):
            return
        write(machine.folder, {path: f"# Made\n\nSome text {self._number}.\n\n- {text}\n"})
        self._run(at, "adopt")
        self._learned[at].add(text)

    def _forget(self, at: int) -> None:
        machine = self.machines[at]
        rows = [row for row in machine("list", "--json").json_lines if " rule " in row["text"]]
        if rows:
            row = self._random.choice(rows)
            self._deleted.add(row["text"])
            self._run(at, "delete", row["id"])

    def _edit(self, at: int) -> None:
        """Edit a line of MEMORY.md or of an overflow file as people do: join, split, nest, wrap, change, cut and paste."""
        machine = self.machines[at]
        paths = [path for path in machine.folder.rglob("*.md") if "memories" not in path.parts]
        path = self._random.choice(sorted(paths))
        lines = path.read_text().splitlines(keepends=True)
        plain = [number for number, line in enumerate(lines) if _PLAIN.fullmatch(line)]
        if not plain or any(line.startswith(_MARKS) for line in lines):
            return
        first = self._random.choice(plain)
        kind = self._random.choice(("join", "split", "nest", "wrap", "change", "paste"))
        self._tell(at, f"{kind} {path.name} {first}: {lines[first].strip()}")
        said = lines[first][2:-1]
        other = lines[first + 1][2:-1] if first + 1 in plain else ""
        if kind in ("join", "nest") and not other:
            return
        words = said.split()
        behind = first + 1 + (kind in ("join", "nest"))
        written, gone = {
            "join": ([f"{said} {other}"], {said, other}),
            "split": ([" ".join(words[:2]), " ".join(words[2:])], {said}),
            "nest": ([f"{said}\n  - {other}"], {other}),
            "wrap": ([" ".join(words[:3]) + "\n  " + " ".join(words[3:])], set[str]()),
            "change": ([f"{said[:-1]}, mostly."], {said}),
            "paste": ([], {said}),
        }[kind]
        known = set(self._deleted)
        self._deleted |= gone
        path.write_text("".join([*lines[:first], *(f"- {text}\n" for text in written), *lines[behind:]]))
        self._run(at, "adopt")
        self._learned[at] |= {text for text in written if "\n" not in text}
        now = path.read_text().splitlines(keepends=True) if path.exists() else []
        headings = [number for number, line in enumerate(now) if line.startswith("## ")]
        if kind == "paste" and headings:
            now.insert(headings[0] + 2, f"- {said}\n")
            path.write_text("".join(now))
            self._run(at, "adopt")
            self._deleted = known

    def _confirm(self, at: int) -> None:
        rows = self.machines[at]("list", "--json").json_lines
        if rows:
            self._run(at, "confirm", self._random.choice(rows)["id"])

    def _consolidate(self, at: int) -> None:
        """Merge what says the same: what was one's text is a text or detail of another."""
        machine = self.machines[at]
        before = set(machine.texts())
        self._run(at, "consolidate", "--yes")
        rows = machine("list", "--json").json_lines
        there = {text for row in rows for text in (row["text"], *row.get("details", ()))}
        merged = before - set(machine.texts())
        self._deleted |= merged
        lost = {text for text in merged if not any(_same(text, other) for other in there)}
        assert not lost, self._told(f"merged at m{at}, and gone: {lost}")

    def _commit(self, at: int) -> None:
        machine = self.machines[at]
        machine.git("add", "-A")
        if machine.git("status", "--porcelain"):
            machine.commit(f"m{at} {self._number}")

    def _adopt(self, at: int) -> None:
        self._run(at, "adopt")

    def _sync(self, at: int) -> None:
        machine = self.machines[at]
        self._commit(at)
        way = "--rebase" if self._random.random() < 0.25 else "--no-rebase"
        self._tell(at, way)
        self._git(at, "pull", "-q", way, "origin", "main")
        for _ in range(8):
            if not self._under_way(machine):
                break
            if self._random.random() < 0.3:
                self._add(at)
            self._resolve(machine)
            machine.git("add", "-A")
            self._git(at, *(("rebase", "--continue") if way == "--rebase" else ("commit", "-qm", "merge")))
        if self._under_way(machine):
            self._git(at, "rebase", "--skip")
        if self._random.random() < 0.7:
            self._run(at, "adopt")
        if self._random.random() < 0.7:
            self._commit(at)
            self._git(at, "push", "-q", "origin", "main")

    def _look_back(self, at: int) -> None:
        self._commit(at)
        if not self._git(at, "checkout", "-q", "HEAD~1"):
            return
        self._add(at)
        self.machines[at].git("stash", "-q", "--include-untracked")
        self.machines[at].git("checkout", "-q", "main")
        if self._random.random() < 0.5:
            self._git(at, "stash", "drop", "-q")

    def _stash(self, at: int) -> None:
        machine = self.machines[at]
        machine.git("stash", "-q")
        self._add(at)
        machine.git("checkout", "-q", "--", ".")
        if not self._git(at, "stash", "pop", "-q"):
            machine.git("checkout", "-q", "HEAD", "--", ".")
            self._git(at, "stash", "drop", "-q")
            machine.git("reset", "-q")

    # --- how it is done ---

    def _text(self) -> str:
        words = " ".join(self._random.choice(_WORDS) for _ in range(3))
        return f"{words} rule {self._number}{'abcdefgh'[self._random.randrange(8)]}."

    def _run(self, at: int, *args: str) -> Result:
        machine = self.machines[at]
        before = machine.written()
        done = machine(*args)
        self._tell(at, f"{' '.join(args)} -> {done.code}\n{done.out}{done.err}")
        assert "Traceback" not in done.err
        after = machine.written()
        lost = [text for text in machine.texts() if text in before and text not in after]
        assert not lost, self._told(f"out of all documents of m{at} after {args}: {lost}")
        return done

    def _git(self, at: int, *args: str) -> bool:
        """Run git, which may fail; say whether it did not."""
        try:
            self.machines[at].git(*args)
        except AssertionError as error:
            self._tell(at, f"git {' '.join(args)} failed: {str(error)[:300]}")
            return False
        self._tell(at, f"git {' '.join(args)}")
        return True

    @staticmethod
    def _under_way(machine: Machine) -> bool:
        state = machine.root / ".git"
        return any((state / name).exists() for name in ("MERGE_HEAD", "rebase-merge", "rebase-apply"))

    def _resolve(self, machine: Machine) -> None:
        """Resolve conflicts as people do: both sides, or one of them."""
        for name in machine.git("diff", "--name-only", "--diff-filter=U").split():
            path = machine.root / name
            if not path.exists():
                continue
            lines = path.read_text().splitlines(keepends=True)
            path.write_text("".join(line for line in lines if not line.startswith(_MARKS)))

    def _says(self, machine: Machine, ids: Iterable[str]) -> set[str]:
        new = [id_ for id_ in ids if id_ not in self._texts]
        self._texts.update((id_, machine("show", id_, "--json").json["text"]) for id_ in new)
        return {self._texts[id_] for id_ in ids}

    def _tell(self, at: int, what: str) -> None:
        self.story.append(f"m{at} {what}")

    def _told(self, wrong: str) -> str:
        return "\n".join([*self.story[-60:], wrong])


def _same(one: str, other: str) -> bool:
    return one.rstrip(".,;:!").casefold() == other.rstrip(".,;:!").casefold()


def _lines(documents: Iterable[bytes]) -> Iterator[str]:
    """Give the bullets and paragraphs of documents, but for our Links."""
    for data in documents:
        for line in data.decode().splitlines():
            if line.startswith(("- ", "Some text ")) and not line.startswith("- ["):
                yield line
