"""What commands show of events that another machine wrote (TM-2), and what they leave to that machine."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from ledger.memory import Memory
from tests.cli.driver import Result, run
from tests.writers.machines import Machine

AHEAD = 3_600_000_000


@pytest.fixture
def laptop(tmp_path: Path) -> Iterator[Machine]:
    machine = Machine(tmp_path, "laptop")
    yield machine
    machine.close()


@pytest.fixture
def desk(laptop: Machine, tmp_path: Path) -> Iterator[Machine]:
    """Another machine, which learned something and confirmed what the laptop had learned."""
    machine = Machine(tmp_path, "desk", AHEAD)
    npm = laptop.memory.store(Memory("Use npm")).id
    machine.fetch(laptop)
    machine.memory.store(Memory("Answer in French"))
    machine.memory.confirm([npm], "still so")
    laptop.fetch(machine)
    yield machine
    machine.close()


def on(machine: Machine, *words: object, person: bool = False) -> Result:
    """Run a command on a machine, as a person at a terminal or as a script."""
    home, state = machine.directory, machine.state.path
    env = {"MUNIMENT_HOME": str(home), "MUNIMENT_STATE": str(state)}
    return run(*words, "--ledger", home, env=env, terminal=person)


def test_the_log_names_the_writer_of_each_event_that_is_not_our_own(laptop: Machine, desk: Machine) -> None:
    said = on(laptop, "log").ok().out
    assert all(
        f"  {place} " in said for place in ("@0", "@1", *(f"desk/{desk.genesis[:8]}@{n}" for n in range(3)))
    )
    rows = on(laptop, "log", "--json").ok().json_lines
    assert [row["writer"] for row in rows if row["kind"] == "confirm"] == [
        {"id": desk.genesis, "name": "desk"}
    ]
    assert [row["writer"] for row in rows if row["what"] == "Use npm" and row["kind"] == "create"] == [None]


def test_show_gives_the_place_in_the_chain_that_holds_the_event_and_its_line(
    laptop: Machine, desk: Machine
) -> None:
    name = f"desk/{desk.genesis[:8]}@1"
    shown = on(laptop, "show", name).ok().out
    assert "Answer in French" in shown
    assert f"{name}, line 2" in shown
    assert on(laptop, "show", name, "--raw").ok().out.encode() == desk.chain.read_bytes().splitlines(True)[1]
    found = on(laptop, "show", name, "--json").ok().json
    assert (found["seq"], found["writer"]["name"]) == (1, "desk")
    confirm = f"desk/{desk.genesis[:8]}@2"
    assert f"{confirm}, line 3" in on(laptop, "show", confirm).ok().out
    (said,) = on(laptop, "show", "@1", "--json").ok().json["events"]
    assert said["writer"]["id"] == desk.genesis


@pytest.mark.parametrize(
    "command", [("list",), ("export",), ("search", "French"), ("list", "--status", "all")]
)
def test_json_of_memories_says_who_wrote_them(
    laptop: Machine, desk: Machine, command: tuple[str, ...]
) -> None:
    rows = on(laptop, *command, "--json").ok().json_lines
    writers = {row["text"]: row["writer"] for row in rows}
    assert writers.get("Use npm") is None
    assert writers["Answer in French"] == {"id": desk.genesis, "name": "desk"}


def test_blame_names_the_writer_of_a_line(laptop: Machine, desk: Machine) -> None:
    on(laptop, "replay").ok()
    rows = on(laptop, "blame", "MEMORY.md", "--json").ok().json_lines
    writers = {row["text"].strip(): row["writer"] for row in rows if row["id"]}
    assert [who["name"] for text, who in writers.items() if "French" in text] == ["desk"]
    assert [who for text, who in writers.items() if "npm" in text] == [None]


def test_status_tells_of_our_own_chain(laptop: Machine, desk: Machine) -> None:
    found = on(laptop, "status", "--json").ok().json
    assert (found["chain"]["events"], found["mark"]["state"]) == (2, "equal")
    assert found["memories"]["active"] == 2


def test_the_key_that_is_shown_is_our_own(laptop: Machine, desk: Machine) -> None:
    desk.memory.upkeep.rotate_key()
    laptop.fetch(desk)
    assert on(laptop, "key", "show", "--json").ok().json["genesis"] == laptop.genesis
    assert len(on(laptop, "key", "show", "--json").ok().json["keys"]) == 1
    found = on(laptop, "key", "rotate", "--stolen", "--first", f"{desk.genesis[:8]}@1")
    assert found.code == 4
    assert "run muniment key rotate there" in found.err


def test_what_another_machine_wrote_is_erased_there(laptop: Machine, desk: Machine) -> None:
    before = laptop.chain.read_bytes()
    name = f"desk/{desk.genesis[:8]}@1"
    alone = on(laptop, "erase", name, "--yes")
    assert (alone.code, name in alone.err, "run muniment erase there" in alone.err) == (4, True, True)
    mixed = on(laptop, "erase", "@1", "--yes")
    assert (mixed.code, f"desk/{desk.genesis[:8]}@2" in mixed.err) == (4, True), "a reason of the desk's"
    assert "--match" in mixed.err
    assert laptop.chain.read_bytes() == before
    assert laptop.memory.entry(name).memory.text == "Answer in French"


def test_a_text_that_others_wrote_too_is_named_and_stays_there(laptop: Machine, desk: Machine) -> None:
    own = laptop.memory.store(Memory("Ada says: Answer in French")).id
    name = f"desk/{desk.genesis[:8]}@1"
    found = on(laptop, "erase", "--match", "Answer in French", "--yes", person=True)
    assert (found.code, name in found.err) == (1, True)
    assert [laptop.memory.entry(id_).status for id_ in (own, name)] == ["erased", "active"]
    again = on(laptop, "erase", "--match", "Answer in French", "--yes", person=True)
    assert (again.code, name in again.err) == (4, True), "nothing of it is our own any more"
    assert b"Ada says" not in laptop.chain.read_bytes()


def test_what_another_machine_did_is_undone_here(laptop: Machine, desk: Machine) -> None:
    """A revert writes new events: it needs no chain but our own."""
    french = f"desk/{desk.genesis[:8]}@1"
    laptop.memory.store(Memory("Tabs"))
    desk.memory.delete([desk.memory.recall.resolve("@1")], "wrong")
    laptop.fetch(desk)
    assert on(laptop, "show", french, "--json").ok().json["status"] == "deleted"
    on(laptop, "revert", f"desk/{desk.genesis[:8]}@3", person=True).ok()
    assert "Answer in French" in on(laptop, "list").ok().out
    desk.fetch(laptop)
    assert "Answer in French" in on(desk, "list").ok().out
