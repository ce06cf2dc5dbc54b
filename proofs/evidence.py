"""What receipts show: who attests that a checkpoint existed by when, judged by whom the person trusts.

Implements specs/anchors.md (W-1, W-60…W-62) and specs/verification.md (V-41, V-42). Pure but for imports: the caller reads
files and chain.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from ledger import note
from ledger.errors import FormatError, LedgerError, UsageError
from ledger.extras import how_to_install
from ledger.finding import Finding
from ledger.instant import SECOND, written
from ledger.note import NoteKey
from ledger.verify import Verdict
from proofs import checkpoint, evm, ots, receipts, rfc3161, web
from proofs.checkpoint import Checkpoint
from proofs.policy import Policy
from proofs.proof_judgement import SHOWN, UNCHECKED, WRONG, JudgedItem, Receipts

if TYPE_CHECKING:
    from cryptography.x509 import Certificate

NOT_UNIQUE = "Anchoring shows that it existed by then, not that there is no other history."
_LESS = "not checked: it cosigned, which alone is less than the quorum of the policy"
_LAST = 253_402_300_799
"""Seconds since 1970 of the last instant that can be written: 9999-12-31T23:59:59Z."""


@dataclass(frozen=True, slots=True)
class TrustedParties:
    """Whom the person believes: witnesses, their quorum, authorities' roots, and block headers by height."""

    witnesses: tuple[NoteKey, ...] = ()
    policy: Policy | None = None
    roots: Sequence[Certificate] = ()
    headers: Mapping[int, ots.Header] = field(default_factory=dict)

    def witness_keys(self) -> tuple[NoteKey, ...]:
        """Return the keys of all witnesses that are known."""
        named = self.policy.witnesses.values() if self.policy else ()
        return tuple(dict.fromkeys([*self.witnesses, *named]))


@dataclass(frozen=True, slots=True)
class Evidence:
    """What one receipt shows of a checkpoint of `size` events.

    `state` is "held", "not checked" or "wrong". `source` names who says it, `time` is by when, in microseconds since 1970
    (None but where it held), `message` what was not checked, or what is wrong.
    """

    method: str
    size: int
    file: str
    state: str
    source: str
    time: int | None = None
    message: str = ""
    where: str = ""

    def __str__(self) -> str:
        events = f"@0…@{self.size - 1}" if self.size > 1 else "@0" if self.size else "the empty tree"
        if self.time is not None and self.state == "held":
            more = f"; {self.message}" if self.message else ""
            return f"{events} existed by {_shown(self.time)}, by {self.source}{more}"
        return f"{events}, {self.source}: {self.message}"

    def to_json(self) -> dict[str, Any]:
        """Return it as `--json` has it."""
        return {
            "method": self.method,
            "size": self.size,
            "file": self.file,
            "where": self.where or None,
            "state": self.state,
            "source": self.source,
            "time": written(self.time) if self.time is not None else None,
            "message": self.message,
        }


