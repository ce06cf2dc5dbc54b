"""An erase that dies once its event is on disk, before any copy is searched a second time."""

from __future__ import annotations

import pytest

import muniment


class Died(BaseException):
    """Ends an erase as a kill would: nothing of ours catches it."""


def erase_and_die(id_: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Erase a memory of the user's ledger, and die right behind the sync of the event."""

    def dies(step: str) -> None:
        if step == "erase.synced":
            raise Died

    with muniment.open() as memory, monkeypatch.context() as patch:
        patch.setattr("ledger.steps.observer", dies)
        with pytest.raises(Died):
            memory.erasures.erase([id_], "")
