"""Proof files: what they show, and that nothing in them can be changed, left out or put in.

Tests specs/proofs.md (T-40…T-52).
"""

from __future__ import annotations

import base64
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ledger import note
from ledger.canonical import decode, encode
from ledger.errors import FormatError
from ledger.event import build_line, split_line
from ledger.note import COSIGNATURE, Note, NoteKey
from ledger.signing import SigningKey
from proofs import checkpoint, merkle, policy, proof, proof_judgement
from proofs.checkpoint import Checkpoint
from proofs.proof import AnchorReceipt, Included, Proof
from proofs.proof_judgement import SHOWN, UNCHECKED, WRONG, Judgement, VerifierTrust
from tests.ledger.world import ADA
from tests.proofs.fake_witness import cosign
from tests.proofs.world import Shown

WITNESS = SigningKey(b"\x22" * 32)
WITNESS_KEY = NoteKey("witness.example/w", WITNESS.public, COSIGNATURE)
DAY = 86_400


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Shown:
    world = Shown(tmp_path_factory.mktemp("proofs"))
    world.fill("Use pnpm, not npm", "Deploy on Mondays", "Postgres listens on 5433", "four", "five")
    world.open().erase([world.events()[4].id], ADA, "gone")
    return world


def made(world: Shown, seq: int, receipts: tuple[AnchorReceipt, ...] = ()) -> Proof:
    done = world.sign()
    with world.reading() as chain:
        return proof.make(seq, chain, done.checkpoint, done.data, receipts)


def states(judged: Judgement) -> dict[str, str]:
    return {item.name: item.state for item in judged.items}


def judged(given: Proof, trust: VerifierTrust | None = None) -> Judgement:
    """Judge a proof as it comes out of its file."""
    return proof_judgement.judge(proof.parse(given.encode()), trust)


def test_every_event_of_a_ledger_can_be_shown(world: Shown) -> None:
    for event in world.events():
        told = judged(made(world, event.seq))
        assert not told.wrong
        assert (told.id, told.index) == (event.id, event.seq)
        assert told.event == event.head
        assert told.payload == event.payload
        assert states(told)["text"] == (UNCHECKED if event.erased else SHOWN)


def test_a_file_is_read_as_it_was_written(world: Shown) -> None:
    given = made(world, 2, (AnchorReceipt("tsr", b"\x00\x01"), AnchorReceipt("ots", b"")))
    assert proof.parse(given.encode()) == given
    assert given.encode().startswith(b"c2sp.org/tlog-proof@v1\nextra ")


def test_it_holds_the_text_of_no_other_memory(world: Shown) -> None:
    extra = base64.b64decode(made(world, 1).encode().split(b"\n")[1].removeprefix(b"extra "))
    assert b"Use pnpm" in extra
    assert b"Mondays" not in extra


def test_an_erased_text_is_said_not_to_be_there(world: Shown) -> None:
    told = judged(made(world, 4))
    assert not told.wrong
    assert told.payload is None
    assert "erased, or left out" in next(item.sentence for item in told.items if item.name == "text")


def test_the_text_can_be_left_out(world: Shown) -> None:
    told = judged(replace(made(world, 1), payload=None))
    assert not told.wrong
    assert (told.payload, states(told)["text"]) == (None, UNCHECKED)


# --- whose it is -----------------------------------------------------------------------------------------


def own_key(world: Shown) -> NoteKey:
    return NoteKey(f"muniment/{world.genesis}/0", world.keys.load(world.identity.id).public)


def test_without_a_key_nobody_is_said_to_have_signed_it(world: Shown) -> None:
    item = next(item for item in judged(made(world, 1)).items if item.name == "checkpoint")
    assert "the signer is unverified" in item.sentence


