"""sigstore-python, which knows nothing of us, reads and verifies our checkpoints. Run by `make extras`.

Tests specs/proofs.md (T-10, T-13, T-20, T-21). Its parser is internal, so the version is pinned (constraints.txt); it skips
malformed signature lines where ours refuses the note, and is a peer to try, not a parser to rely on.
"""

from __future__ import annotations

import base64
from pathlib import Path
from typing import Any

import pytest

from ledger import note
from ledger.note import NoteKey
from ledger.signing import SigningKey
from proofs import checkpoint
from tests.proofs.fake_witness import cosign
from tests.proofs.world import Shown

PKIX = bytes.fromhex("302a300506032b6570032100")
"""What stands before the 32 bytes of an Ed25519 key in DER."""


@pytest.fixture
def world(tmp_path: Path) -> Shown:
    pytest.importorskip("sigstore", reason="sigstore is not installed: make extras runs this")
    world = Shown(tmp_path)
    world.fill("Use pnpm, not npm", "Deploy on Mondays")
    return world


def keyring(public: bytes) -> Any:
    common = pytest.importorskip("sigstore_models.common.v1")
    trust = pytest.importorskip("sigstore._internal.trust")
    details = common.PublicKeyDetails.PKIX_ED25519
    # the models take bytes as JSON has them, in base64
    return trust.Keyring([common.PublicKey(raw_bytes=base64.b64encode(PKIX + public), key_details=details)])


def parsed(data: bytes) -> Any:
    return pytest.importorskip("sigstore._internal.rekor.checkpoint").SignedCheckpoint.from_text(
        data.decode()
    )


def error() -> type[Exception]:
    kind: type[Exception] = pytest.importorskip("sigstore.errors").VerificationError
    return kind


def test_a_foreign_program_reads_and_verifies_a_checkpoint(world: Shown) -> None:
    done = world.sign()
    made, key = done.checkpoint, NoteKey(done.checkpoint.origin, world.keys.load(world.identity.id).public)
    theirs = parsed(done.data)
    assert theirs.checkpoint.origin == made.origin
    assert theirs.checkpoint.log_size == made.size == 3
    assert theirs.checkpoint.log_hash == made.root.hex()
    assert [sig.name for sig in theirs.signed_note.signatures] == [made.origin]
    theirs.signed_note.verify(keyring(key.public), key.key_id)


def test_it_refuses_what_we_refuse(world: Shown) -> None:
    done = world.sign()
    key = NoteKey(done.checkpoint.origin, world.keys.load(world.identity.id).public)
    changed = done.data.replace(b"\n3\n", b"\n4\n")
    with pytest.raises(error(), match="invalid signature"):
        parsed(changed).signed_note.verify(keyring(key.public), key.key_id)
    with pytest.raises(error()):
        parsed(done.data).signed_note.verify(keyring(bytes(31) + b"\1"), key.key_id)


def test_a_cosigned_checkpoint_is_read_as_well(world: Shown) -> None:
    done = world.sign()
    text = note.parse(done.data).text
    data = done.data + cosign(text, "witness.example/w", SigningKey(b"\2" * 32), 1_700_000_000).line()
    assert checkpoint.parse(data)[0] == done.checkpoint
    key = NoteKey(done.checkpoint.origin, world.keys.load(world.identity.id).public)
    theirs = parsed(data)
    assert len(theirs.signed_note.signatures) == 2
    theirs.signed_note.verify(keyring(key.public), key.key_id)
