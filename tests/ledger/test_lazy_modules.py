"""Modules that are put off are the same modules once something is asked of them (specs/doors.md G-5)."""

from __future__ import annotations

import subprocess
import sys
from importlib import import_module
from types import ModuleType

import pytest

from ledger.lazy_modules import MODULES, let_wait

NAME = "colorsys"


@pytest.fixture
def put_off(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.delitem(sys.modules, NAME, raising=False)
    let_wait([NAME])
    return sys.modules[NAME]


def test_an_import_loads_nothing_and_a_question_all(put_off: ModuleType) -> None:
    assert import_module(NAME) is put_off
    assert "hls_to_rgb" not in vars(put_off)
    assert put_off.hls_to_rgb(0, 1, 0) == (1, 1, 1)
    assert type(put_off) is ModuleType
    assert import_module(NAME) is put_off


def test_a_name_that_is_imported_from_it_is_there(put_off: ModuleType) -> None:
    from colorsys import ONE_THIRD

    assert put_off.ONE_THIRD == ONE_THIRD == 1 / 3


def test_what_it_does_not_have_is_missing(put_off: ModuleType) -> None:
    assert not hasattr(put_off, "nothing")
    assert put_off.ONE_THIRD == 1 / 3


def test_what_is_loaded_or_unknown_stays_as_it_is() -> None:
    import_module("json")
    before = dict(sys.modules)
    let_wait(["json", "no_such_module"])
    assert sys.modules == before


def test_every_one_exists() -> None:
    assert all(import_module(name) for name in MODULES)


THREADS = """
import threading
from ledger.lazy_modules import let_wait
let_wait(["inspect"])
import inspect
together = threading.Barrier(16)
failed = []
def ask():
    together.wait()
    try:
        inspect.signature, inspect.Parameter
    except AttributeError as error:
        failed.append(error)
threads = [threading.Thread(target=ask) for _ in range(16)]
for each in threads:
    each.start()
for each in threads:
    each.join(20)
assert not failed, failed
assert not any(each.is_alive() for each in threads)
"""


def test_threads_that_ask_at_once_all_find_it() -> None:
    """None sees a module that another thread has half loaded."""
    for _ in range(5):
        subprocess.run([sys.executable, "-c", THREADS], check=True, timeout=60)