def test_the_key_that_the_owner_gave_must_stand_behind_it(world: Shown) -> None:
    assert not judged(made(world, 1), VerifierTrust((own_key(world),))).wrong
    other = NoteKey(own_key(world).name, WITNESS.public)
    elsewhere = NoteKey(f"muniment/{'00' * 32}/0", own_key(world).public)
    for wrong in (other, elsewhere):
        told = judged(made(world, 1), VerifierTrust((wrong,)))
        assert states(told)["checkpoint"] == WRONG
        assert told.wrong


def cosigned(given: Proof, time: int = 20_000 * DAY) -> Proof:
    text = note.parse(given.note).text
    return replace(given, note=given.note + cosign(text, WITNESS_KEY.name, WITNESS, time).line())


def trusting(world: Shown, quorum: str = "W") -> VerifierTrust:
    lines = f"log {own_key(world).vkey}\nwitness W {WITNESS_KEY.vkey}\nquorum {quorum}\n"
    return VerifierTrust(policy=policy.parse(lines.encode()))


def test_a_policy_of_other_logs_does_not_trust_it(world: Shown) -> None:
    for key in (
        NoteKey(own_key(world).name, WITNESS.public),
        NoteKey("example.com/log", own_key(world).public),
    ):
        trust = VerifierTrust(policy=policy.parse(f"log {key.vkey}\nquorum none\n".encode()))
        assert states(judged(made(world, 1), trust))["checkpoint"] == WRONG


def test_a_policy_that_trusts_it_is_not_enough_where_a_key_was_named(world: Shown) -> None:
    """T-49: of both, the key that was typed must stand behind it too."""
    policy_of_it = trusting(world, "none").policy
    elsewhere = NoteKey(f"muniment/{'00' * 32}/0", WITNESS.public)
    assert (
        states(judged(made(world, 1), VerifierTrust((own_key(world),), policy_of_it)))["checkpoint"] == SHOWN
    )
    assert states(judged(made(world, 1), VerifierTrust((elsewhere,), policy_of_it)))["checkpoint"] == WRONG


def test_a_policy_asks_for_witnesses(world: Shown) -> None:
    given = made(world, 1)
    assert states(judged(given, trusting(world)))["witnesses"] == WRONG
    told = judged(cosigned(given), trusting(world))
    assert not told.wrong
    assert "W saw this tree by 2024-10-04 00:00:00Z" in str(told.items)
    assert states(judged(cosigned(given)))["witnesses"] == UNCHECKED
    assert states(judged(given, trusting(world, "none")))["witnesses"] == UNCHECKED


def test_a_cosignature_that_states_no_time_shows_none(world: Shown) -> None:
    """T-51, W-51: it counts for the quorum, and nobody is said to have seen the tree in 1970."""
    told = judged(cosigned(made(world, 1), 0), trusting(world))
    assert states(told)["witnesses"] == SHOWN
    assert "W saw this tree; not all that the quorum takes say by when" in str(told.items)
    assert "1970" not in str(told.items)


def test_who_states_no_time_is_not_named_with_the_others_time(world: Shown) -> None:
    second = SigningKey(b"\x5e" * 32)
    key = NoteKey("example.com/second", second.public, COSIGNATURE)
    given = cosigned(made(world, 1))
    line = cosign(note.parse(given.note).text, key.name, second, 0).line()
    lines = f"witness V {key.vkey}\nwitness W {WITNESS_KEY.vkey}\ngroup G {{}} V W\nquorum G\n"
    for least, said in (
        ("any", "W saw this tree by 2024-10-04 00:00:00Z (their clocks); V too, without a time"),
        ("all", "V, W saw this tree; not all that the quorum takes say by when"),
    ):
        trust = VerifierTrust(policy=policy.parse(lines.format(least).encode()))
        assert said in str(judged(replace(given, note=given.note + line), trust).items)


def test_a_witnesss_key_is_no_key_of_a_log(world: Shown) -> None:
    """T-49: the type in a vkey counts, also where name and bytes are the log's."""
    own = own_key(world)
    told = judged(made(world, 1), VerifierTrust((NoteKey(own.name, own.public, COSIGNATURE),)))
    assert states(told)["checkpoint"] == WRONG


