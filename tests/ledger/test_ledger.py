"""Tests of ledger/ledger.py: what a writer may say, what becomes of it, and what is refused (S-8, S-9)."""

from __future__ import annotations

import os
import traceback
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import pytest

from ledger import durable, steps
from ledger.chain import Tip
from ledger.check import Link
from ledger.command import Command, Confirm, Create, Delete, Erase, Supersede
from ledger.draft import PART_BYTES, record_drafts
from ledger.errors import (
    ChainError,
    KeyFileError,
    LedgerError,
    NotFoundError,
    RecordError,
    RollbackError,
    SecretError,
    StateError,
    StorageError,
)
from ledger.event import By, Event, split_line
from ledger.fold import Entry
from ledger.ledger import Ledger
from ledger.memory import Memory, Part, Place, Provenance
from ledger.view import MemoryView, ViewUnavailableError
from ledger.view import Place as Where
from tests.ledger.world import ADA, SECRET, World, lines_of, memories, overwrite, spied, texts_of

BOT = By("claude", "agent", "mcp")


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path)


@pytest.fixture
def ledger(world: World) -> Ledger:
    return world.open()


def refused(
    world: World, ledger: Ledger, commands: Sequence[Command], kind: type[LedgerError], words: str
) -> None:
    """Assert that nothing of these commands is done, with this error, in one line."""
    before = world.path.read_bytes()
    with pytest.raises(kind, match=words) as caught:
        ledger.write(commands, ADA)
    assert type(caught.value) is kind
    assert "\n" not in str(caught.value)
    assert world.path.read_bytes() == before


# --- the verbs ----------------------------------------------------------------------------------------------


def test_a_created_memory_is_there_as_it_was_said(world: World, ledger: Ledger) -> None:
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


def test_a_life_of_a_memory(world: World, ledger: Ledger) -> None:
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


def test_erasing_one_event_leaves_the_rest_of_its_family(world: World, ledger: Ledger) -> None:
    """Without `family` only what is named."""
    one = ledger.create(Memory("one"), ADA).id
    two = ledger.supersede([one], Memory("two"), ADA).id
    assert ledger.erase([one], ADA, family=False).erased == (one,)
    assert texts_of(ledger) == ["two"]
    assert (b'"one"' in world.path.read_bytes(), b'"two"' in world.path.read_bytes()) == (False, True)
    assert ledger.erase([two], ADA).erased == (two,)


def test_the_reason_of_a_delete_can_be_erased_alone(world: World, ledger: Ledger) -> None:
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


def test_a_large_family_is_erased_in_several_events(world: World, ledger: Ledger) -> None:
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


def test_a_long_document_is_one_memory(world: World, ledger: Ledger) -> None:
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


def test_a_confirm_without_a_reason_has_no_payload(world: World, ledger: Ledger) -> None:
    """There is nothing to keep, so there is nothing to erase."""
    one = ledger.create(Memory("one"), ADA).id
    ledger.confirm([one], ADA)
    assert world.events()[-1].payload is None
    assert "commit" not in world.events()[-1].head


def test_an_event_comes_later_than_its_targets(world: World, ledger: Ledger) -> None:
    """By `ts`, whatever the clock says (E-16)."""
    one = ledger.create(Memory("one"), ADA).id
    world.clock.now -= 3_600_000_000
    ledger.delete([one], ADA)
    create, delete = world.events()[1:]
    assert create.ts < delete.ts
    assert delete.at < create.at


# --- the same statement (S-9) -------------------------------------------------------------------------------


def test_saying_the_same_again_makes_no_event(world: World, ledger: Ledger) -> None:
    """The caller gets the id that stands, in this process, another one, and for a long document."""
    long = Memory("long", body="line\n" * PART_BYTES)
    for memory in (Memory("one"), long):
        id_ = ledger.create(memory, ADA).id
        before = world.path.read_bytes()
        for each in (ledger, world.open()):
            done = each.create(memory.with_changes(tags=("new",)), BOT)
            assert (done.id, done.known) == (id_, True)
        assert world.path.read_bytes() == before


