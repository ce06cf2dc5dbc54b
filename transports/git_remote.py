"""Fetches from a git remote and pushes to it, and understands what it answers.

Implements specs/team.md (TM-73, TM-75).
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from transports.git_address import GitAddress
from transports.git_command import Ran
from transports.git_repository import CacheRepository
from transports.protocol import UnreachableError

_NAME = "muniment-transport"
_STATUS = re.compile(r"^([ +*=!-])\t\S+:\S+\t(.*)$", re.MULTILINE)
_FASTER = re.compile(r"^\[rejected\]|\b(?:lock|failed to update ref|old value|already exists|transaction)\b")
"""What git says where another push moved the ref first: seen by this git, or by the host's."""
_MOVED = re.compile(r"cannot lock ref .* but expected ")
_FETCH = "fetch --quiet --prune --no-tags --no-write-fetch-head --no-recurse-submodules".split()
_PUSH = "push --porcelain --no-verify --no-signed --no-follow-tags --no-recurse-submodules".split()


class RefusedError(UnreachableError):
    """The host does not accept this ref."""


class GitRemote:
    """A remote, as one private repository sees it.

    Args:
        repository: keeps what was fetched, under the names that the refs have there.
        address: the remote.
        spaces: beginnings of the refs that are fetched.
    """

    def __init__(self, repository: CacheRepository, address: GitAddress, spaces: Sequence[str]) -> None:
        self._repository = repository
        self._address = address
        self._settings = ["-c", f"remote.{_NAME}.url={address.text}"]
        for space in spaces:
            self._settings += ["-c", f"remote.{_NAME}.fetch=+{space}/*:{space}/*"]

    def fetch(self) -> None:
        """Fetch all refs, those too that went back or away.

        Raises:
            UnreachableError: there was no answer.
        """
        ran = self._run(*_FETCH, _NAME)
        moved = ran.code and _MOVED.search(ran.err)  # by the git of a killed process, which is still running
        if moved or (ran.code and not self._repository.is_sound()):
            if not moved:
                self._repository.renew()
            ran = self._run(*_FETCH, _NAME)
        if ran.code:
            raise self._unreachable("fetch from", ran)

    def push(self, commit: str, ref: str, *, replaces: str = "") -> bool:
        """Push a commit; return False if another push was faster.

        Args:
            commit: descends from what the ref names there, unless it replaces that.
            ref: its full name.
            replaces: the commit that the ref must name now, in order to be replaced by one that does not descend from it.

        Raises:
            RefusedError: the host accepts no such ref, or no such push.
            UnreachableError: there was no answer.
        """
        lease = [f"--force-with-lease={ref}:{replaces}"] if replaces else []
        ran = self._run(*_PUSH, *lease, _NAME, f"{commit}:{ref}")
        found = _STATUS.search(ran.out.decode("utf-8", "replace"))
        if not found:
            raise self._unreachable("push to", ran)
        if found[1] != "!":
            return True
        if _FASTER.search(found[2]):
            return False
        said = self._address.words(f"{found[2]}\n{ran.err}")
        raise RefusedError(
            f"{self._address.shown} refuses {ref}: {said}; ask who runs it, or give another address."
        )

    def _run(self, *arguments: str) -> Ran:
        return self._repository.run(*self._settings, *arguments)

    def _unreachable(self, what: str, ran: Ran) -> UnreachableError:
        return UnreachableError(
            f"git cannot {what} {self._address.shown}: {self._address.words(ran.err)};"
            " check the address, the network and your access."
        )