def test_a_cosignature_that_does_not_hold_is_wrong(world: Shown) -> None:
    given = made(world, 1)
    line = cosign(b"another text\n", WITNESS_KEY.name, WITNESS, 5).line()
    told = judged(replace(given, note=given.note + line), trusting(world))
    assert states(told)["witnesses"] == WRONG


def test_a_time_that_no_calendar_has_is_no_error(world: Shown) -> None:
    assert not judged(cosigned(made(world, 1), 2**63 - 1), trusting(world)).wrong


def test_receipts_are_named_and_not_believed(world: Shown) -> None:
    told = judged(made(world, 1, (AnchorReceipt("tsr", b"forged"),)))
    assert states(told)["time"] == UNCHECKED


# --- what cannot be changed ------------------------------------------------------------------------------


def wrong(given: Proof) -> set[str]:
    """Return the names of what is wrong with a proof, in its file or as it is judged."""
    try:
        told = judged(given)
    except FormatError as error:
        return {error.code}
    return {item.name for item in told.items if item.state == WRONG}


def test_another_text_event_place_or_key_is_wrong(world: Shown) -> None:
    first, second = made(world, 1), made(world, 2)
    assert wrong(replace(first, payload=second.payload)) == {"text"}
    assert wrong(replace(first, event=second.event)) == {"event"}
    assert wrong(replace(first, index=2)) == {"event"}
    assert wrong(replace(first, event=Included(first.event.head, second.event.hashes))) == {"event"}
    assert "keys" in wrong(replace(first, keys=()))
    assert "keys" in wrong(replace(first, keys=(second.event,)))
    assert "keys" in wrong(replace(first, keys=(*first.keys, *first.keys)))
    assert "keys" in wrong(replace(first, keys=(Included(first.keys[0].head, ()),)))
    unsigned = made(world, 0)
    assert wrong(replace(unsigned, payload=first.payload)) == {"text"}


def test_a_checkpoint_of_another_ledger_does_not_fit(world: Shown, tmp_path: Path) -> None:
    other = Shown(tmp_path / "other", "two")
    other.fill(*"abcdef")
    foreign = other.sign()
    assert {"event", "keys", "checkpoint"} <= wrong(replace(made(world, 1), note=foreign.data))
    text = b"example.com/log\n7\nCsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=\n"
    log = Note(text, (note.sign(text, "example.com/log", WITNESS),)).encode()
    with pytest.raises(FormatError, match="another log's"):
        judged(replace(made(world, 1), note=log))


def test_a_forged_checkpoint_over_a_true_event_is_wrong(world: Shown) -> None:
    """Who has no key can make a tree in which anything stands, and no checkpoint of it."""
    given = made(world, 1)
    root = merkle.leaf_hash(given.event.head)
    forged = Checkpoint(f"muniment/{world.genesis}/0", 1, root)
    data = checkpoint.sign(forged, WITNESS)
    assert "checkpoint" in wrong(Proof(0, Included(given.event.head, ()), None, given.keys, data))


def test_an_event_that_another_key_signed_is_wrong_even_in_the_tree(world: Shown) -> None:
    """The owner's own tree over an event that the owner's key did not sign."""
    given = made(world, 1)
    key = world.keys.load(world.identity.id)
    event = dict(world.events()[1].head)
    event.pop("commit")
    line = build_line(event, {"text": "forged"}, b"\0" * 16, WITNESS.sign)
    leaves = [given.keys[0].head, split_line(line.raw).head]
    hashes = [merkle.leaf_hash(leaf) for leaf in leaves]
    tree = Checkpoint(f"muniment/{world.genesis}/0", 2, merkle.node_hash(*hashes))
    forged = Proof(
        1,
        Included(leaves[1], (hashes[0],)),
        None,
        (Included(leaves[0], (hashes[1],)),),
        checkpoint.sign(tree, key),
    )
    told = judged(forged)
    assert {item.name for item in told.items if item.state == WRONG} == {"event"}
    assert told.event is None


