"""What a proof file shows, by itself: no ledger, no key file and no network is asked.

Implements specs/proofs.md (T-45…T-53). Pure: bytes and the keys that the caller trusts in, findings out. Each
sentence rests on a hash or a signature that was checked here, and says which.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from ledger import note
from ledger.check import CheckedLine, LineChecker, Link
from ledger.errors import FormatError
from ledger.note import NoteKey
from proofs import checkpoint, merkle
from proofs.checkpoint import Checkpoint, Origin
from proofs.heads import seq_of
from proofs.policy import Policy
from proofs.proof import AnchorReceipt, Included, Proof

SHOWN, WRONG, UNCHECKED = "shown", "wrong", "not checked"
SOUND, FINDINGS, UNKNOWN_SIGNER = "sound", "findings", "unknown signer"
"""The result for a whole proof: good, wrong in a part, or signed by a key of unknown owner."""

Receipts = Mapping[str, Callable[[bytes, bytes], "JudgedItem"]]
"""By kind: judges what somebody outside said (the second argument) of a checkpoint's note (the first)."""


@dataclass(frozen=True, slots=True)
class JudgedItem:
    """One thing that a proof is asked: its `state` is SHOWN, WRONG or UNCHECKED, and `sentence` says by what."""

    name: str
    state: str
    sentence: str

    def to_json(self) -> dict[str, str]:
        """Return it as a JSON-ready object."""
        return {"name": self.name, "state": self.state, "sentence": self.sentence}


@dataclass(frozen=True, slots=True)
class Judgement:
    """What a proof shows.

    `event` is the decoded EVENT and `payload` the decoded PAYLOAD, each only if it was shown; `id` is the
    event's. `vkey` is the key that signed the checkpoint, as `--key` takes it. `vouched`: the verifier named
    the key whose checkpoints to trust.
    """

    items: tuple[JudgedItem, ...]
    index: int
    checkpoint: Checkpoint
    id: str = ""
    event: Mapping[str, Any] | None = None
    payload: Mapping[str, Any] | None = None
    vkey: str = ""
    vouched: bool = False

    @property
    def wrong(self) -> bool:
        """Whether something in it is wrong."""
        return any(item.state == WRONG for item in self.items)

    @property
    def result(self) -> str:
        """SOUND, FINDINGS or UNKNOWN_SIGNER (T-49)."""
        if self.wrong:
            return FINDINGS
        return SOUND if self.vouched else UNKNOWN_SIGNER


@dataclass(frozen=True, slots=True)
class VerifierTrust:
    """Whom the verifier trusts: keys of the log that they named, and a policy."""

    keys: Sequence[NoteKey] = ()
    policy: Policy | None = None

    @property
    def logs(self) -> list[NoteKey]:
        """The keys of logs that were named, in either way."""
        return [*self.keys, *(self.policy.logs if self.policy else ())]


def judge(proof: Proof, trust: VerifierTrust | None = None, receipts: Receipts | None = None) -> Judgement:
    """Return what `proof` shows to somebody who trusts the keys in `trust`.

    Raises:
        FormatError: its checkpoint is malformed, or not one of a muniment.
    """
    trust = trust or VerifierTrust()
    made, _ = checkpoint.parse(proof.note)
    origin = Origin.of(made.origin)
    if origin is None:
        raise FormatError("T-20", f"the checkpoint is another log's ({made.origin[:80]!r}), not a muniment's")
    keys = _Keys(proof, made, origin)
    link = keys.at(proof.index)
    event, checked = _event(proof, made, link)
    items = [event, _payload(proof, checked), keys.item, _checkpoint(proof, made, keys, trust)]
    if checked and (fault := keys.epoch_fault(made.size, origin, checked)):
        items[-1] = JudgedItem("checkpoint", WRONG, fault)
    if checked and (disowned := keys.disowned(proof.index)):
        items.append(disowned)
    items += [_cosigned(proof, made, keys, trust), *_receipts(proof, receipts or {})]
    vkey = NoteKey(made.origin, keys.links[-1].key).vkey if keys.links else ""
    return Judgement(
        tuple(items),
        proof.index,
        made,
        checked.id if checked else "",
        checked.head if checked else None,
        checked.payload if checked and checked.state == "ok" else None,
        vkey,
        bool(trust.logs),
    )


def _is_included(each: Included, seq: int, made: Checkpoint) -> bool:
    return merkle.verify_inclusion(merkle.leaf_hash(each.head), seq, made.size, each.hashes, made.root)