def _shown(time: int) -> str:
    """Return an instant to the second, the later one: it says by when."""
    text = written(-(-time // SECOND) * SECOND)
    return f"{text[:10]} {text[11:19]}Z"


# --- one receipt ---------------------------------------------------------------------------------------------


def judged(found: receipts.ReceiptFile, made: Checkpoint, trust: TrustedParties) -> list[Evidence]:
    """Return what a receipt's file shows of a checkpoint; never raises, whatever the file contains."""
    if found.fault:
        return [_of(found, made, "wrong", found.method, message=found.fault)]
    judge = {"witness": _witness, "ots": _ots, "rfc3161": _rfc3161, "evm": _evm}[found.method]
    try:
        return list(judge(found, made, trust))
    except FormatError as error:
        return [_of(found, made, "wrong", found.method, message=str(error))]
    except ModuleNotFoundError:
        return [_of(found, made, "not checked", found.method, message=f"not checked: {_needs()}")]


def _of(found: receipts.ReceiptFile, made: Checkpoint, state: str, source: str, **more: Any) -> Evidence:
    return Evidence(found.method, made.size, f"{receipts.FOLDER}/{found.name}", state, source, **more)


def _witness(found: receipts.ReceiptFile, made: Checkpoint, trust: TrustedParties) -> Iterator[Evidence]:
    parsed = note.parse(found.data)
    if parsed.text != made.text():
        raise FormatError("W-3", "it cosigns another checkpoint", code="receipt-digest")
    known = {(key.name, key.key_id): key for key in trust.witness_keys()}
    held: dict[NoteKey, Evidence] = {}
    for each in parsed.signatures:
        key = known.get((each.name, each.key_id))
        name = web.printable(each.name.encode())
        if key is None:
            if each.name != made.origin:
                unknown = "not checked: the key of this witness is not given (--witness or --policy)"
                yield _of(found, made, "not checked", f"the witness {name}", message=unknown)
            continue
        said = note.check(parsed.text, each, key)
        if said is None or said.time is None or said.time > _LAST:
            raise FormatError("W-51", f"the cosignature of {name} does not match", code="receipt-signature")
        when = said.time * SECOND if said.time else None  # 0 is not a real time
        message = "" if when else "its cosignature states no time"
        held[key] = _of(found, made, "held", f"the witness {name}", time=when, message=message)
    yield from dict.fromkeys(_counted(held, trust))


def _counted(held: Mapping[NoteKey, Evidence], trust: TrustedParties) -> Iterator[Evidence]:
    """Yield what cosignatures that hold count for: each of a given key, and those of a policy as its quorum (W-64).

    The quorum has seen it by the time at which the last of those cosigned that it takes.
    """
    yield from (each for key, each in held.items() if key in trust.witnesses)
    policy = trust.policy
    named = [key for key in held if policy and key in policy.witnesses.values()]
    named.sort(key=lambda key: (held[key].time is None, held[key].time))  # who states no time counts last
    for count in range(1, len(named) + 1):
        if policy and policy.quorum != "none" and policy.is_met(named[:count]):
            source = ", ".join(held[key].source for key in named[:count])
            yield replace(held[named[count - 1]], source=source)
            return
    for key in named:
        if key not in trust.witnesses:
            yield replace(held[key], state="not checked", time=None, message=_LESS)


def _ots(found: receipts.ReceiptFile, made: Checkpoint, trust: TrustedParties) -> Iterator[Evidence]:
    stamped = ots.read(found.data)
    if stamped.digest != receipts.digest(made.text()):
        raise FormatError("W-21", "it is of another digest than the checkpoint's", code="receipt-digest")
    held, wrong = ots.proved(stamped, trust.headers)
    for height, time in held:
        source = f"the block {height} of Bitcoin, as the header that was given says"
        yield _of(found, made, "held", source, time=time * SECOND, message=ots.NOT_CHECKED)
    for height in wrong:
        message = f"the header that was given for block {height} does not commit to it"
        yield _of(found, made, "wrong", f"the block {height} of Bitcoin", message=message)
    for each in stamped.attested:
        if each.height not in trust.headers:
            message = f"not checked: the header of block {each.height} is not given (--headers)"
            yield _of(found, made, "not checked", f"the block {each.height} of Bitcoin", message=message)
    if not stamped.attested:
        calendars = (
            ", ".join(sorted({each.address for each in stamped.pending})) or "nobody that is known here"
        )
        message = "not checked: in no block yet; muniment anchor ots upgrade URL asks for it"
        yield _of(found, made, "not checked", f"the promise of {calendars}", message=message)


def _rfc3161(found: receipts.ReceiptFile, made: Checkpoint, trust: TrustedParties) -> Iterator[Evidence]:
    digest = receipts.digest(made.text())
    said = rfc3161.read(found.data, digest)
    source = f"the authority {said.signer}" if said.signer else "an authority that its token does not name"
    if not trust.roots:
        message = f"not checked: no root of it is given (--roots); it says {_shown(said.time)}"
        yield _of(found, made, "not checked", source, message=message)
    elif not rfc3161.leads_to(found.data, trust.roots):
        message = f"not checked: none of the given roots is its own; it says {_shown(said.time)}"
        yield _of(found, made, "not checked", source, message=message)
    else:
        said = rfc3161.verify(found.data, digest, trust.roots)
        yield _of(found, made, "held", source, time=said.time, message=rfc3161.NOT_CHECKED)


def _evm(found: receipts.ReceiptFile, made: Checkpoint, _: TrustedParties) -> Iterator[Evidence]:
    data, sent = evm.parsed(found.data)
    if data != f"0x{evm.calldata(receipts.digest(made.text())).hex()}":
        raise FormatError(
            "W-40", "its data is of another digest than the checkpoint's", code="receipt-digest"
        )
    for each in sent:
        message = "not checked: whether it is on the chain, and since when, a node of that chain knows"
        yield _of(
            found, made, "not checked", f"the transaction {web.printable(each.encode())}", message=message
        )


# --- the verdict ---------------------------------------------------------------------------------------------


def receipt_judges(trust: TrustedParties) -> Receipts:
    """Return what judges the receipts in a proof file, by the kinds that `proofs.proof` gives them."""
    kinds = {"ots": "ots", "tsr": "rfc3161", "evm.json": "evm"}
    return {kind: functools.partial(_item, method, trust) for kind, method in kinds.items()}


def _item(method: str, trust: TrustedParties, data: bytes, receipt: bytes) -> JudgedItem:
    found = judged(receipts.ReceiptFile(method, method, receipt), checkpoint.parse(data)[0], trust)
    wrong = [each for each in found if each.state == "wrong"]
    held = sorted((each for each in found if each.state == "held"), key=lambda each: each.time or 0)
    said = "; ".join(str(each) for each in wrong or held or found) or "nothing"
    state = WRONG if wrong else SHOWN if held else UNCHECKED
    return JudgedItem("time", state, f"{said}. {NOT_UNIQUE}" if state == SHOWN else said)


def time_verdict(found: Sequence[Evidence], anchored: int = 0) -> Verdict:
    """Return the verdict *time* (V-41): the earliest time that is shown for the most events, and what is wrong.

    Args:
        found: the findings on every receipt of a checkpoint of this chain.
        anchored: how many `anchor` events the chain has, for the sentence without a receipt.
    """
    wrong = tuple(
        Finding(
            "anchor-wrong", "V-42", f"{each.file}: {each.message}", None, each.size - 1 if each.size else None
        )
        for each in found
        if each.state == "wrong"
    )
    held = [each for each in found if each.state == "held" and each.time is not None]
    if wrong:
        count = f"{len(wrong)} receipt{'s do' if len(wrong) != 1 else ' does'} not hold."
        return Verdict("findings", count, wrong)
    if held:
        best = min(held, key=lambda each: (-each.size, each.time))
        more = f"; {len(held) - 1} more below" if len(held) > 1 else ""
        sentence = str(replace(best, message=""))
        return Verdict("sound", f"{sentence[0].upper()}{sentence[1:]}{more}. {NOT_UNIQUE}")
    if any(each.message == _LESS for each in found):
        return Verdict("not checked", "Time not checked: the quorum of the policy is not met; see below.")
    if found:
        return Verdict("not checked", "Time not checked: nobody who said when is trusted here; see below.")
    if anchored:
        return Verdict("not checked", f"Time not checked: of {anchored} anchors no receipt is here.")
    return Verdict("not checked", "Time not checked: this ledger is not anchored.")


# --- what the person trusts ----------------------------------------------------------------------------------


def headers_of(data: bytes) -> dict[int, ots.Header]:
    """Return the block headers of a file with lines `HEIGHT HEADER` (W-62).

    Raises:
        UsageError: a line is none; the message names it.
    """
    found = {}
    for number, line in enumerate(data.decode("utf-8", "replace").splitlines(), 1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        match = re.fullmatch(r"\s*(0|[1-9][0-9]{0,8})\s+([0-9a-fA-F]{160})\s*", line)
        if match is None:
            raise UsageError(
                f"line {number} of the headers is not HEIGHT and the 160 hex digits of a block header"
            )
        found[int(match[1])] = ots.header(bytes.fromhex(match[2]))
    return found


def witness_key(vkey: str) -> NoteKey:
    """Return the key of a witness that a person gave.

    Raises:
        UsageError: it is not a vkey, or not a witness's.
    """
    try:
        key = NoteKey.from_vkey(vkey)
    except LedgerError as error:
        raise UsageError(f"no witness's key: {error}") from None
    if key.type != note.COSIGNATURE:
        raise UsageError(
            "no witness's key: it is of type 01, which signs checkpoints; a witness has one of type 04"
        )
    return key


def _needs() -> str:
    return f"needs muniment[anchors]: {how_to_install('anchors')}"
