"""A transport that is a git remote: each chain is a ref, and the notes are one more.

Implements specs/team.md (TM-71…TM-75). An update is a fast-forward push, which the remote accepts from one of two senders; the
other fetches, compares and pushes again. To blank is to push a commit without parents in place of what stood there.

```
refs/muniment/<team id>/<genesis, 40 digits>    0000000/0000000000.jsonl  0000001/0000001024.jsonl …
refs/muniment/<team id>/notes                   <kind>/<name>
```

The first line of a commit's message is the whole id of the genesis.
"""

from __future__ import annotations

import contextlib
import secrets
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from transports.git_address import GitAddress
from transports.git_command import PATIENCE
from transports.git_memory import CacheMemory
from transports.git_remote import GitRemote, RefusedError
from transports.git_repository import CacheRepository, GitTip
from transports.git_trees import notes_in, segment_path, segments_from, spans
from transports.places import (
    Spans,
    check_chain,
    check_kind,
    check_note,
    check_team,
    checked_segments,
    is_chain,
    is_note,
    line_count,
    reached,
)
from transports.protocol import MOST_BYTES, MOST_NOTE_BYTES, Segment, TakenError, UnreachableError

_TRIES = 6
_ELSEWHERE = "The old bytes stay in {} until it collects garbage, and in every clone."
"""A residue that this machine cannot remove."""
_ON_BRANCHES = (
    "{} takes no refs of our own, so the chains are branches, muniment/…, which people see among theirs."
)


class _File(NamedTuple):
    """A file to put: its path in the tree, its bytes, and its place as a TakenError names it."""

    path: str
    data: bytes
    chain: str
    first: int


