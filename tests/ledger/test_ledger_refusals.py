"""Tests of ledger/ledger.py: targets, records, writers and secrets that are refused (S-8), and keys that sign nothing."""

from __future__ import annotations

import os
import traceback
from pathlib import Path

import pytest

from ledger.command import Command, Confirm, Create, Delete, Erase, Supersede
from ledger.draft import PART_BYTES, record_drafts
from ledger.errors import KeyFileError, NotFoundError, RecordError, SecretError, StateError, StorageError
from ledger.event import By
from ledger.memory import BodyPart, Memory, Provenance
from tests.ledger.world import ADA, SECRET, Spoken, World, memories, refused, texts_of

# --- refused targets (S-8) ----------------------------------------------------------------------------------


def test_an_unknown_target_is_refused(world: World, ledger: Spoken) -> None:
    """A prefix, a genesis or a delete is no memory either; an erase needs an event."""
    id_ = ledger.create(Memory("one"), ADA).id
    delete = ledger.delete([id_], ADA).id
    for unknown in ("f" * 64, id_[:12], "", world.genesis, delete):
        for command in (Delete((unknown,)), Confirm((unknown,)), Supersede((unknown,), Memory("x"))):
            refused(world, ledger, [command], NotFoundError, "no memory has the id")
    for unknown in ("f" * 64, id_[:12], ""):
        refused(world, ledger, [Erase((unknown,))], NotFoundError, "no event has the id")
        refused(world, ledger, [Erase((id_, unknown))], NotFoundError, "no event has the id")


def test_a_deleted_target_is_refused_but_for_a_restore(world: World, ledger: Spoken) -> None:
    """The message says how to bring it back."""
    id_ = ledger.create(Memory("one"), ADA).id
    delete = ledger.delete([id_], ADA).id
    words = rf"{id_[:12]} is deleted already: restore it first with muniment revert {delete[:12]}"
    refused(world, ledger, [Delete((id_,))], StateError, words)
    refused(world, ledger, [Confirm((id_,))], StateError, words)
    ledger.supersede([id_], Memory("one"), ADA)
    assert texts_of(ledger) == ["one"]


def test_a_superseded_target_is_refused_with_the_name_of_the_newer(world: World, ledger: Spoken) -> None:
    """Unless it is a restore."""
    id_ = ledger.create(Memory("one"), ADA).id
    newer = ledger.supersede([id_], Memory("two"), ADA).id
    for command in (Delete((id_,)), Confirm((id_,)), Supersede((id_,), Memory("three"))):
        refused(world, ledger, [command], StateError, rf"was superseded by {newer[:12]}: name that one")
    ledger.write([Supersede((id_, newer), Memory("one"), restore=True)], ADA)
    assert texts_of(ledger) == ["one"]


def test_an_erased_target_is_refused(world: World, ledger: Spoken) -> None:
    """Nothing is left of it; erasing it again has nothing to do."""
    id_ = ledger.create(Memory("one"), ADA).id
    ledger.erase([id_], ADA)
    for command in (Delete((id_,)), Confirm((id_,)), Supersede((id_,), Memory("x"), restore=True)):
        refused(world, ledger, [command], StateError, "is erased: nothing can be done")
    for target in (id_, world.genesis):
        refused(world, ledger, [Erase((target,))], StateError, "nothing to erase")


def test_a_part_is_no_target(world: World, ledger: Spoken) -> None:
    """Its status is that of the first part; for an erase it stands for the whole (M-9)."""
    first = ledger.create(Memory("long", body="line\n" * PART_BYTES), ADA).id
    part = world.events()[-1].id
    refused(world, ledger, [Delete((part,))], NotFoundError, "no memory has the id")
    assert first in ledger.erase([part], ADA).erased


def test_one_bad_target_among_good_ones_refuses_all(world: World, ledger: Spoken) -> None:
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


def test_too_many_targets_are_refused(world: World, ledger: Spoken) -> None:
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
    "part must name the id of its first part": Memory("text", part=BodyPart(2, 3)),
    "body must not hold U": Memory("text", body="a\0b"),
    "the key 'Bad Key'": Memory("text", unknown={"Bad Key": 1}),
    "a float": Memory("text", unknown={"later": 0.5}),
    "session, which must be one line": Memory("text", provenance=Provenance(session="a\nb")),
    "make the text shorter": Memory("text", details=tuple("d" * 1000 for _ in range(200))),
}


@pytest.mark.parametrize(("words", "memory"), MALFORMED.items(), ids=MALFORMED.keys())
def test_a_malformed_record_is_refused(world: World, ledger: Spoken, words: str, memory: Memory) -> None:
    """Nothing of it is written, alone and among good ones; the message names the member."""
    refused(world, ledger, [Create(memory)], RecordError, words)
    refused(world, ledger, [Create(Memory("good")), Create(memory)], RecordError, words)
    assert texts_of(ledger) == []


@pytest.mark.parametrize(
    "by", [By("Ada Lovelace"), By(""), By("ada", "queen"), By("ada", "user", "telepathy")]
)
def test_a_malformed_writer_is_refused(world: World, ledger: Spoken, by: By) -> None:
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
def test_a_secret_is_refused_whatever_the_verb(world: World, ledger: Spoken, command: Command) -> None:
    """Before targets are even looked at; it stands in no error and on no disk."""
    before = world.path.read_bytes()
    with pytest.raises(SecretError) as caught:
        ledger.write([Create(Memory("good")), command], ADA)
    assert caught.value.rules == ("aws-access-key-id",)
    assert SECRET not in "".join(traceback.format_exception(caught.value))
    assert world.path.read_bytes() == before


def test_a_secret_that_straddles_two_parts_is_found(world: World, ledger: Spoken) -> None:
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


def test_redacting_stores_the_text_without_the_secret(world: World, ledger: Spoken) -> None:
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


def test_a_text_that_redacting_makes_too_long_is_refused(world: World, ledger: Spoken) -> None:
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


def test_no_error_shows_a_key(world: World, ledger: Spoken, monkeypatch: pytest.MonkeyPatch) -> None:
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
    """The mode is checked when it is read (N-4)."""
    world.keys.path_of(world.identity.id).chmod(mode)
    refused(world, world.open(), [Create(Memory("x"))], KeyFileError, "run chmod 600")


def test_a_missing_key_signs_nothing_and_is_not_made(world: World) -> None:
    """Reading goes on; writing says what to bring back (N-4)."""
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