def test_the_same_twice_in_one_batch_is_one_event(world: World, ledger: Ledger) -> None:
    """Also where a supersede of the batch says it first."""
    one, again, other = ledger.write([Create(m) for m in memories("one", "one", "other")], ADA)
    assert (again.id, again.known, other.known) == (one.id, True, False)
    new, known = ledger.write([Supersede((one.id,), Memory("two")), Create(Memory("two"))], ADA)
    assert (known.id, known.known) == (new.id, True)
    assert texts_of(ledger) == ["two", "other"]
    assert world.codes() == []


def test_two_documents_that_begin_alike_are_two(world: World, ledger: Ledger) -> None:
    """Within one batch as well: the first part alone says nothing."""
    body = "line\n" * PART_BYTES
    one, two = ledger.write([Create(Memory("d", body=body)), Create(Memory("d", body=body + "end\n"))], ADA)
    assert one.id != two.id
    assert not two.known
    assert texts_of(ledger) == ["d", "d"]


def test_what_is_gone_can_be_said_again(world: World, ledger: Ledger) -> None:
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
    world: World, ledger: Ledger, end: Callable[[tuple[str, ...]], Command]
) -> None:
    """One after the other: the memory must not vanish as a duplicate of what was deleted."""
    id_ = ledger.create(Memory("one"), ADA).id
    _, created = ledger.write([end((id_,)), Create(Memory("one"))], ADA)
    assert not created.known
    assert "one" in texts_of(ledger)
    assert world.codes() == []


# --- refused targets (S-8) ----------------------------------------------------------------------------------


def test_an_unknown_target_is_refused(world: World, ledger: Ledger) -> None:
    """A prefix, a genesis or a delete is no memory either; an erase needs an event."""
    id_ = ledger.create(Memory("one"), ADA).id
    delete = ledger.delete([id_], ADA).id
    for unknown in ("f" * 64, id_[:12], "", world.genesis, delete):
        for command in (Delete((unknown,)), Confirm((unknown,)), Supersede((unknown,), Memory("x"))):
            refused(world, ledger, [command], NotFoundError, "no memory has the id")
    for unknown in ("f" * 64, id_[:12], ""):
        refused(world, ledger, [Erase((unknown,))], NotFoundError, "no event has the id")
        refused(world, ledger, [Erase((id_, unknown))], NotFoundError, "no event has the id")


def test_a_deleted_target_is_refused_but_for_a_restore(world: World, ledger: Ledger) -> None:
    """The message says how to bring it back."""
    id_ = ledger.create(Memory("one"), ADA).id
    delete = ledger.delete([id_], ADA).id
    words = rf"{id_[:12]} is deleted already: bring it back first with memledger revert {delete[:12]}"
    refused(world, ledger, [Delete((id_,))], StateError, words)
    refused(world, ledger, [Confirm((id_,))], StateError, words)
    ledger.supersede([id_], Memory("one"), ADA)
    assert texts_of(ledger) == ["one"]


def test_a_superseded_target_is_refused_with_the_name_of_the_newer(world: World, ledger: Ledger) -> None:
    """Unless it is a restore."""
    id_ = ledger.create(Memory("one"), ADA).id
    newer = ledger.supersede([id_], Memory("two"), ADA).id
    for command in (Delete((id_,)), Confirm((id_,)), Supersede((id_,), Memory("three"))):
        refused(world, ledger, [command], StateError, rf"was superseded by {newer[:12]}: name that one")
    ledger.write([Supersede((id_, newer), Memory("one"), restore=True)], ADA)
    assert texts_of(ledger) == ["one"]


