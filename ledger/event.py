"""One event: its line on disk, its id, and its value in memory.

Implements specs/event.md (E-1…E-13). Layout of a line:

    {"event":EVENT,"sig":"SIG86"}                      head is everything through the quote after SIG86
    {"event":EVENT,"sig":"SIG86","payload":PAYLOAD}
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache

from blake3 import blake3

from ledger.errors import FormatError, RecordError
from ledger.named_tuple import NamedTuple

TYPE_CHECKING = False  # as in typing, whose import would cost a hook a fifth of its time
if TYPE_CHECKING:
    from typing import Any

MAX_LINE_BYTES = 65_535
SIGNED_PREFIX = b"memory-ledger/v1 event\n"
ROTATE_PREFIX = b"memory-ledger/v1 rotate\n"
ID_CONTEXT = "memory-ledger 2026-11-20 event id v1"
PAYLOAD_CONTEXT = "memory-ledger 2026-11-20 payload v1"
NEXT_KEY_CONTEXT = "memory-ledger 2026-11-20 next key v1"

_OPEN = b'{"event":'
_SIG = b',"sig":"'
_PAYLOAD = b',"payload":'
_OPENED, _SIG_OPENED, _PAYLOAD_OPENED = len(_OPEN), len(_SIG), len(_PAYLOAD)
_SIG_LENGTH = 86
_BOM = b"\xef\xbb\xbf"
_CONTROLS = bytes(range(0x20))
_CONTROL_NAMES = {
    0x00: "a zero byte (a lost disk page?)",
    0x09: "a tab",
    0x0D: "a carriage return (was the file saved with CRLF?)",
}


class LineParts(NamedTuple):
    """The parts of one line, as bytes of the file; `payload` is None if the line has none."""

    event: bytes
    sig: bytes
    head: bytes
    payload: bytes | None


def split_line(raw: bytes) -> LineParts:
    """Cut a line (without its LF) into its parts; nothing is parsed.

    Control bytes (E-3) are not looked for: no line that passes every check holds one. `control_byte` names
    them where a check failed.

    Raises:
        FormatError: the bytes do not have the shape of E-1…E-3; `code` is the finding's code.
    """
    if len(raw) > MAX_LINE_BYTES:
        message = f"the line is longer than the {MAX_LINE_BYTES} bytes that are allowed"
        raise FormatError("E-2", message, code="line-too-long")
    if not raw.startswith(_OPEN):
        raise _opening_error(raw)
    cut = raw.find(_SIG, _OPENED)
    sig = cut + _SIG_OPENED
    end = sig + _SIG_LENGTH
    if cut < 0 or raw[end : end + 1] != b'"':
        message = "the signature is missing: the line is cut, or not an event"
        raise FormatError("E-1", message, code="framing")
    head = raw[: end + 1]
    payload = end + 1 + _PAYLOAD_OPENED
    if raw.endswith(b"}"):
        if raw.startswith(_PAYLOAD, end + 1) and len(raw) > payload + 1:
            return LineParts(raw[_OPENED:cut], raw[sig:end], head, raw[payload:-1])
        if len(raw) == end + 2:
            return LineParts(raw[_OPENED:cut], raw[sig:end], head, None)
    raise FormatError("E-1", "the line does not end as an event does", code="framing")


def control_byte(raw: bytes) -> FormatError | None:
    """Return the error for the first control byte of a line, or None if it has none (E-3)."""
    if len(raw.translate(None, _CONTROLS)) == len(raw):
        return None
    at = next(i for i, byte in enumerate(raw) if byte < 0x20)
    what = _CONTROL_NAMES.get(raw[at], f"the control byte {raw[at]:02x}")
    return FormatError("E-3", f"byte {at + 1} of the line is {what}", code="raw-control")


def _opening_error(raw: bytes) -> FormatError:
    if raw.startswith(_BOM):
        return FormatError("E-3", "a byte-order mark precedes the event", code="bom")
    if not raw:
        return FormatError("C-1", "the line is blank", code="blank-line")
    return FormatError("E-1", 'the line does not begin with {"event":', code="framing")


def is_blanked(payload: bytes) -> bool:
    """Return whether a line's payload bytes are those of an erased event (E-4)."""
    return payload.startswith(b"null") and not payload[4:].strip(b" ")


