"""Windows of conversations that a language model gave no answer for, kept until it does.

Implements specs/capture.md (K-119). One file a window in the state directory, synced before it counts as kept, beside the
outbox of proposals. They hold words of a conversation, without secrets: they go once there is an answer.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import orjson

from documents.scope import Scope
from learning import waiting_files
from learning.authorship import home_of
from learning.detection.language_model import Ask, ModelError
from learning.detection.model_extractor import propose
from learning.detection.windows import Window
from learning.intake import Taken, Taking
from learning.writer import ledger_id
from ledger.durable import storage_error
from ledger.errors import StorageError

MOST = 200
"""So many windows wait at most; the rules have spoken for each in any case."""


@dataclass(frozen=True, slots=True)
class WaitingWindow:
    """One file: the window that it holds and the model that was to be asked, or what is wrong with it."""

    path: Path
    window: Window | None
    model: str = ""
    fault: str = ""


class WaitingWindows:
    """The windows that wait for the ledgers that learn together.

    Args:
        state: the user's state directory.
        ledgers: the ids of these ledgers, in any order: what belongs to one project is not filed in another.
    """

    def __init__(self, state: Path, ledgers: Iterable[str]) -> None:
        together = hashlib.sha256("\n".join(sorted(ledgers)).encode()).hexdigest()[:32]
        self.folder = state / waiting_files.WINDOWS / together

    @classmethod
    def of(cls, scopes: Mapping[str, Scope]) -> WaitingWindows:
        """Return the windows that wait for these ledgers."""
        return cls(home_of(scopes).workspace.home.state, map(ledger_id, scopes.values()))

    def keep(self, window: Window, model: str) -> Path:
        """Keep a window; return once it is on disk.

        Raises:
            StorageError: the disk refused, or as many wait as may.
        """
        data = orjson.dumps({"model": model, **window.as_json()}, option=orjson.OPT_SORT_KEYS)
        try:
            if sum(1 for _ in self.folder.glob("*.json")) >= MOST:
                raise StorageError(f"{MOST} windows of conversations wait for a model: muniment upkeep retry")
            return waiting_files.put(self.folder, data)
        except OSError as error:
            path = waiting_files.path_of(self.folder, data)
            raise storage_error(error, "keeping a conversation's window", path, left="it is lost") from error

    def waiting(self) -> Iterator[WaitingWindow]:
        """Give what waits, the oldest first; a file that cannot be read stays and is named."""
        for path in waiting_files.oldest_first(self.folder):
            try:
                value = waiting_files.read(path)
                yield WaitingWindow(path, Window.from_json(value), str(value.get("model", "")))
            except FileNotFoundError:
                continue  # another process took it in
            except (TypeError, KeyError, AttributeError):
                yield WaitingWindow(path, None, fault="it cannot be read: it is no window")
            except (OSError, ValueError) as error:
                yield WaitingWindow(path, None, fault=f"it cannot be read: {waiting_files.why(error)}")

    def done(self, path: Path) -> None:
        """Forget a window that there was an answer for."""
        waiting_files.done(path)


def ask_again(waiting: WaitingWindows, ask_for: Callable[[str], Ask], taking: Taking) -> Iterator[Taken]:
    """Ask about each window that waits; give what became of what the model proposed.

    The rules spoke for it when it was heard, so what they said too is known. The first model that gives no answer ends
    it: nor would the next window get one.

    Args:
        waiting: the windows.
        ask_for: returns what asks the model of a name.
        taking: takes the proposals in.

    Raises:
        ModelError: there was no answer; that window and those behind it go on waiting.
        UsageError: the library, the model or its key is missing.
    """
    fault: ModelError | None = None
    for each in waiting.waiting():
        if each.window is None:
            continue
        try:
            proposals = propose(each.window, ask_for(each.model))
        except ModelError as error:
            if not error.answered:
                raise
            fault = error  # this window's answer is bad; the next one's need not be
            continue
        yield from taking.take(proposals)
        waiting.done(each.path)
    if fault is not None:
        raise fault
