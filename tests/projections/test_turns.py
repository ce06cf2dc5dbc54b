"""Threads and forked processes that have one ledger object (specs/state.md S-14), in a process of their own."""

from __future__ import annotations

from tests import forking

_THREADS, _EACH = 4, 12
_PROGRAM = f"""
from threading import Thread

import muniment

memory = muniment.init()
faults = []


def work(number):
    try:
        for turn in range({_EACH}):
            made = memory.store(f"fact {{number}} {{turn}}")
            assert memory.search(f"fact {{number}} {{turn}}", limit=100)
            assert memory.recall.entry(made.id) in memory.load_all()
            if turn % 4 == number:
                memory.documents.adopt()
                assert f"fact {{number}} {{turn}}" in memory.format_for_prompt().text
                memory.upkeep.verify()
    except BaseException as error:
        faults.append(repr(error))


threads = [Thread(target=work, args=(number,)) for number in range({_THREADS})]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
print(faults, len(memory.load_all()), memory.upkeep.verify().sound)
memory.close()
"""


def test_threads_share_a_ledger(isolated: object) -> None:
    done = forking.run_python(["-c", _PROGRAM], timeout=120)
    assert (done.returncode, done.stdout) == (0, f"[] {_THREADS * _EACH} True\n"), done.stderr


_FORKING = """
import os

import muniment

memory = muniment.init()
memory.store("before")
child = os.fork()
if child == 0:
    try:
        memory.store("in the child")
    except muniment.UsageError as error:
        print(error, flush=True)
    with muniment.open() as own:
        own.store("in the child, opened there")
    os._exit(0)
os.waitpid(child, 0)
memory.store("after")
print(len(memory.load_all()), memory.upkeep.verify().sound)
"""


def test_a_forked_process_opens_a_ledger_of_its_own(isolated: object) -> None:
    done = forking.run_python(["-c", _FORKING], timeout=120)
    said = "this ledger was opened before the process forked: open it again in the new process"
    assert (done.returncode, done.stdout) == (0, f"{said}\n3 True\n"), done.stderr