class GitTransport:
    """The segments and notes of one team in a git remote.

    Args:
        address: what git is given.
        team: the team id.
        cache: a folder for a private repository; deleting it costs only time.
        patience: seconds that one git command may take.
    """

    def __init__(self, address: str, team: str, cache: Path, *, patience: float = PATIENCE) -> None:
        check_team(team)
        remote = GitAddress(address)
        self.address = remote.shown
        self._spaces = f"refs/muniment/{team}", f"refs/heads/muniment/{team}"
        self._repository = CacheRepository(cache, patience)
        self._remote = GitRemote(self._repository, remote, self._spaces)
        self._cache = cache
        self._memory = CacheMemory(cache)
        self._known: dict[str, GitTip] | None = None
        self._fetched = self._grew = False

    @property
    def on_branches(self) -> bool:
        """Whether the host refused refs of our own, so that chains are branches; known after the first refusal."""
        return self._memory.branches == self.address

    @property
    def remark(self) -> str:
        """Return a remark if chains are branches; known after `heads`."""
        return _ON_BRANCHES.format(self.address) if self.on_branches else ""

    def heads(self) -> dict[str, int]:
        """Fetch, and read what is new."""
        with self._turn():
            tips = self._fetch()
            self._forget_what_was_replaced(tips)
            chains = [
                tip
                for ref, tip in tips.items()
                if is_chain(tip.subject) and ref.rpartition("/")[2] == tip.subject[:40]
            ]
            covered = spans(self._repository, {tip.commit for tip in chains}, self._memory.spans)
            found: dict[str, Spans] = {}
            for tip in chains:
                found.setdefault(tip.subject, []).extend(covered[tip.commit])
        return {chain: head for chain, lines in found.items() if (head := reached(lines))}

    def since(self, chain: str, seq: int) -> Iterator[Segment]:
        """Read what was fetched last, a few megabytes at a time."""
        check_chain(chain)
        with self._turn():
            commits = [tip.commit for tip in self._tips_of(chain[:40]).values()]
            found = segments_from(self._repository, commits, seq)
        return self._read(found, seq)

    def put(self, chain: str, segments: Sequence[Segment]) -> None:
        """Put all segments by one push."""
        wanted = checked_segments(chain, segments)
        self._add(
            chain[:40], chain, [_File(segment_path(first), data, chain, first) for first, data in wanted]
        )

    def blank(self, chain: str, segment: Segment) -> str:
        """Push the chain's segments, this one replaced, as a commit without parents; remove the old bytes from the cache."""
        [(first, data)] = checked_segments(chain, [segment])
        file = _File(segment_path(first), data, chain, first)
        with self._turn():
            self._fetch()
            for _ in self._tries():
                if all(self._replace(ref, tip, file) for ref, tip in self._tips_of(chain[:40]).items()):
                    break
            self._forget_what_was_replaced(self._fetch())
        self.put(chain, [segment])
        return _ELSEWHERE.format(self.address)

    def compact(self, chain: str, segment: Segment) -> None:
        """Do nothing: the tip of a ref names the current lines, and git packs the objects."""

    def put_note(self, kind: str, name: str, data: bytes) -> None:
        """Put a note by a push of the ref that holds all notes."""
        check_note(kind, name, data)
        self._add("notes", "notes", [_File(f"{kind}/{name}", data, f"{kind}/{name}", 0)])

    def notes(self, kind: str) -> Iterator[tuple[str, bytes]]:
        """Read what was fetched last."""
        check_kind(kind)
        with self._turn():
            commits = [tip.commit for tip in self._tips_of("notes").values()]
            found = [each for each in notes_in(self._repository, commits, kind) if is_note(each[0])]
        objects = self._repository.objects([name for _, name in found], MOST_NOTE_BYTES)
        return (
            (name, each.data) for (name, _), each in zip(found, objects, strict=True) if each and each.data
        )

    def wait(self, seconds: float) -> bool:
        """Wait: nothing tells of a change."""
        time.sleep(seconds)
        return False

    def close(self) -> None:
        """Pack the repository if it has grown."""
        self._repository.close()
        if self._grew:
            with contextlib.suppress(UnreachableError), self._turn():
                self._repository.tidy()

    def _read(self, found: list[tuple[int, str]], seq: int) -> Iterator[Segment]:
        objects = self._repository.objects([name for _, name in found], MOST_BYTES)
        for (first, _), each in zip(found, objects, strict=True):
            if each and line_count(each.data) and (segment := Segment(first, each.data)).end > seq:
                yield segment

    # --- putting ---

    def _add(self, name: str, message: str, files: Sequence[_File]) -> None:
        """Add files to the tree of a ref, but for those whose bytes stand there."""
        with self._turn():
            for _ in self._tries():
                lacking = self._lacking(name, files)
                if not lacking or self._grow(name, message, lacking):
                    return

    def _lacking(self, name: str, files: Sequence[_File]) -> dict[str, bytes]:
        """Return the paths and bytes of the files that do not stand there.

        Raises:
            TakenError: other bytes stand in the place of one.
        """
        commits = [tip.commit for tip in self._tips_of(name).values()]
        asked = [(commit, file.path) for file in files for commit in commits]
        found = self._repository.objects([f"{commit}:{path}" for commit, path in asked], MOST_NOTE_BYTES)
        standing: dict[str, list[bytes]] = {file.path: [] for file in files}
        for (_, path), each in zip(asked, found, strict=True):
            standing[path] += [each.data] if each else []
        lacking: dict[str, bytes] = {}
        for path, data, chain, first in files:
            if not standing[path]:
                lacking[path] = data
                standing[path] = [data]
            elif data not in standing[path]:
                raise TakenError(chain, first, standing[path][0])
        return lacking

    def _grow(self, name: str, message: str, files: dict[str, bytes]) -> bool:
        """Push a commit with more files; use a branch if the host refuses other refs. Return False if another push was faster."""
        own, branches = self._spaces
        for space in (branches,) if self.on_branches else (own, branches):
            ref = f"{space}/{name}"
            tip = self._tips_of(name).get(ref)
            commit = self._repository.commit(message, files, parent=tip.commit if tip else "")
            try:
                done = self._push(ref, commit, message)
            except RefusedError:
                if space == branches:
                    raise
            else:
                self._memory.branches = self.address if space == branches else ""
                return done
        raise AssertionError("the last space returns or raises")

    def _replace(self, ref: str, tip: GitTip, file: _File) -> bool:
        """Push a commit without parents in which the file has other bytes. Return False if another push was faster."""
        names = [f"{tip.commit}^{{tree}}", f"{tip.commit}:{file.path}"]
        tree, standing = self._repository.objects(names, MOST_BYTES)
        if tree is None or standing is None or standing.data == file.data:
            return True
        commit = self._repository.commit(file.chain, {file.path: file.data}, tree=tree.name)
        return self._push(ref, commit, file.chain, replaces=tip.commit)

    def _push(self, ref: str, commit: str, message: str, *, replaces: str = "") -> bool:
        self._memory.commits.add(commit)
        self._memory.store()
        done = self._remote.push(commit, ref, replaces=replaces)
        if done:
            self._grew = True
            self._tips()[ref] = GitTip(commit, message)
        return done

    def _tries(self) -> Iterator[None]:
        """Yield a few tries, a short while and a fetch between two of them."""
        for attempt in range(_TRIES):
            if attempt:
                time.sleep(secrets.randbelow(50 << attempt) / 1000)
                self._fetch()
            yield
        raise UnreachableError(f"Other machines pushed to {self.address} faster, {_TRIES} times: try again.")

    # --- what the remote has ---

    def _fetch(self) -> dict[str, GitTip]:
        """Fetch all refs of the team; return them."""
        self._remote.fetch()
        self._fetched, self._known = True, None
        return self._tips()

    def _tips(self) -> dict[str, GitTip]:
        """Return all refs of the team as they were fetched last, by this process or another."""
        if not self._fetched:
            return self._fetch()
        if self._known is None:
            self._known = self._repository.tips(*self._spaces)
        return self._known

    def _tips_of(self, name: str) -> dict[str, GitTip]:
        """Return the refs of a chain, or of the notes, in either space."""
        tips = self._tips()
        return {ref: tips[ref] for space in self._spaces if (ref := f"{space}/{name}") in tips}

    def _forget_what_was_replaced(self, tips: dict[str, GitTip]) -> None:
        """Remove from the cache what the remote replaced, as an erase does, by another machine's push or one's own."""
        now = {tip.commit for tip in tips.values()}
        gone = self._memory.commits - now
        self._grew = self._grew or bool(now - self._memory.commits)
        kept = gone and self._repository.left_behind(gone, now) and not self._repository.collect()
        self._memory.commits = now | gone if kept else now

    @contextlib.contextmanager
    def _turn(self) -> Iterator[None]:
        """Keep other processes out of the cache, see what they changed, and remember what is found."""
        with self._repository.turn() as is_new:
            self._fetched = self._fetched and not is_new
            self._known = None
            self._memory = CacheMemory(self._cache)
            try:
                yield
            finally:
                self._memory.store()