def test_an_erased_target_is_refused(world: World, ledger: Ledger) -> None:
    """Nothing is left of it; erasing it again has nothing to do."""
    id_ = ledger.create(Memory("one"), ADA).id
    ledger.erase([id_], ADA)
    for command in (Delete((id_,)), Confirm((id_,)), Supersede((id_,), Memory("x"), restore=True)):
        refused(world, ledger, [command], StateError, "is erased: nothing is left")
    for target in (id_, world.genesis):
        refused(world, ledger, [Erase((target,))], StateError, "nothing to erase")


def test_a_part_is_no_target(world: World, ledger: Ledger) -> None:
    """Its status is that of the first part; for an erase it stands for the whole (M-9)."""
    first = ledger.create(Memory("long", body="line\n" * PART_BYTES), ADA).id
    part = world.events()[-1].id
    refused(world, ledger, [Delete((part,))], NotFoundError, "no memory has the id")
    assert first in ledger.erase([part], ADA).erased


def test_one_bad_target_among_good_ones_refuses_all(world: World, ledger: Ledger) -> None:
    """And one bad command in a batch refuses the batch: nothing was signed."""
    good = ledger.create(Memory("good"), ADA).id
    bad = ledger.create(Memory("bad"), ADA).id
    ledger.delete([bad], ADA)
    refused(world, ledger, [Delete((good, bad))], StateError, "deleted already")
    refused(
        world, ledger, [Create(Memory("new")), Delete((good,)), Delete((bad,))], StateError, "deleted already"
    )
    refused(world, ledger, [Erase((good,)), Delete((bad,))], StateError, "deleted already")
    assert texts_of(ledger) == ["good"]


def test_too_many_targets_are_refused(world: World, ledger: Ledger) -> None:
    """Sixteen fit; more are done in several. An erase takes as many as there are."""
    ids = [written.id for written in ledger.write([Create(m) for m in memories(*map(str, range(20)))], ADA)]
    refused(world, ledger, [Delete(tuple(ids[:17]))], RecordError, "17 targets; at most 16")
    refused(world, ledger, [Supersede(tuple(ids[:17]), Memory("x"))], RecordError, "17 targets; at most 16")
    ledger.confirm(ids[:16], ADA)
    ledger.confirm([*ids[:8], *ids[:8], *ids[:8]], ADA)
    assert world.events()[-1].targets == tuple(ids[:8])
    assert set(ledger.erase(ids, ADA).erased) == set(ids)
    for command in (Delete(()), Confirm(()), Erase(()), Supersede((), Memory("x"))):
        refused(world, ledger, [command], RecordError, "at least one")


# --- batches ------------------------------------------------------------------------------------------------


