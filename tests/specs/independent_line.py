"""One event line, judged by the text of specs/ alone; half of the independent verifier.

Implements specs/event.md (E-1…E-24), specs/memory.md (M-1…M-10) and specs/verification.md (V-3, V-4) as a
stranger would, plainly and slowly, with nothing but the standard library, BLAKE3 and libsodium's Ed25519.
"""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date
from typing import Any

from blake3 import blake3
from nacl.bindings import crypto_sign_open
from nacl.exceptions import BadSignatureError

HEX32 = re.compile(r"[0-9a-f]{64}")
SLUG = re.compile(r"[a-z0-9][a-z0-9._-]{0,63}")
TIME = re.compile(r"(\d{4})-(\d\d)-(\d\d)T([01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{6}Z", re.ASCII)
LINE_ENDS = set("\n\x0b\x0c\r\x1c\x1d\x1e\x85\u2028\u2029\0")
SPACE = "\t \u00a0\u1680\u202f\u205f\u3000" + "".join(chr(n) for n in range(0x2000, 0x200B))


class Fault(Exception):  # noqa: N818 - what the specs call a finding
    """The code of the check that failed."""

    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.code = code


@dataclass
class Good:
    """A line whose head passed."""

    number: int
    offset: int
    event: dict[str, Any]
    id: str
    payload: bytes | None


def derived(context: str, data: bytes) -> str:
    return blake3(data, derive_key_context=context).hexdigest()


def identity(head: bytes) -> str:
    return derived("memory-ledger 2026-11-20 event id v1", head)


def signed_by(key: bytes, message: bytes, signature: bytes) -> bool:
    try:
        crypto_sign_open(signature + message, key)
    except BadSignatureError:
        return False
    return True


def base64url(text: str, size: int) -> bytes:
    """E-8; raises ValueError."""
    if not re.fullmatch("[A-Za-z0-9_-]*", text):
        raise ValueError(text)
    raw = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
    if len(raw) != size or base64.urlsafe_b64encode(raw).rstrip(b"=") != text.encode():
        raise ValueError(text)
    return raw


# --- canonical JSON: E-5…E-7 --------------------------------------------------------------------------------


def canonical(raw: bytes) -> dict[str, Any]:
    """Decode strictly; raises ValueError."""
    try:
        value = json.loads(raw.decode("utf-8"), parse_float=_refused, parse_constant=_refused)
        in_domain(value, 1)
    except RecursionError:
        raise ValueError("too deep") from None
    if not isinstance(value, dict):
        raise ValueError("no object")  # noqa: TRY004 - one exception for all that is not canonical
    if json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode() != raw:
        raise ValueError("spelled otherwise")
    return value


def _refused(text: str) -> None:
    raise ValueError(f"a float: {text}")


def in_domain(value: Any, level: int) -> None:
    if isinstance(value, str):
        if "\0" in value or any(0xD800 <= ord(c) < 0xE000 for c in value):
            raise ValueError("U+0000 or a lone surrogate")
    elif isinstance(value, int) and not isinstance(value, bool):
        if abs(value) >= 2**53:
            raise ValueError("a large integer")
    elif isinstance(value, list | dict):
        if level > 16:
            raise ValueError("too deep")
        if isinstance(value, dict) and not all(re.fullmatch("[a-z0-9_]+", name) for name in value):
            raise ValueError("a key")
        for item in value.values() if isinstance(value, dict) else value:
            in_domain(item, level + 1)


# --- members of EVENT: E-14…E-19, E-22 ----------------------------------------------------------------------

EVERYWHERE = {"v", "seq", "prev", "ts", "kind", "epoch", "by"}
KINDS: dict[str, tuple[set[str], set[str]]] = {
    "genesis": ({"key", "next", "nonce", "ledger"}, {"at"}),
    "create": ({"commit"}, {"at", "seen"}),
    "supersede": ({"commit", "targets"}, {"at", "seen"}),
    "delete": ({"targets"}, {"at", "seen", "commit"}),
    "confirm": ({"targets"}, {"at", "seen", "commit"}),
    "erase": ({"targets"}, {"at", "seen", "commit"}),
    "rotate": ({"key", "next"}, {"at", "seen", "proof", "since"}),
    "recover": ({"lost", "cut"}, {"at", "seen", "commit"}),
    "anchor": ({"commit"}, {"at", "seen"}),
}


def is_hex32(value: Any) -> bool:
    return isinstance(value, str) and HEX32.fullmatch(value) is not None


def is_count(value: Any, least: int = 0) -> bool:
    return type(value) is int and value >= least


def is_time(value: Any) -> bool:
    found = TIME.fullmatch(value) if isinstance(value, str) else None
    if not found:
        return False
    try:
        date(int(found[1]), int(found[2]), int(found[3]))
    except ValueError:
        return False
    return True


def is_slug(value: Any) -> bool:
    return isinstance(value, str) and SLUG.fullmatch(value) is not None


def are_ids(value: Any, most: int) -> bool:
    if not isinstance(value, list) or not 1 <= len(value) <= most or not all(map(is_hex32, value)):
        return False
    return len(set(value)) == len(value)


