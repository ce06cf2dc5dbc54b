"""The anchor at a timestamping authority: ask for a token, and verify one offline against given roots.

Implements specs/anchors.md (W-30…W-32). The library `rfc3161-client` (extra `anchors`) builds, parses and verifies.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from ledger.errors import FormatError, OutsideError, UsageError
from proofs import web

if TYPE_CHECKING:
    from cryptography.x509 import Certificate
    from rfc3161_client import TimeStampResponse
    from rfc3161_client.tsp import TimeStampTokenInfo

MAX_BYTES = web.MAX_ANSWER
MAX_ACCURACY = 24 * 60 * 60
"""Seconds; a token that may be a day wrong shows nothing that is worth it."""
SHA256 = "2.16.840.1.101.3.4.2.1"
_SETS = frozenset({0x31, 0xA0, 0xA1})
"""The tags of the sets in a SignedData: algorithms, certificates, revocation lists, signers."""
NOT_CHECKED = "not checked: whether a certificate was revoked"
_HEADERS = {"Content-Type": "application/timestamp-query", "Accept": "application/timestamp-reply"}


@dataclass(frozen=True, slots=True)
class TimestampToken:
    """What a token says: its time in microseconds since 1970, and who signed it.

    `time` is the latest that it may have been: `genTime` and the accuracy that the token states. `signer` is the subject
    of the signer's certificate in the token, or "". None of
    it counts before `verify`.
    """

    time: int
    signer: str


def request(text: bytes, address: str) -> bytes:
    """Ask the authority at `address` for a token of `text` and return its answer, as it came.

    Raises:
        UsageError: it is not an address.
        OutsideError: it did not answer, refused, or answered with a token of something else.
    """
    from rfc3161_client import HashAlgorithm, TimestampRequestBuilder

    built = TimestampRequestBuilder().data(text).hash_algorithm(HashAlgorithm.SHA256).nonce(nonce=True)
    asked = built.cert_request(cert_request=True).build()
    answer = web.ask(web.checked(address), asked.as_bytes(), _HEADERS)
    if answer.status != 200:
        raise answer.refusal("gave no token")
    try:
        parsed = _parsed(answer.body)
        _check_digest(parsed, hashlib.sha256(text).digest())
        _latest(parsed.tst_info)
    except FormatError as error:
        raise OutsideError(f"{address} gave no token ({error}); nothing was stored") from None
    if parsed.tst_info.nonce != asked.nonce:
        raise OutsideError(f"{address} answered another question (its nonce is not ours); nothing was stored")
    return answer.body


def read(data: bytes, digest: bytes) -> TimestampToken:
    """Return the contents of a stored answer, which must be of this digest; its signature is not checked.

    Raises:
        FormatError: it is not a granted token of this digest.
    """
    parsed = _parsed(data)
    _check_digest(parsed, digest)
    return _token(parsed)


def verify(data: bytes, digest: bytes, roots: Sequence[Certificate]) -> TimestampToken:
    """Return the contents of a token after checking its signature, its chain to one of `roots`, purpose and digest.

    Raises:
        FormatError: one of these checks fails, or it is not a token.
    """
    from rfc3161_client import VerificationError, VerifierBuilder

    parsed = _parsed(data)
    try:
        VerifierBuilder(roots=list(roots)).build().verify(parsed, digest)
    except (VerificationError, ValueError) as error:
        said = web.printable(str(error).encode())
        raise FormatError("W-31", f"the token does not hold: {said}", code="rfc3161-unverified") from None
    _check_digest(parsed, digest)
    return _token(parsed)


def leads_to(data: bytes, roots: Sequence[Certificate]) -> bool:
    """Return whether a token names one of `roots` as the end of its signer's chain, by names alone.

    So that a token of another authority than those whose roots were given is told from one that does not hold.

    Raises:
        FormatError: it is not a token.
    """
    from cryptography.x509 import load_der_x509_certificate

    parsed = _parsed(data)
    names = {each.issuer for each in parsed.signed_data.signer_infos}
    certificates = [load_der_x509_certificate(each) for each in parsed.signed_data.certificates]
    for _ in certificates:
        names |= {each.issuer for each in certificates if each.subject in names}
    return any(root.subject in names for root in roots)


def roots_of(data: bytes) -> list[Certificate]:
    """Return the certificates of a PEM file.

    Raises:
        UsageError: it has none, or what it has is none.
    """
    from cryptography.x509 import load_pem_x509_certificates

    try:
        return load_pem_x509_certificates(data)
    except ValueError:
        raise UsageError("it contains no PEM certificates") from None


def _parsed(data: bytes) -> TimeStampResponse:
    from rfc3161_client import decode_timestamp_response

    if len(data) > MAX_BYTES:
        raise _malformed(f"it has more than {MAX_BYTES} bytes")
    try:
        parsed = decode_timestamp_response(_with_sorted_sets(data))
        status = parsed.status
        if status == 0:
            parsed.tst_info.gen_time  # noqa: B018 - parsed when it is asked for
            parsed.signed_data  # noqa: B018 - the same
    except (ValueError, TypeError) as error:
        raise _malformed(web.printable(str(error).encode())) from None
    if status != 0:
        why = web.printable(" ".join(parsed.status_string or []).encode())
        raise _malformed(f"it was not granted: status {status}{f' ({why})' if why else ''}")
    return parsed


def _with_sorted_sets(data: bytes) -> bytes:
    """Return an answer with the sets of its SignedData in DER order, which the library demands (W-32).

    Many authorities send their certificates in another one, and no signature covers it. What has another shape stays
    as it is: the library reports the fault.

        TimeStampResp ::= SEQUENCE { status SEQUENCE, timeStampToken ContentInfo }
        ContentInfo   ::= SEQUENCE { contentType OID, content [0] SignedData }
        SignedData    ::= SEQUENCE { version, SET, SEQUENCE, [0] certificates, [1] crls, SET }
    """
    try:
        _, token = _elements(data, *_elements(data, 0, len(data))[0][1:])
        _, content = _elements(data, *token[1:])
        (signed,) = _elements(data, *content[1:])
        for tag, begin, end in _elements(data, *signed[1:]):
            if tag in _SETS:
                ends = [begin, *(stop for _, _, stop in _elements(data, begin, end))]
                parts = sorted(data[start:stop] for start, stop in pairwise(ends))
                data = data[:begin] + b"".join(parts) + data[end:]
    except (ValueError, IndexError):
        pass
    return data


def _elements(data: bytes, at: int, end: int) -> list[tuple[int, int, int]]:
    """Return tag, begin and end of the content of each element between two bytes; otherwise ValueError or IndexError."""
    found = []
    while at < end:
        tag, length, begin = data[at], data[at + 1], at + 2
        if length & 0x80:
            begin += length & 0x7F
            length = int.from_bytes(data[at + 2 : begin])
        at = begin + length
        if at > end:
            raise ValueError("an element ends behind what holds it")
        found.append((tag, begin, at))
    return found


def _check_digest(parsed: TimeStampResponse, digest: bytes) -> None:
    imprint = parsed.tst_info.message_imprint
    if imprint.hash_algorithm.dotted_string != SHA256 or imprint.message != digest:
        raise FormatError(
            "W-30", "the token is of another digest than the checkpoint's", code="rfc3161-digest"
        )


def _token(parsed: TimeStampResponse) -> TimestampToken:
    from cryptography.x509 import load_der_x509_certificate

    info = parsed.tst_info
    signers = [(each.issuer, each.serial_number) for each in parsed.signed_data.signer_infos]
    subject = ""
    for der in parsed.signed_data.certificates:
        certificate = load_der_x509_certificate(der)
        if (certificate.issuer, certificate.serial_number) in signers:
            subject = certificate.subject.rfc4514_string()
    return TimestampToken(_latest(info), web.printable(subject.encode()))


def _latest(info: TimeStampTokenInfo) -> int:
    from datetime import UTC, datetime, timedelta

    since = info.gen_time.replace(tzinfo=UTC) - datetime(1970, 1, 1, tzinfo=UTC)
    accuracy = info.accuracy
    if accuracy is not None:
        seconds, millis, micros = accuracy.seconds or 0, accuracy.millis or 0, accuracy.micros or 0
        if not 0 <= seconds <= MAX_ACCURACY:
            raise _malformed(f"its accuracy is {seconds} seconds")
        since += timedelta(seconds=seconds, milliseconds=millis, microseconds=micros)
    return since // timedelta(microseconds=1)


def _malformed(what: str) -> FormatError:
    return FormatError("W-30", f"malformed token: {what}", code="rfc3161-malformed")