def test_a_batch_counts_as_its_commands_in_order(world: World, ledger: Ledger) -> None:
    """What an earlier one did to a target, a later one finds done."""
    id_ = ledger.create(Memory("one"), ADA).id
    gone: dict[str, Command] = {
        "is deleted already: bring it back first with a supersede": Delete((id_,)),
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


def test_an_erase_after_commands_that_speak_of_the_same_is_refused(world: World, ledger: Ledger) -> None:
    """Their new texts would be left standing."""
    id_ = ledger.create(Memory("secret plan"), ADA).id
    for earlier in (
        Supersede((id_,), Memory("secret plan 2")),
        Delete((id_,), "it was secret"),
        Confirm((id_,)),
    ):
        refused(world, ledger, [earlier, Erase((id_,))], StateError, "erase it in a call of its own")
    ledger.write([Erase((id_,))], ADA)
    assert b"secret plan" not in world.path.read_bytes()


def test_a_batch_that_mixes_erasing_and_creating(world: World, ledger: Ledger) -> None:
    """One write; the payloads are blanked afterwards; the rest stands."""
    one, two = (written.id for written in ledger.write([Create(m) for m in memories("one", "two")], ADA))
    ledger.write([Create(Memory("three")), Erase((one,)), Delete((two,)), Create(Memory("one"))], ADA)
    assert texts_of(ledger) == ["three", "one"]
    assert texts_of(world.open()) == ["three", "one"]
    assert [event.erased for event in world.events()] == [False, True, False, False, False, False, False]
    assert world.codes() == []


def test_two_erases_of_one_batch_share_nothing(world: World, ledger: Ledger) -> None:
    """A family that both name is blanked once and named once."""
    a, b = (written.id for written in ledger.write([Create(m) for m in memories("a", "b")], ADA))
    merged = ledger.supersede([a], Memory("c"), ADA).id
    first, second = ledger.write([Erase((a,)), Erase((b, merged))], ADA)
    assert set(first.erased) == {a, merged}
    assert second.erased == (b,)
    assert world.codes() == []


def test_a_command_cannot_name_what_the_batch_makes(world: World, ledger: Ledger) -> None:
    """Nobody can know that id before."""
    clock, random = world.clock.now, world.random
    twin = World(world.directory.parent / "twin")
    id_ = twin.open().create(Memory("one"), ADA).id
    assert random is world.random
    world.clock.now = clock
    refused(world, ledger, [Create(Memory("one")), Delete((id_,))], NotFoundError, "no memory has the id")


def test_an_empty_batch_does_nothing(world: World, ledger: Ledger) -> None:
    """And says so with an empty list."""
    before = world.path.read_bytes()
    assert ledger.write([], ADA) == []
    assert world.path.read_bytes() == before


# --- what is never signed -----------------------------------------------------------------------------------


MALFORMED = {
    "text has 0 characters": Memory(""),
    "text is blank": Memory("  "),
    "text must be one line": Memory("two\nlines"),
    "text has 1001 characters": Memory("x" * 1001),
    "surrogates not allowed": Memory("\ud800"),
    "surrogates": Memory("text", tags=("\ud800",)),
    "type is 'dream'": Memory("text", type="dream"),
    "confidence is 1.5": Memory("text", confidence=1.5),
    "topic must be a slug path": Memory("text", topic="No Slug"),
    "part must name the id of its first part": Memory("text", part=Part(2, 3)),
    "body must not hold U": Memory("text", body="a\0b"),
    "the key 'Bad Key'": Memory("text", unknown={"Bad Key": 1}),
    "a float": Memory("text", unknown={"later": 0.5}),
    "session, which must be one line": Memory("text", provenance=Provenance(session="a\nb")),
    "make the text shorter": Memory("text", details=tuple("d" * 1000 for _ in range(200))),
}


@pytest.mark.parametrize(("words", "memory"), MALFORMED.items(), ids=MALFORMED.keys())
def test_a_malformed_record_is_refused(world: World, ledger: Ledger, words: str, memory: Memory) -> None:
    """Nothing of it is written, alone and among good ones; the message names the member."""
    refused(world, ledger, [Create(memory)], RecordError, words)
    refused(world, ledger, [Create(Memory("good")), Create(memory)], RecordError, words)
    assert texts_of(ledger) == []


@pytest.mark.parametrize(
    "by", [By("Ada Lovelace"), By(""), By("ada", "queen"), By("ada", "user", "telepathy")]
)
def test_a_malformed_writer_is_refused(world: World, ledger: Ledger, by: By) -> None:
    """A verifier would refuse the event for ever (E-17)."""
    id_ = ledger.create(Memory("one"), ADA).id
    before = world.path.read_bytes()
    for command in (Create(Memory("x")), Delete((id_,)), Erase((id_,))):
        with pytest.raises(RecordError, match="by "):
            ledger.write([command], by)
    assert world.path.read_bytes() == before


@pytest.mark.parametrize(
    "command",
    [
        Create(Memory(f"the key is {SECRET}")),
        Create(Memory("text", details=("fine", f"not fine: {SECRET}"))),
        Create(Memory("text", tags=(SECRET,))),
        Create(Memory("text", body="x\n" * PART_BYTES + f"aws {SECRET}\n")),
        Create(Memory("text", provenance=Provenance(session=SECRET))),
        Create(Memory("text", unknown={"later": {"deep": [SECRET]}})),
        Supersede(("f" * 64,), Memory(f"the key is {SECRET}")),
        Delete(("f" * 64,), f"it held {SECRET}"),
        Confirm(("f" * 64,), f"still {SECRET}"),
        Erase(("f" * 64,), f"it held {SECRET}"),
    ],
)
def test_a_secret_is_refused_whatever_the_verb(world: World, ledger: Ledger, command: Command) -> None:
    """Before targets are even looked at; it stands in no error and on no disk."""
    before = world.path.read_bytes()
    with pytest.raises(SecretError) as caught:
        ledger.write([Create(Memory("good")), command], ADA)
    assert caught.value.rules == ("aws-access-key-id",)
    assert SECRET not in "".join(traceback.format_exception(caught.value))
    assert world.path.read_bytes() == before


def test_a_secret_that_straddles_two_parts_is_found(world: World, ledger: Ledger) -> None:
    """The text is looked at before it is cut into parts."""
    plain = record_drafts("create", {}, Memory("text", body="x" * 2 * PART_BYTES).to_payload())
    end = len((plain[0].payload or {})["body"])
    for inside in (3, 10, 17):
        body = "x" * (end - inside - 1) + f" {SECRET} " + "y" * PART_BYTES
        drafts = record_drafts("create", {}, Memory("text", body=body).to_payload())
        assert not any(SECRET in (draft.payload or {})["body"] for draft in drafts)
        with pytest.raises(SecretError):
            ledger.create(Memory("text", body=body), ADA)
        ledger.create(Memory(f"text {inside}", body=body), ADA, redact=True)
    texts_of(ledger)
    entries = [entry for event in world.events() if (entry := ledger.view.entry(event.id))]
    assert [SECRET in entry.memory.body for entry in entries] == [False] * 3
    assert all(" [redacted:aws-access-key-id] yyy" in entry.memory.body for entry in entries)
    assert world.codes() == []


def test_redacting_stores_the_text_without_the_secret(world: World, ledger: Ledger) -> None:
    """The result names the rule; saying the same again is known."""
    memory = Memory(f"the key is {SECRET}", details=(f"again {SECRET}",))
    done = ledger.create(memory, ADA, redact=True)
    assert done.redacted == ("aws-access-key-id",)
    assert texts_of(ledger) == ["the key is [redacted:aws-access-key-id]"]
    again = ledger.create(memory, ADA, redact=True)
    assert (again.id, again.known, again.redacted) == (done.id, True, done.redacted)
    ledger.delete([done.id], ADA, f"oh {SECRET}", redact=True)
    assert SECRET.encode() not in world.path.read_bytes()
    assert world.codes() == []


def test_a_text_that_redacting_makes_too_long_is_refused(world: World, ledger: Ledger) -> None:
    """What replaces the secret is longer than it; a record over its limit must not be signed."""
    memory = Memory("x" * (999 - len(SECRET)) + f" {SECRET}")
    with pytest.raises(RecordError, match="with the secret cut out, text has"):
        ledger.create(memory, ADA, redact=True)
    assert len(world.events()) == 1


# --- keys ---------------------------------------------------------------------------------------------------


def all_said(error: BaseException) -> str:
    """Return everything that an error would show, with the local variables of all its frames."""
    shown = traceback.TracebackException.from_exception(error, capture_locals=True)
    return "".join(shown.format())


def test_no_error_shows_a_key(world: World, ledger: Ledger, monkeypatch: pytest.MonkeyPatch) -> None:
    """Not even one that is printed with the local variables of all frames that the key passed through."""
    ledger.create(Memory("one"), ADA)

    def full(fd: int, data: bytes) -> int:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "write", full)
    with pytest.raises(StorageError) as caught:
        ledger.create(Memory("two"), ADA)
    said = all_said(caught.value)
    assert "No space left" in said
    seed = world.keys.load(world.identity.id).seed
    for form in (seed.hex(), repr(seed), repr(seed)[2:-1]):
        assert form not in said
        assert form not in repr(ledger) + repr(vars(ledger))


