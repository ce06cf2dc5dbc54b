"""Reads the folder of a memory-chain and checks all of it by its own rules before anything is imported.

Implements specs/doors.md (G-51…G-53). The folder holds `chain.jsonl`, `agent.pub` (the public key in hex),
`config.json`, and `content/`, in which each text is a file named by its SHA-256. Its private key is not read.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from documents.memory_chain.javascript_json import parse, sorted_by_key, stringify
from ledger.errors import FormatError, NotFoundError, StorageError, UsageError
from ledger.lazy_pattern import lazy_pattern

CHAIN, KEY, CONFIG, CONTENT = "chain.jsonl", "agent.pub", "config.json", "content"
USUAL = "~/.openclaw/memory-chain"
"""The default folder of the program memory-chain."""

MAX_CONTENT = 8 << 20
_MAX_LINE = 8 << 20
_NAMED = 3
_HASH = lazy_pattern("sha256:([0-9a-f]{64})")
_KEY = lazy_pattern("[0-9a-fA-F]{64}")
_SIGNATURE = lazy_pattern("(?:ed25519:)?([0-9a-fA-F]{128})")
_TEXTS = ("ts", "type", "tier", "content_hash", "signature")

Verify = Callable[[bytes, bytes, bytes], bool]
"""Returns whether a signature of a message is by a public key (Ed25519)."""


class _FaultError(Exception):
    """The fault of one line: the end of the message "line N: …"."""


@dataclass(frozen=True, slots=True)
class MemoryChainEntry:
    """One entry that passed: `hash` is its name in the next entry, `line` its line (from 1)."""

    seq: int
    ts: str
    type: str
    tier: str
    content_hash: str
    metadata: dict[str, Any]
    hash: str
    line: int


@dataclass(frozen=True, slots=True)
class CheckedChain:
    """A chain whose entries all passed."""

    folder: Path
    entries: list[MemoryChainEntry] = field(default_factory=list)

    def content(self, entry: MemoryChainEntry) -> str | None:
        """Return an entry's text, None if it is gone.

        Raises:
            FormatError: it is not the signed text.
        """
        return _content(self.folder, entry.content_hash)


def read_chain(folder: Path, verify: Verify) -> CheckedChain:
    """Read and check a chain.

    Raises:
        NotFoundError: there is no chain.
        UsageError: it is a ledger of muniment.
        FormatError: it fails; the first faults are named, each with its line.
        StorageError: it cannot be read.
    """
    path = folder / CHAIN
    lines = list(_lines(path, _read(path, f"give the folder of a memory-chain, usually {USUAL}")))
    key = _key(folder / KEY)
    chain, faults = CheckedChain(folder), []
    before: tuple[str, datetime] | None = None
    for at, (number, text) in enumerate(lines):
        try:
            raw = _entry(text, at)
            faults += [f"line {number}: {fault}" for fault in _linked(raw, before)]
            if not _is_signed(raw, key, verify):
                faults.append(f"line {number}: its signature is not by {KEY}")
            before = (_hash_of(raw), _instant(raw["ts"]))
            _content(folder, raw["content_hash"])
        except (_FaultError, ValueError) as error:  # ValueError if it is nested too deeply
            faults.append(f"line {number}: {error}")
            before = before and ("", before[1])  # do not check the link to an unreadable line
        except FormatError as error:
            faults.append(f"line {number}: {error}")
        else:
            texts = {name: raw[name] for name in ("ts", "type", "tier", "content_hash")}
            chain.entries.append(
                MemoryChainEntry(at, **texts, metadata=raw["metadata"] or {}, hash=before[0], line=number)
            )
    if faults:
        more = f"; and {len(faults) - _NAMED} more" if len(faults) > _NAMED else ""
        raise FormatError(
            "G-51",
            f"{path} fails its own rules, and nothing was imported: {'; '.join(faults[:_NAMED])}{more}",
        )
    return chain


# --- the rules of one entry ---


def _entry(text: str, at: int) -> dict[str, Any]:
    """Return the entry that a line holds.

    Raises:
        _FaultError: it has no entry, or not the entry of this position.
    """
    try:
        raw = parse(text)
    except ValueError as error:
        raise _FaultError(f"it is not JSON ({error})") from None
    if not isinstance(raw, dict):
        raise _FaultError("it is not a JSON object")
    if missing := [name for name in _TEXTS if not isinstance(raw.get(name), str)]:
        raise _FaultError(f"{missing[0]} is missing or no text")
    if raw.get("seq") != at or isinstance(raw["seq"], bool):
        raise _FaultError(f"its seq is not {at}")
    raw.setdefault("metadata", None)
    if not isinstance(raw["metadata"], dict | None):
        raise _FaultError("its metadata is not an object")
    if not _HASH.fullmatch(raw["content_hash"]):
        raise _FaultError("its content_hash is not sha256: and 64 hex digits")
    _instant(raw["ts"])
    return raw


def _linked(raw: dict[str, Any], before: tuple[str, datetime] | None) -> Iterator[str]:
    """Yield the faults between an entry and the one before it, as far as that can be read."""
    prev = raw.get("prev_hash")
    if before is None:
        if prev is not None or "prev_hash" not in raw:
            yield "its prev_hash is not null, as that of a first entry is"
        return
    hash_, instant = before
    if hash_ and prev != hash_:
        yield "its prev_hash is not the hash of the entry before it"
    if _instant(raw["ts"]) <= instant:
        yield "its ts is not after that of the entry before it"


def _is_signed(raw: dict[str, Any], key: bytes, verify: Verify) -> bool:
    signature = _SIGNATURE.fullmatch(raw["signature"])
    message = stringify(
        {**_head(raw), "metadata": None if raw["metadata"] is None else sorted_by_key(raw["metadata"])}
    )
    return signature is not None and verify(key, message.encode(), bytes.fromhex(signature[1]))


def _hash_of(raw: dict[str, Any]) -> str:
    said = {**_head(raw), "signature": raw["signature"], "metadata": raw["metadata"]}
    return f"sha256:{hashlib.sha256(stringify(said).encode()).hexdigest()}"


def _head(raw: dict[str, Any]) -> dict[str, Any]:
    return {name: raw.get(name) for name in ("seq", "ts", "type", "tier", "content_hash", "prev_hash")}


def _instant(ts: str) -> datetime:
    try:
        instant = datetime.fromisoformat(ts)
    except ValueError:
        raise _FaultError("its ts is not a date") from None
    return instant if instant.tzinfo else instant.replace(tzinfo=UTC)


# --- the files ---


def _lines(path: Path, data: bytes) -> Iterator[tuple[int, str]]:
    """Yield the lines that are not empty, with their numbers."""
    for number, line in enumerate(data.removeprefix(b"\xef\xbb\xbf").split(b"\n"), start=1):
        if not line.strip():
            continue
        if number == 1 and line.startswith(b'{"event":'):
            raise UsageError(
                f"{path} is a ledger of muniment's own, no memory-chain: muniment --ledger reads it"
            )
        if len(line) > _MAX_LINE:
            raise FormatError("G-51", f"{path}, line {number}: it has more than {_MAX_LINE >> 20} MiB")
        try:
            yield number, line.decode()
        except UnicodeDecodeError:
            raise FormatError("G-51", f"{path}, line {number}: it is not UTF-8") from None


def _key(path: Path) -> bytes:
    text = _read(path, "without it no signature can be checked").decode("ascii", "replace").strip()
    if not _KEY.fullmatch(text):
        raise FormatError("G-51", f"{path} is not a public key of 64 hex digits")
    return bytes.fromhex(text)


def _content(folder: Path, content_hash: str) -> str | None:
    path = folder / CONTENT / content_hash.removeprefix("sha256:")
    try:
        data = _bytes(path)
    except FileNotFoundError:
        return None
    if hashlib.sha256(data).hexdigest() != path.name:
        raise FormatError("G-51", f"the text in {CONTENT}/{path.name[:12]}… is not the one that was signed")
    try:
        return data.decode()
    except UnicodeDecodeError:
        raise FormatError("G-51", f"the text in {CONTENT}/{path.name[:12]}… is not UTF-8") from None


def read_config(folder: Path) -> dict[str, Any]:
    """Return the content of config.json, nothing if it is missing or broken: no signature covers it."""
    try:
        value = parse(_bytes(folder / CONFIG).decode())
    except (OSError, ValueError, StorageError, FormatError):
        return {}
    return value if isinstance(value, dict) else {}


def _read(path: Path, remedy: str) -> bytes:
    try:
        return _bytes(path, limit=None)
    except (FileNotFoundError, NotADirectoryError):
        raise NotFoundError(f"there is no {path}: {remedy}") from None


def _bytes(path: Path, limit: int | None = MAX_CONTENT) -> bytes:
    """Return a file's bytes, without waiting for a pipe or a device."""
    try:
        if path.exists() and not path.is_file():
            raise StorageError(f"{path} is not a file, as a memory-chain needs")
        with path.open("rb") as stream:
            data = stream.read() if limit is None else stream.read(limit + 1)
    except FileNotFoundError:
        raise
    except NotADirectoryError:
        raise FileNotFoundError(str(path)) from None
    except OSError as error:
        raise StorageError(f"{path} cannot be read: {error.strerror}") from error
    if limit is not None and len(data) > limit:
        raise FormatError("G-51", f"{path.name[:12]}… has more than {limit >> 20} MiB")
    return data