def blanked(size: int) -> bytes:
    """Return the bytes that replace a payload of `size` bytes when it is erased (E-4)."""
    return b"null".ljust(size)


def event_id(head: bytes) -> str:
    """Return the id of the event with this head (E-11)."""
    return _ID.copy().update(head).hexdigest()


def commitment(payload: bytes) -> str:
    """Return the commitment to these PAYLOAD bytes (E-12)."""
    return _PAYLOAD_COMMIT.copy().update(payload).hexdigest()


# Deriving the key from its context costs as much as a head; a copy starts after it.
_ID = blake3(derive_key_context=ID_CONTEXT)
_PAYLOAD_COMMIT = blake3(derive_key_context=PAYLOAD_CONTEXT)


def next_key_commitment(public: bytes) -> str:
    """Return the commitment to the next public key of 32 bytes (E-19)."""
    return blake3(public, derive_key_context=NEXT_KEY_CONTEXT).hexdigest()


class Built(NamedTuple):
    """A new line, ready to be written: the whole line without LF, and its event's id."""

    raw: bytes
    id: str
    event: dict[str, Any]
    payload: dict[str, Any] | None


def build_line(
    event: dict[str, Any], payload: dict[str, Any] | None, salt: bytes, sign: Callable[[bytes], bytes]
) -> Built:
    """Encode, commit, sign and frame one event.

    Args:
        event: members of EVENT without `commit`; the caller checks the result with `schema.event_fault`.
        payload: members of PAYLOAD without `salt`, or None.
        salt: 16 random bytes.
        sign: returns the 64-byte signature of the bytes that it is given.

    Raises:
        RecordError: not encodable, or the line would be longer than 65,535 bytes.
    """
    import orjson  # who only reads an index imports this module, too, and hooks wait for it

    from ledger.canonical import b64, encode

    tail: bytes | None = None
    if payload is not None:
        payload = {**payload, "salt": b64(salt)}
        tail = encode(payload)
        event = {**event, "commit": commitment(tail)}
    try:
        body = orjson.dumps(
            event, option=orjson.OPT_SORT_KEYS
        )  # `event_fault` knows every member: no other check
    except TypeError as error:
        raise RecordError(f"cannot be stored: {error}") from None
    head = b"".join((_OPEN, body, _SIG, b64(sign(SIGNED_PREFIX + body)).encode(), b'"'))
    raw = head + b"}" if tail is None else b"".join((head, _PAYLOAD, tail, b"}"))
    if len(raw) > MAX_LINE_BYTES:
        limit = f"at most {MAX_LINE_BYTES} fit in one line"
        raise RecordError(f"the event has {len(raw)} bytes; {limit}: make the text shorter")
    return Built(raw, event_id(head), event, payload)


class By(NamedTuple):
    """Who wrote an event and through which door, as the writer claimed it (E-17)."""

    name: str
    role: str = "user"
    via: str = "library"


_by = lru_cache(maxsize=256)(By)


class Event(NamedTuple):
    """A checked event.

    `ts` orders and `at` is the clock (both as written; `at` equals `ts` where the line holds none).
    `payload` is None for an event without payload and for an erased one; `erased` tells them apart. `chain`
    is the genesis id of its chain; `offset` and `size` are the line's place in the file
    in bytes, its LF not counted.
    """

    id: str
    seq: int
    kind: str
    ts: str
    at: str
    epoch: int
    by: By
    targets: tuple[str, ...]
    seen: tuple[str, ...]
    payload: Mapping[str, Any] | None
    erased: bool
    chain: str
    offset: int
    size: int
    head: Mapping[str, Any]


def event_value(
    decoded: Mapping[str, Any],
    id_: str,
    payload: Mapping[str, Any] | None,
    *,
    erased: bool = False,
    chain: str = "",
    offset: int = 0,
    size: int = 0,
) -> Event:
    """Return the Event of a decoded, checked EVENT and PAYLOAD."""
    by = decoded["by"]
    ts = decoded["ts"]
    return Event(
        id_,
        decoded["seq"],
        decoded["kind"],
        ts,
        decoded.get("at", ts),
        decoded["epoch"],
        _by(by["name"], by["role"], by["via"]),
        tuple(decoded.get("targets", ())),
        tuple(decoded.get("seen", ())),
        payload,
        erased,
        chain,
        offset,
        size,
        decoded,
    )