class _Keys:
    """The keys of the chain as the file shows them: each from a head that is in the tree, and committed to before.

    None can be left out between two of them: the commitment of the earlier one would not fit (E-21).
    """

    def __init__(self, proof: Proof, made: Checkpoint, origin: Origin) -> None:
        self.links: list[Link] = []
        self._since: list[tuple[int, int]] = []
        self.item = self._read(proof, made, origin)

    def _read(self, proof: Proof, made: Checkpoint, origin: Origin) -> JudgedItem:
        link: Link | None = None
        for each in proof.keys:
            checker = LineChecker(link._replace(broken=True) if link else None)
            checked = checker.take(each.head + b"}")
            if checked is None or checker.link is None:
                why = checker.findings[-1].message if checker.findings else "it is not an event"
                return JudgedItem(
                    "keys", WRONG, f"the event that brings key {len(self.links) + 1} is not good: {why}"
                )
            seq = checked.head["seq"]
            if checked.head["kind"] not in ("genesis", "rotate") or (link and seq <= link.seq):
                return JudgedItem("keys", WRONG, "the events that bring keys are others, or out of order")
            if not _is_included(each, seq, made):
                return JudgedItem(
                    "keys", WRONG, f"event @{seq}, which brings a key, is not in the checkpoint's tree"
                )
            if link is None and checked.id != origin.genesis:
                return JudgedItem("keys", WRONG, "the genesis is not the one that the checkpoint names")
            link = checker.link
            self.links.append(link)
            if "since" in checked.head:
                self._since.append((checked.head["since"], seq))
        if not self.links:
            return JudgedItem("keys", WRONG, "the genesis is not in the file, so there is no key to judge by")
        number = len(self.links) - 1
        leads = (
            f", from which {number} rotation{'s lead' if number > 1 else ' leads'} to the present one"
            if number
            else ""
        )
        return JudgedItem("keys", SHOWN, f"the key of genesis {origin.genesis[:16]}…{leads}")

    def at(self, seq: int) -> Link | None:
        """Return what event `seq` is checked against: the newest key event before it."""
        return next((link for link in reversed(self.links) if link.seq < seq), None)

    def epoch_fault(self, size: int, origin: Origin, event: CheckedLine) -> str:
        """Return why the origin's epoch is not that of the tree's newest event, as far as the file can tell; "" else (T-48)."""
        epochs = {link.seq: link.epoch for link in self.links} | {event.head["seq"]: event.head["epoch"]}
        rising = [epochs[seq] for seq in sorted(epochs)]
        if [*rising, origin.epoch] != sorted([*rising, origin.epoch]):
            return f"it names epoch {origin.epoch}, and the events in the file are not of epochs that lead up to it"
        if epochs.get(size - 1, origin.epoch) != origin.epoch:
            return f"it names epoch {origin.epoch}, and its newest event is of epoch {epochs[size - 1]}"
        return ""

    def disowned(self, seq: int) -> JudgedItem | None:
        """Return the finding where the owner disowned the key that signed event `seq` (E-14, `since`)."""
        for since, at in self._since:
            if since <= seq < at:
                what = f"@{at} disowns what the key before it signed from @{since} on: the key was stolen"
                return JudgedItem("signer", WRONG, what)
        return None


def _event(proof: Proof, made: Checkpoint, link: Link | None) -> tuple[JudgedItem, CheckedLine | None]:
    """Judge the event: its place in the tree, and its own signature by the key in force."""
    if seq_of(proof.event.head) != proof.index:
        return JudgedItem("event", WRONG, f"the event in the file is not @{proof.index}"), None
    if not _is_included(proof.event, proof.index, made):
        return JudgedItem("event", WRONG, f"it is not @{proof.index} of the checkpoint's tree"), None
    if link is None and proof.index > 0:
        return JudgedItem("event", WRONG, "no key of the chain is shown that it could be judged by"), None
    tail = b"}" if proof.payload is None else b',"payload":%s}' % proof.payload
    checker = LineChecker(link._replace(broken=True) if link else None)
    checked = checker.take(proof.event.head + tail)
    if checked is None:
        return JudgedItem("event", WRONG, checker.findings[-1].message), None
    where = f"@{proof.index} of {made.size} events in the checkpoint's tree"
    return JudgedItem("event", SHOWN, f"{where}, signed by the key in force there"), checked


def _payload(proof: Proof, checked: CheckedLine | None) -> JudgedItem:
    if checked is None:
        return JudgedItem("text", UNCHECKED, "without the event nothing can be said of it")
    if "commit" not in checked.head:
        if proof.payload is not None:
            return JudgedItem("text", WRONG, "the signature does not cover it")
        return JudgedItem("text", SHOWN, "the event has none")
    if proof.payload is None:
        return JudgedItem("text", UNCHECKED, "not in the file: erased, or left out; the event commits to it")
    if checked.state == "ok":
        return JudgedItem("text", SHOWN, "what the event commits to, byte for byte")
    return JudgedItem("text", WRONG, "it is not what was signed")