@pytest.mark.parametrize("mode", [0o644, 0o660])
def test_a_key_open_to_others_signs_nothing(world: World, mode: int) -> None:
    """The mode is checked when it is read (C-22)."""
    world.keys.path_of(world.identity.id).chmod(mode)
    refused(world, world.open(), [Create(Memory("x"))], KeyFileError, "run chmod 600")


def test_a_missing_key_signs_nothing_and_is_not_made(world: World) -> None:
    """Reading goes on; writing says what to bring back (C-22)."""
    world.fill("one")
    world.keys.path_of(world.identity.id).unlink()
    refused(world, world.open(), [Create(Memory("x"))], KeyFileError, "missing")
    assert world.texts() == ["one"]
    assert not world.keys.has(world.identity.id)


def test_a_foreign_key_signs_nothing(world: World, tmp_path: Path) -> None:
    """A key file of the right form and id that is not the chain's: found out before the first signature."""
    other = World(tmp_path / "other", "two")
    path = world.keys.path_of(world.identity.id)
    path.write_bytes(other.keys.path_of(world.identity.id).read_bytes())
    refused(
        world,
        world.open(),
        [Create(Memory("x"))],
        KeyFileError,
        "not the key that the chain is signed with now",
    )
    assert world.codes() == []


# --- views that fail ----------------------------------------------------------------------------------------


