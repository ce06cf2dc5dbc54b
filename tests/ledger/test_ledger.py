"""Tests of ledger/ledger.py: what a writer may say, what becomes of it, and batches (S-9)."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from ledger.command import Command, Confirm, Create, Delete, Erase, Supersede
from ledger.draft import PART_BYTES
from ledger.errors import NotFoundError, RecordError, StateError
from ledger.event import By
from ledger.fold import Entry
from ledger.memory import Memory, Place, Provenance
from tests.ledger.world import ADA, Spoken, World, memories, refused, texts_of

BOT = By("claude", "agent", "mcp")


# --- the verbs ----------------------------------------------------------------------------------------------


def test_a_created_memory_is_there_as_it_was_said(world: World, ledger: Spoken) -> None:
    """All of it, in a new process as well."""
    memory = Memory(
        "text",
        details=("one", "two"),
        title="Title",
        body="first line\r\nsecond \U0001f642\n",
        place=Place("MEMORY.md", "a" * 64),
        topic="code/auth",
        when_to_use=("when logging in",),
        tags=("x", "y"),
        type="decision",
        section="Our Own",
        tier="committed",
        importance="critical",
        confidence=0.35,
        inferred=True,
        source="auto",
        status="candidate",
        category="error-pattern",
        provenance=Provenance(conversation="c", message="m", session="s", author="Grace", date="2026-11-20"),
        extra="key: [1, 2]\n",
        unknown={"later": {"a": [1, None]}},
    )
    done = ledger.create(memory, BOT)
    assert (done.known, done.redacted, done.erased) == (False, (), ())
    for each in (ledger, world.open()):
        texts_of(each)
        entry = each.view.entry(done.id)
        assert entry is not None
        assert entry.memory == memory
        assert (entry.by, entry.status, entry.seq) == (BOT, "candidate", 1)
    [event] = world.events()[1:]
    assert event.head["by"] == {"name": "claude", "role": "agent", "via": "mcp"}
    assert world.codes() == []


def test_a_life_of_a_memory(world: World, ledger: Spoken) -> None:
    """Learned, confirmed, corrected, deleted, brought back, merged, erased."""
    one = ledger.create(Memory("one", status="candidate"), ADA).id
    ledger.confirm([one], ADA, "seen again")
    two = ledger.supersede([one], Memory("two"), ADA).id
    ledger.delete([two], ADA, "not so")
    back = ledger.supersede([two], Memory("two"), ADA).id
    other = ledger.create(Memory("other"), ADA).id
    both = ledger.supersede([back, other], Memory("two and other"), ADA).id
    assert texts_of(ledger) == ["two and other"]
    erased = ledger.erase([both], ADA, "private")
    assert texts_of(ledger) == []
    assert set(erased.erased) == {event.id for event in world.events()[1:-1]}
    assert [event.kind for event in world.events()] == [
        "genesis", "create", "confirm", "supersede", "delete", "supersede", "create", "supersede", "erase",
    ]  # fmt: skip
    assert world.codes() == []
    data = world.path.read_bytes()
    for text in (b"two", b"other", b"seen again", b"not so"):
        assert text not in data
    assert b"private" in data  # the erase's own reason stands


def test_erasing_one_event_leaves_the_rest_of_its_family(world: World, ledger: Spoken) -> None:
    """Without `family` only what is named."""
    one = ledger.create(Memory("one"), ADA).id
    two = ledger.supersede([one], Memory("two"), ADA).id
    assert ledger.erase([one], ADA, family=False).erased == (one,)
    assert texts_of(ledger) == ["two"]
    assert (b'"one"' in world.path.read_bytes(), b'"two"' in world.path.read_bytes()) == (False, True)
    assert ledger.erase([two], ADA).erased == (two,)


def test_the_reason_of_a_delete_can_be_erased_alone(world: World, ledger: Spoken) -> None:
    """An erase may name any event that carries text."""
    one = ledger.create(Memory("one"), ADA).id
    delete = ledger.delete([one], ADA, "because of Grace").id
    ledger.erase([delete], ADA, family=False)
    assert b"Grace" not in world.path.read_bytes()
    texts_of(ledger)
    entry = ledger.view.entry(one)
    assert entry is not None
    assert entry.status == "deleted"
    assert world.codes() == []


def test_a_large_family_is_erased_in_several_events(world: World, ledger: Spoken) -> None:
    """No more than sixteen fit into one; all of it is one call and one batch."""
    id_ = ledger.create(Memory("v0"), ADA).id
    for number in range(1, 40):
        id_ = ledger.supersede([id_], Memory(f"v{number}"), ADA).id
    done = ledger.erase([id_], ADA, "all versions")
    assert len(done.erased) == 40
    assert [len(event.targets) for event in world.events()[-3:]] == [16, 16, 8]
    assert done.id == world.events()[-3].id
    assert world.codes() == []
    assert world.verify().erased == 40


def test_a_long_document_is_one_memory(world: World, ledger: Spoken) -> None:
    """In parts on disk, whole in the view, superseded and erased as a whole (M-9)."""
    body = "".join(f"line {number}: \u00e4\u00f6\u00fc\n" for number in range(12_000))
    one = ledger.create(Memory("document", body=body), ADA).id
    parts = world.events()[1:]
    assert len(parts) > 3
    assert all(event.payload and event.payload["part"]["first"] in (None, one) for event in parts)
    assert texts_of(ledger) == ["document"]
    entry = world.open().view, ledger.view.entry(one)
    assert entry[1] is not None
    assert entry[1].memory.body == body
    two = ledger.supersede([one], Memory("document", body=body + "more\n"), ADA).id
    assert texts_of(ledger) == ["document"]
    done = ledger.erase([two], ADA)
    assert len(done.erased) == len(world.events()) - 1 - (len(done.erased) + 15) // 16
    assert b"line 7:" not in world.path.read_bytes()
    assert texts_of(world.open()) == []
    assert world.codes() == []


def test_a_confirm_without_a_reason_has_no_payload(world: World, ledger: Spoken) -> None:
    """There is nothing to keep, so there is nothing to erase."""
    one = ledger.create(Memory("one"), ADA).id
    ledger.confirm([one], ADA)
    assert world.events()[-1].payload is None
    assert "commit" not in world.events()[-1].head


def test_a_clock_that_stands_still_gives_each_event_a_later_time(world: World) -> None:
    """E-16: two events of one microsecond still follow each other, and the chain is sound."""
    world.clock.step = 0
    world.fill("one", "two", "three")
    times = [event.ts for event in world.events()]
    assert times == sorted(set(times))
    assert world.verify().sound


def test_an_event_comes_later_than_its_targets(world: World, ledger: Spoken) -> None:
    """By `ts`, whatever the clock says (E-16)."""
    one = ledger.create(Memory("one"), ADA).id
    world.clock.now -= 3_600_000_000
    ledger.delete([one], ADA)
    create, delete = world.events()[1:]
    assert create.ts < delete.ts
    assert delete.at < create.at


# --- the same statement (S-9) -------------------------------------------------------------------------------


def test_saying_the_same_again_makes_no_event(world: World, ledger: Spoken) -> None:
    """The caller gets the id that stands, in this process, another one, and for a long document."""
    long = Memory("long", body="line\n" * PART_BYTES)
    for memory in (Memory("one"), long):
        id_ = ledger.create(memory, ADA).id
        before = world.path.read_bytes()
        for each in (ledger, world.open()):
            done = each.create(memory.with_changes(tags=("new",)), BOT)
            assert (done.id, done.known) == (id_, True)
        assert world.path.read_bytes() == before


def test_the_same_twice_in_one_batch_is_one_event(world: World, ledger: Spoken) -> None:
    """Also where a supersede of the batch says it first."""
    one, again, other = ledger.write([Create(m) for m in memories("one", "one", "other")], ADA)
    assert (again.id, again.known, other.known) == (one.id, True, False)
    new, known = ledger.write([Supersede((one.id,), Memory("two")), Create(Memory("two"))], ADA)
    assert (known.id, known.known) == (new.id, True)
    assert texts_of(ledger) == ["two", "other"]
    assert world.codes() == []


def test_two_documents_that_begin_alike_are_two(world: World, ledger: Spoken) -> None:
    """Within one batch as well: the first part alone says nothing."""
    body = "line\n" * PART_BYTES
    one, two = ledger.write([Create(Memory("d", body=body)), Create(Memory("d", body=body + "end\n"))], ADA)
    assert one.id != two.id
    assert not two.known
    assert texts_of(ledger) == ["d", "d"]


def test_what_is_gone_can_be_said_again(world: World, ledger: Spoken) -> None:
    """A deleted, superseded or erased statement never swallows a new one."""
    for end in ("delete", "supersede", "erase"):
        id_ = ledger.create(Memory(end), ADA).id
        {
            "delete": lambda id_=id_: ledger.delete([id_], ADA),
            "supersede": lambda id_=id_: ledger.supersede([id_], Memory("other"), ADA),
            "erase": lambda id_=id_: ledger.erase([id_], ADA),
        }[end]()
        again = ledger.create(Memory(end), ADA)
        assert not again.known
        assert again.id != id_


@pytest.mark.parametrize("end", [Delete, Erase, lambda targets: Supersede(targets, Memory("other"))])
def test_what_goes_in_a_batch_can_be_said_again_in_it(
    world: World, ledger: Spoken, end: Callable[[tuple[str, ...]], Command]
) -> None:
    """One after the other: the memory must not vanish as a duplicate of what was deleted."""
    id_ = ledger.create(Memory("one"), ADA).id
    _, created = ledger.write([end((id_,)), Create(Memory("one"))], ADA)
    assert not created.known
    assert "one" in texts_of(ledger)
    assert world.codes() == []


# --- batches ------------------------------------------------------------------------------------------------


def test_a_batch_counts_as_its_commands_in_order(world: World, ledger: Spoken) -> None:
    """What an earlier one did to a target, a later one finds done."""
    id_ = ledger.create(Memory("one"), ADA).id
    gone: dict[str, Command] = {
        "is deleted already: restore it first with a supersede": Delete((id_,)),
        "was superseded by an earlier command of this call": Supersede((id_,), Memory("two")),
        "is erased": Erase((id_,)),
    }
    for words, command in gone.items():
        for second in (Delete((id_,)), Confirm((id_,))):
            refused(world, ledger, [command, second], StateError, words)
    refused(world, ledger, [Erase((id_,)), Erase((id_,))], StateError, "nothing to erase")
    refused(world, ledger, [Erase((id_,)), Supersede((id_,), Memory("x"))], StateError, "is erased")
    ledger.write([Delete((id_,)), Supersede((id_,), Memory("back"))], ADA)
    assert texts_of(ledger) == ["back"]
    assert world.codes() == []


def test_an_erase_after_commands_that_speak_of_the_same_is_refused(world: World, ledger: Spoken) -> None:
    """Their new texts would be left standing."""
    id_ = ledger.create(Memory("secret plan"), ADA).id
    for earlier in (
        Supersede((id_,), Memory("secret plan 2")),
        Delete((id_,), "it was secret"),
        Confirm((id_,)),
    ):
        refused(world, ledger, [earlier, Erase((id_,))], StateError, "erase it in a separate call")
    ledger.write([Erase((id_,))], ADA)
    assert b"secret plan" not in world.path.read_bytes()


def test_a_batch_that_mixes_erasing_and_creating(world: World, ledger: Spoken) -> None:
    """One write; the payloads are blanked afterwards; the rest stands."""
    one, two = (written.id for written in ledger.write([Create(m) for m in memories("one", "two")], ADA))
    ledger.write([Create(Memory("three")), Erase((one,)), Delete((two,)), Create(Memory("one"))], ADA)
    assert texts_of(ledger) == ["three", "one"]
    assert texts_of(world.open()) == ["three", "one"]
    assert [event.erased for event in world.events()] == [False, True, False, False, False, False, False]
    assert world.codes() == []


def test_two_erases_of_one_batch_share_nothing(world: World, ledger: Spoken) -> None:
    """A family that both name is blanked once and named once."""
    a, b = (written.id for written in ledger.write([Create(m) for m in memories("a", "b")], ADA))
    merged = ledger.supersede([a], Memory("c"), ADA).id
    first, second = ledger.write([Erase((a,)), Erase((b, merged))], ADA)
    assert set(first.erased) == {a, merged}
    assert second.erased == (b,)
    assert world.codes() == []


def test_a_command_cannot_name_what_the_batch_makes(world: World, ledger: Spoken) -> None:
    """Nobody can know that id before."""
    clock, random = world.clock.now, world.random
    twin = World(world.directory.parent / "twin")
    id_ = twin.open().create(Memory("one"), ADA).id
    assert random is world.random
    world.clock.now = clock
    refused(world, ledger, [Create(Memory("one")), Delete((id_,))], NotFoundError, "no memory has the id")


def test_an_empty_batch_does_nothing(world: World, ledger: Spoken) -> None:
    """And says so with an empty list."""
    before = world.path.read_bytes()
    assert ledger.write([], ADA) == []
    assert world.path.read_bytes() == before


def test_a_memory_says_why_it_was_written(world: World, ledger: Spoken) -> None:
    """The reason is the event's: what replaces the memory later does not carry it on, and an erase takes it."""
    one = ledger.write([Create(Memory("Use npm"), "asked in standup")], ADA)[0].id
    two = ledger.write([Supersede((one,), Memory("Use pnpm"), reason="No, pnpm, not npm")], ADA)[0].id

    def entry(id_: str) -> Entry:
        texts_of(ledger)
        found = ledger.view.entry(id_)
        assert found is not None
        return found

    three = ledger.supersede([two], entry(two).memory.with_changes(tags=("js",)), ADA).id
    assert [entry(id_).reason for id_ in (one, two, three)] == ["asked in standup", "No, pnpm, not npm", ""]
    ledger.erase([two], ADA, family=False)
    assert entry(two).reason == ""
    assert b"pnpm, not" not in world.path.read_bytes()
    with pytest.raises(RecordError, match="reason has 4001 characters"):
        ledger.write([Create(Memory("x"), "y" * 4001)], ADA)