def test_no_byte_of_a_file_can_be_changed(world: Shown) -> None:
    """T-40: each is refused, or shows as wrong: none goes unseen."""
    data = made(world, 1).encode()
    key = VerifierTrust((own_key(world),))
    for at in range(0, len(data), 3):
        changed = data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :]
        try:
            told = proof_judgement.judge(proof.parse(changed), key)
        except FormatError:
            continue
        assert told.wrong, at


@given(data=st.data())
def test_no_cut_and_no_insertion_goes_unseen(world: Shown, data: st.DataObject) -> None:
    whole = made(world, 1).encode()
    at = data.draw(st.integers(0, len(whole)))
    put_in = data.draw(st.sampled_from([b"", b"\n", b" ", b"A", b"index 1\n", b"extra AA==\n", b"\n\n"]))
    cut = data.draw(st.integers(0, 60))
    changed = whole[:at] + put_in + whole[at + cut :]
    if changed == whole:
        return
    try:
        told = proof_judgement.judge(proof.parse(changed), VerifierTrust((own_key(world),)))
    except FormatError:
        return
    assert told.wrong


@given(st.binary(max_size=300))
def test_any_bytes_after_the_first_line_are_an_error(data: bytes) -> None:
    with pytest.raises(FormatError):
        proof.parse(proof.MAGIC + data)


@pytest.mark.parametrize(
    "extra",
    [
        b"{}",
        b"[]",
        b'{"v":2}',
        b'{"v":1}',
        b'{"event":1,"keys":[],"v":1}',
        b'{"event":"x","keys":{},"v":1}',
        b'{"event":"x","keys":[{"event":"x","proof":[1]}],"v":1}',
        b'{"event":"x","keys":[],"receipts":[1],"v":1}',
        b'{"event":"x","keys":[],"payload":5,"v":1}',
        b'{"v":1,"event":"x","keys":[]}',
    ],
)
def test_a_malformed_extra_line_is_an_error(world: Shown, extra: bytes) -> None:
    lines = made(world, 1).encode().split(b"\n")
    lines[1] = b"extra " + base64.b64encode(extra)
    try:
        told = proof_judgement.judge(proof.parse(b"\n".join(lines)))
    except FormatError:
        return
    assert told.wrong


@pytest.mark.parametrize("keys", [b'""', b"{}", b'[{"event":"x","proof":""}]', b'[{"event":"x","proof":{}}]'])
def test_what_should_be_a_list_is_one(world: Shown, keys: bytes) -> None:
    """T-41: an empty text is no empty list."""
    lines = made(world, 1).encode().split(b"\n")
    lines[1] = b"extra " + base64.b64encode(b'{"event":"x","keys":' + keys + b',"v":1}')
    with pytest.raises(FormatError, match="of another type"):
        proof.parse(b"\n".join(lines))


@pytest.mark.parametrize(
    "receipts",
    [
        {},
        [],
        [{"data": "not base64", "kind": "tsr"}],
        [{"data": "AAAA", "kind": ""}],
        [{"data": "AAAA", "kind": "x\u001b[31m"}],
        [{"data": "AAAA", "kind": 5}],
        [{"data": "AAAA", "kind": "tsr"}] * 9,
    ],
)
def test_receipts_that_are_none_are_refused_and_not_skipped(world: Shown, receipts: object) -> None:
    """T-40, T-42: one spelling, and at most 8."""
    lines = made(world, 1).encode().split(b"\n")
    extra = decode(base64.b64decode(lines[1].removeprefix(b"extra ")), "extra")
    for member, value in (("receipts", receipts), ("v", True)):
        lines[1] = b"extra " + base64.b64encode(encode(extra | {member: value}))
        with pytest.raises(FormatError):
            proof.parse(b"\n".join(lines))