class Failing(MemoryView):
    """A view that cannot answer: from `follow` on, or when it is asked, or told what was written."""

    def __init__(self, at: str) -> None:
        super().__init__()
        self.at = at

    def _fail(self, where: str) -> None:
        if where == self.at:
            raise ViewUnavailableError("the index is locked")

    def follow(self, chain: Path, tip: Tip) -> None:
        self._fail("follow")
        super().follow(chain, tip)

    def entry(self, id_: str) -> Entry | None:
        self._fail("entry")
        return super().entry(id_)

    def same(self, memory: Memory) -> str | None:
        self._fail("same")
        return super().same(memory)

    def family(self, ids: Iterable[str]) -> list[Where]:
        self._fail("family")
        return super().family(ids)

    def unfinished_erasures(self) -> list[Where]:
        self._fail("unfinished")
        return super().unfinished_erasures()

    def apply(self, events: Sequence[Event], link: Link) -> None:
        if self.at != "apply":
            super().apply(events, link)


@pytest.mark.parametrize("at", ["follow", "entry", "same", "family", "unfinished", "apply"])
def test_a_view_that_cannot_answer_stops_no_writer(world: World, at: str) -> None:
    """The chain itself is folded instead; when the view answers again it is right again."""
    view = Failing(at)
    ledger = world.open(view)
    one = ledger.create(Memory("one"), ADA).id
    assert ledger.create(Memory("one"), ADA).known
    two = ledger.supersede([one], Memory("two"), ADA).id
    with pytest.raises(StateError, match="superseded"):
        ledger.delete([one], ADA)
    ledger.create(Memory("three"), ADA)
    assert len(ledger.erase([two], ADA).erased) == 2
    view.at = ""
    assert ledger.create(Memory("three"), ADA).known
    assert texts_of(ledger) == ["three"]
    assert world.codes() == []


# --- what a crash left --------------------------------------------------------------------------------------


def unfinished(world: World) -> tuple[str, bytes]:
    """Leave an erase event whose target's payload stands; return the target's id and its line."""
    [id_] = world.fill("secret plan")
    line = lines_of(world.path)[-1]
    world.open().erase([id_], ADA)
    lines = lines_of(world.path)
    overwrite(world.path, b"".join([lines[0], line, *lines[2:]]))
    assert world.codes() == ["erase-incomplete"]
    return id_, line


def test_the_next_writer_finishes_an_erasure(world: World) -> None:
    """Before its own work; verify is sound again (C-20)."""
    unfinished(world)
    world.goes_on()
    assert b"secret plan" not in world.path.read_bytes()