def _checkpoint(proof: Proof, made: Checkpoint, keys: _Keys, trust: VerifierTrust) -> JudgedItem:
    """Judge the checkpoint's own signature, and whether a key that the verifier named stands behind it."""
    if not keys.links or keys.item.state == WRONG:
        return JudgedItem("checkpoint", WRONG, "no key of the chain is shown that could have signed it")
    own = NoteKey(made.origin, keys.links[-1].key)
    try:
        checkpoint.signatures(proof.note, [own])
    except FormatError as error:
        return JudgedItem("checkpoint", WRONG, f"the key in force at its end did not sign it ({error})")
    what = f"a tree of {made.size} events, signed by the key in force at its end"
    logs = trust.logs
    if not logs:
        return JudgedItem("checkpoint", SHOWN, f"{what}; the signer is unverified: give --key or --policy")
    known = {link.key for link in keys.links}
    ours = [key for key in logs if key.type == note.ED25519 and _genesis(key) == _genesis(own)]
    named = [key for key in ours if key.public in known]
    if not named and ours:
        later = "the key that you named is not among those up to there: it came later, or is another's"
        return JudgedItem("checkpoint", WRONG, f"{what}; {later}; ask for a proof under a newer checkpoint")
    if not named:
        return JudgedItem("checkpoint", WRONG, f"{what}, which is not of the ledger whose key you named")
    if trust.keys and not any(key in trust.keys for key in named):
        return JudgedItem("checkpoint", WRONG, f"{what}, which is not of the ledger whose --key you named")
    by = "the one" if own.public in {key.public for key in named} else "of the ledger whose earlier key"
    return JudgedItem("checkpoint", SHOWN, f"{what}, {by} you named")


def _genesis(key: NoteKey) -> str:
    origin = Origin.of(key.name)
    return origin.genesis if origin else ""


def _cosigned(proof: Proof, made: Checkpoint, keys: _Keys, trust: VerifierTrust) -> JudgedItem:
    """Judge the cosignatures of witnesses by the policy's quorum."""
    if trust.policy is None:
        count = len(note.parse(proof.note).signatures) - 1
        there = f"{count} other signature{'s' if count != 1 else ''} in it" if count else "none in it"
        return JudgedItem("witnesses", UNCHECKED, f"no policy given ({there})")
    if trust.policy.quorum == "none":
        return JudgedItem("witnesses", UNCHECKED, "the policy asks for none")
    if not keys.links:
        return JudgedItem("witnesses", WRONG, "the checkpoint itself is not shown")
    own, witnesses = NoteKey(made.origin, keys.links[-1].key), trust.policy.witnesses.values()
    try:
        signed = checkpoint.signatures(proof.note, [own], witnesses)
    except FormatError as error:
        return JudgedItem("witnesses", WRONG, str(error))
    cosigners = {each.key: each.time for each in signed if each.time is not None}
    seen = trust.policy.seen_by(cosigners)
    if not trust.policy.is_met(cosigners):
        who = f"only {', '.join(seen)}" if seen else "no witness of it"
        return JudgedItem("witnesses", WRONG, f"the policy's quorum is not met: {who} cosigned")
    timed = {key: time for key, time in cosigners.items() if time}  # 0 states none (W-51)
    if not trust.policy.is_met(timed):
        what = f"{', '.join(seen)} saw this tree; not all that the quorum takes say by when"
        return JudgedItem("witnesses", SHOWN, what)
    dated = trust.policy.seen_by(timed)
    others = [name for name in seen if name not in dated]
    more = f"; {', '.join(others)} too, without a time" if others else ""
    when = _moment(max(timed.values()))
    return JudgedItem("witnesses", SHOWN, f"{', '.join(dated)} saw this tree by {when} (their clocks){more}")


def _moment(seconds: int) -> str:
    """Return an instant as people read it; what no calendar has, as it is."""
    try:
        return f"{datetime.fromtimestamp(seconds, UTC):%Y-%m-%d %H:%M:%S}Z"
    except (ValueError, OverflowError, OSError):
        return f"second {seconds} of 1970 on"


def _receipts(proof: Proof, judges: Receipts) -> list[JudgedItem]:
    if not proof.receipts:
        return [
            JudgedItem(
                "time", UNCHECKED, "no timestamp is in the file: the only time is the event's own clock"
            )
        ]
    return [_receipt(proof, each, judges) for each in proof.receipts]


def _receipt(proof: Proof, receipt: AnchorReceipt, judges: Receipts) -> JudgedItem:
    judged = judges.get(receipt.kind)
    if judged is None:
        return JudgedItem(
            "time", UNCHECKED, f"a receipt of kind {receipt.kind[:40]!r}, which was not looked at"
        )
    return judged(proof.note, receipt.data)