def is_base64url(value: Any, size: int) -> bool:
    try:
        base64url(value if isinstance(value, str) else "", size)
    except ValueError:
        return False
    return True


def is_by(value: Any) -> bool:
    return (
        isinstance(value, dict)
        and set(value) == {"name", "role", "via"}
        and is_slug(value["name"])
        and value["role"] in ("user", "agent", "system")
        and value["via"] in ("cli", "mcp", "hook", "library", "edit", "git", "import")
    )


def is_ledger(value: Any) -> bool:
    return (
        isinstance(value, dict)
        and set(value) == {"id", "name", "scope"}
        and isinstance(value["id"], str)
        and re.fullmatch("[0-9a-f]{32}", value["id"]) is not None
        and is_slug(value["name"])
        and value["scope"] in ("user", "project", "local")
    )


def is_lost(value: Any) -> bool:
    if value is None:
        return True
    return (
        isinstance(value, dict)
        and set(value) == {"id", "seq"}
        and is_hex32(value["id"])
        and is_count(value["seq"])
    )


MEMBERS: dict[str, Callable[[Any], bool]] = {
    "v": lambda value: type(value) is int and value == 1,
    "seq": is_count,
    "prev": lambda value: value is None or is_hex32(value),
    "ts": is_time,
    "at": is_time,
    "kind": lambda value: value in KINDS,
    "epoch": is_count,
    "by": is_by,
    "seen": lambda value: are_ids(value, 64),
    "targets": lambda value: are_ids(value, 16),
    "commit": is_hex32,
    "key": is_hex32,
    "next": is_hex32,
    "nonce": lambda value: is_base64url(value, 16),
    "ledger": is_ledger,
    "proof": lambda value: is_base64url(value, 64),
    "since": lambda value: is_count(value, 1),
    "lost": is_lost,
    "cut": lambda value: value is None or is_hex32(value),
}


def is_event(event: dict[str, Any]) -> bool:
    kind = event.get("kind")
    if not isinstance(kind, str) or kind not in KINDS:
        return False
    required, optional = KINDS[kind]
    names = set(event)
    if not EVERYWHERE | required <= names <= EVERYWHERE | required | optional:
        return False
    return all(MEMBERS[name](value) for name, value in event.items()) and event.get("at") != event["ts"]


# --- payloads: E-13, E-24, M-1…M-10 -------------------------------------------------------------------------


def is_text(value: Any, most: int | None = None) -> bool:
    return isinstance(value, str) and (most is None or len(value) <= most)


def is_line(value: Any, most: int) -> bool:
    return isinstance(value, str) and 1 <= len(value) <= most and not LINE_ENDS & set(value)


def are_lines(value: Any, count: int, most: int) -> bool:
    return isinstance(value, list) and len(value) <= count and all(is_line(item, most) for item in value)


def is_section(value: Any) -> bool:
    return is_line(value, 100) and value[0] != "#" and value[0] not in SPACE and value[-1] not in SPACE


def is_topic(value: Any) -> bool:
    segments = value.split("/") if isinstance(value, str) else []
    good = [re.fullmatch("[a-z0-9]+(-[a-z0-9]+)*", segment) and len(segment) <= 64 for segment in segments]
    return 1 <= len(good) <= 4 and all(good)


def is_part(value: Any) -> bool:
    if (
        not isinstance(value, dict)
        or not is_count(value.get("n"), 1)
        or not is_count(value.get("of"), value["n"])
    ):
        return False
    first = value.get("first")
    return first is None if value["n"] == 1 else is_hex32(first)


def is_place(value: Any) -> bool:
    if not isinstance(value, dict) or not is_line(value.get("doc"), 500):
        return False
    return value.get("after") is None or is_hex32(value["after"])


def is_provenance(value: Any) -> bool:
    names = "conversation message session agent task tool file author date".split()
    return isinstance(value, dict) and all(is_line(value[name], 500) for name in names if name in value)


def one_of(text: str) -> Callable[[Any], bool]:
    values = text.split()
    return lambda value: isinstance(value, str) and value in values


RECORD: dict[str, Callable[[Any], bool]] = {
    "text": lambda value: is_line(value, 1000) and value.strip(SPACE) != "",
    "details": lambda value: are_lines(value, 200, 1000),
    "title": lambda value: is_line(value, 200),
    "body": is_text,
    "part": is_part,
    "place": is_place,
    "topic": is_topic,
    "when_to_use": lambda value: are_lines(value, 100, 500),
    "tags": lambda value: are_lines(value, 100, 64),
    "type": one_of("fact preference decision note episode identity commitment"),
    "section": is_section,
    "tier": one_of("daily curated committed"),
    "importance": one_of("low medium high critical"),
    "confidence": lambda value: (
        isinstance(value, str) and re.fullmatch(r"0\.[0-9][0-9]|1\.00", value) is not None
    ),
    "inferred": lambda value: isinstance(value, bool),
    "source": one_of("auto manual"),
    "status": one_of("active candidate"),
    "category": one_of("repeated-correction error-pattern user-preference project-pattern tool-usage"),
    "provenance": is_provenance,
    "extra": is_text,
    "reason": lambda value: is_text(value, 4000),
}
NOTE: dict[str, Callable[[Any], bool]] = {
    "reason": lambda value: is_text(value, 4000),
    "provenance": is_provenance,
}
ANCHOR: dict[str, Callable[[Any], bool]] = {
    "size": is_count,
    **{name: lambda value: is_line(value, 1000) for name in ("method", "root", "digest", "file", "where")},
}