def test_an_erasure_can_be_finished_by_itself(world: World) -> None:
    """Without writing an event; once there is nothing to do, nothing is done."""
    unfinished(world)
    ledger = world.open()
    assert ledger.finish_erasures() == 1
    assert ledger.finish_erasures() == 0
    assert world.codes() == []
    assert len(world.events()) == 3


@pytest.mark.parametrize("blank", [1, 4, 30, -2])
def test_a_half_blanked_payload_is_finished(world: World, blank: int) -> None:
    """Its writer died inside the write of the blanks (C-20)."""
    _, line = unfinished(world)
    payload = split_line(line[:-1]).payload
    assert payload is not None
    data, at = world.path.read_bytes(), world.path.read_bytes().index(payload)
    half = b"null".ljust(len(payload))[:blank] + payload[blank:]
    overwrite(world.path, data[:at] + half + data[at + len(half) :])
    world.goes_on()
    assert payload[-12:] not in world.path.read_bytes()


def test_a_payload_restored_after_an_erase_is_blanked_again(world: World) -> None:
    """Verify reports it, and the next process that writes takes it away (C-20)."""
    [id_] = world.fill("secret plan")
    line = lines_of(world.path)[-1]
    world.open().erase([id_], ADA)
    assert world.codes() == []
    lines = lines_of(world.path)
    overwrite(world.path, b"".join([lines[0], line, *lines[2:]]))
    assert world.codes() == ["erase-incomplete"]
    assert world.texts() == []
    world.goes_on()


def test_an_erase_that_the_disk_refuses_stands_and_is_finished_later(
    world: World, ledger: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The event is durable, so the message does not claim that nothing happened."""
    id_ = ledger.create(Memory("secret plan"), ADA).id

    def refuse(fd: int, data: bytes, at: int) -> int:
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(os, "pwrite", refuse)
    with pytest.raises(StorageError, match=r"blanking an erased payload failed.*the erase event stands"):
        ledger.erase([id_], ADA)
    monkeypatch.undo()
    assert world.codes() == ["erase-incomplete"]
    assert texts_of(ledger) == []
    world.goes_on()
    assert b"secret plan" not in world.path.read_bytes()


def test_a_writer_learns_of_others_before_it_validates(world: World) -> None:
    """Two open ledgers: what one deleted, the other cannot delete again."""
    one, two = world.open(), world.open()
    id_ = one.create(Memory("one"), ADA).id
    assert two.create(Memory("one"), ADA).id == id_
    one.delete([id_], ADA)
    with pytest.raises(StateError, match="deleted already"):
        two.delete([id_], ADA)
    assert not two.create(Memory("one"), ADA).known
    assert world.codes() == []


def test_appends_stay_refused_until_a_person_decides(world: World, ledger: Ledger) -> None:
    """A rollback is refused by every verb, and by every process, until recover."""
    id_ = ledger.create(Memory("one"), ADA).id
    world.fill("two")
    overwrite(world.path, b"".join(lines_of(world.path)[:2]))
    for each in (ledger, world.open()):
        for command in (Create(Memory("x")), Delete((id_,)), Confirm((id_,)), Erase((id_,))):
            refused(world, each, [command], RollbackError, "memledger recover")
        with pytest.raises(ChainError):
            each.finish_erasures()


def test_the_view_is_not_told_of_what_was_not_written(
    world: World, ledger: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After a failed sync the memory is not known, and can be learned."""
    calls: list[int] = []
    spied(monkeypatch, MemoryView, "apply", lambda *_: calls.append(1))

    def broken(fd: int) -> None:
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(durable, "sync_data", broken)
    with pytest.raises(StorageError):
        ledger.create(Memory("one"), ADA)
    assert calls == []
    monkeypatch.undo()
    assert not ledger.create(Memory("one"), ADA).known
    assert steps.observer is None
