"""A witness on loopback that follows c2sp.org/tlog-witness: the order of its checks, its status codes, its answers."""

from __future__ import annotations

import base64
import contextlib
from collections.abc import Iterator
from dataclasses import dataclass, field

from ledger import note
from ledger.note import NoteKey, NoteSignature
from ledger.signing import SigningKey
from proofs import checkpoint
from tests.loopback import Reply, Request, serving
from tests.proofs.consistency import verify_consistency

NAME = "witness.example/w1"
KEY = SigningKey(b"\x02" * 32)
VKEY = NoteKey(NAME, KEY.public, note.COSIGNATURE)
NOW = 1_790_000_000


def cosign(text: bytes, name: str, key: SigningKey, time: int) -> NoteSignature:
    """Return the type 04 signature of `text` under `name`, made at `time` (seconds since 1970)."""
    signature = time.to_bytes(8, "big") + key.sign(note.cosigned(text, time))
    return NoteSignature(name, NoteKey(name, key.public, note.COSIGNATURE).key_id, signature)


@dataclass
class Witness:
    """Follows the page: the order of its checks, its status codes, its answers."""

    log: NoteKey
    size: int = 0
    root: bytes = b""
    time: int = NOW
    asked: list[bytes] = field(default_factory=list)

    def reply(self, request: Request) -> Reply:
        assert (request.method, request.path) == ("POST", "/w/add-checkpoint")
        self.asked.append(request.body)
        top, _, data = request.body.partition(b"\n\n")
        old_line, *proof_lines = top.split(b"\n")
        assert old_line.startswith(b"old ")
        old = int(old_line[4:])
        assert old_line == b"old %d" % old
        made, parsed = checkpoint.parse(data)
        if made.origin != self.log.name:
            return 404, b"unknown log\n"
        if not any(note.check(parsed.text, each, self.log) for each in parsed.signatures):
            return 403, b""
        if old > made.size:
            return 400, b""
        if old != self.size or (old == made.size and made.root != self.root):
            return 409, b"%d\n" % self.size, {"Content-Type": "text/x.tlog.size"}
        proof = [base64.b64decode(line, validate=True) for line in proof_lines]
        if (
            old
            and not (old == made.size and not proof and made.root == self.root)
            and not verify_consistency(old, made.size, proof, self.root, made.root)
        ):
            return 422, b""
        self.size, self.root = made.size, made.root
        return 200, cosign(parsed.text, NAME, KEY, self.time).line()


@contextlib.contextmanager
def serve(one: Witness) -> Iterator[str]:
    with serving(one.reply) as address:
        yield f"{address}/w"