Rules = dict[str, Callable[[Any], bool]]
PAYLOADS: dict[str, tuple[Rules, str]] = {
    "create": (RECORD, "text"),
    "supersede": (RECORD, "text"),
    "anchor": (ANCHOR, "method"),
}


def is_payload(kind: str, payload: dict[str, Any]) -> bool:
    rules, required = PAYLOADS.get(kind, (NOTE, "salt"))
    if required not in payload or not is_base64url(payload.get("salt"), 16):
        return False
    return all(rules[name](value) for name, value in payload.items() if name in rules)


# --- one line: V-3, V-4 -------------------------------------------------------------------------------------


@dataclass
class State:
    """The newest good event, the keys in force, and whether the line before had a head finding."""

    event: dict[str, Any] | None = None
    id: str = ""
    key: bytes = b""
    next: str = ""
    genesis: str = ""
    loose: bool = False


def shaped(raw: bytes, *, controls: bool = False) -> tuple[bytes, bytes, bytes, bytes | None]:
    """Return EVENT, SIG, head and PAYLOAD, or raise the fault of E-1…E-3 and C-1."""
    if len(raw) > 65535:
        raise Fault("line-too-long")
    if not controls and any(byte < 0x20 for byte in raw):
        raise Fault("raw-control")
    if raw.startswith(b"\xef\xbb\xbf"):
        raise Fault("bom")
    if not raw:
        raise Fault("blank-line")
    opening, between, payload = b'{"event":', b',"sig":"', b',"payload":'
    cut = raw.find(between, len(opening))
    end = cut + len(between) + 86
    if not raw.startswith(opening) or cut < 0 or raw[end : end + 1] != b'"':
        raise Fault("framing")
    rest = raw[end + 1 :]
    event, sig, head = raw[len(opening) : cut], raw[cut + len(between) : end], raw[: end + 1]
    if rest == b"}":
        return event, sig, head, None
    if rest.startswith(payload) and rest.endswith(b"}") and len(rest) >= len(payload) + 2:
        return event, sig, head, rest[len(payload) : -1]
    raise Fault("framing")


def decoded(raw: bytes) -> dict[str, Any]:
    version = re.search(rb',"v":([1-9][0-9]*)\}$', raw)
    if version and version[1] != b"1":
        raise Fault("unsupported-version")
    try:
        event = canonical(raw)
    except ValueError:
        raise Fault("not-canonical") from None
    if not is_event(event):
        raise Fault("schema")
    return event


def placed(event: dict[str, Any], state: State) -> None:
    """C-2…C-4."""
    first = event["kind"] == "genesis"
    if state.event is None:
        if not first or event["seq"] != 0 or event["prev"] is not None or event["epoch"] != 0:
            raise Fault("genesis")
        return
    if first:
        raise Fault("genesis")
    if state.loose:
        return
    if event["seq"] != state.event["seq"] + 1:
        raise Fault("seq")
    if event["prev"] != state.id:
        raise Fault("prev")
    if event["ts"] <= state.event["ts"]:
        raise Fault("time")
    if event["epoch"] != state.event["epoch"] + (event["kind"] == "recover"):
        raise Fault("epoch")


def signed(raw: bytes, event: dict[str, Any], sig: bytes, state: State) -> None:
    """E-8…E-10, E-20, E-21."""
    key = bytes.fromhex(event["key"]) if "key" in event else state.key
    if event["kind"] == "rotate" and derived("memory-ledger 2026-11-20 next key v1", key) != state.next:
        raise Fault("key")
    try:
        signature = base64url(sig.decode("latin-1"), 64)
    except ValueError:
        raise Fault("signature") from None
    if not signed_by(key, b"memory-ledger/v1 event\n" + raw, signature):
        raise Fault("signature")
    if "proof" in event:
        rest = {name: value for name, value in event.items() if name != "proof"}
        bare = json.dumps(rest, sort_keys=True, separators=(",", ":")).encode()
        if not signed_by(state.key, b"memory-ledger/v1 rotate\n" + bare, base64url(event["proof"], 64)):
            raise Fault("key")


def is_blank(payload: bytes | None) -> bool:
    return payload is not None and re.fullmatch(b"null *", payload) is not None


def payload_fault(good: Good) -> str | None:
    """V-4, without what erasures say of it."""
    commit = good.event.get("commit")
    if good.payload is None:
        return "payload-missing" if commit else None
    if commit is None:
        return "payload-unsigned"
    if derived("memory-ledger 2026-11-20 payload v1", good.payload) != commit:
        return None if is_blank(good.payload) else "payload-altered"
    try:
        payload = canonical(good.payload)
    except ValueError:
        return "payload-schema"
    return None if is_payload(good.event["kind"], payload) else "payload-schema"
