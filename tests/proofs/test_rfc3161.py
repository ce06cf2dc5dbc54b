"""Tokens of a real authority, `openssl ts`, and what is refused of others.

Tests specs/anchors.md (W-30, W-31).
"""

from __future__ import annotations

import hashlib
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rfc3161_client import HashAlgorithm, TimestampRequestBuilder

from ledger.errors import FormatError, OutsideError, UsageError
from proofs import rfc3161
from tests.loopback import Reply, Request, serving
from tests.proofs.outside import Authority, authority
from tests.proofs.outside import tsa as tsa  # noqa: PLC0414 - a fixture

TEXT = b"muniment/" + b"ab" * 32 + b"/0\n12\nCsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=\n"
DIGEST = hashlib.sha256(TEXT).digest()


def roots(of: Authority) -> list[Any]:
    return rfc3161.roots_of(of.root.read_bytes())


@pytest.fixture(scope="module")
def token(tsa: Authority) -> bytes:
    with serving(tsa.reply) as address:
        return rfc3161.request(TEXT, f"{address}/tsr")


def test_a_token_is_verified_offline_against_the_root(tsa: Authority, token: bytes) -> None:
    said = rfc3161.verify(token, DIGEST, roots(tsa))
    assert abs(said.time / 1e6 - time.time()) < 60
    assert said.signer == "CN=Test TSA"
    assert rfc3161.read(token, DIGEST) == said


def test_the_accuracy_makes_the_time_later(tsa: Authority, token: bytes) -> None:
    """`accuracy = secs:1` stands in the authority's configuration: the moment may have been a second later."""
    (tsa.folder / "kept").write_bytes(token)
    text = subprocess.run(
        ["openssl", "ts", "-reply", "-in", tsa.folder / "kept", "-text"], capture_output=True, text=True
    ).stdout
    stamp = next(line for line in text.splitlines() if "Time stamp:" in line).split(": ", 1)[1]
    from datetime import datetime

    parsed = datetime.strptime(f"{stamp.replace('GMT', '+0000')}", "%b %d %H:%M:%S %Y %z")
    assert rfc3161.read(token, DIGEST).time == (int(parsed.timestamp()) + 1) * 1_000_000


def test_openssl_verifies_the_same_token(tsa: Authority, token: bytes, tmp_path: Path) -> None:
    """What stands in the file is what the authority gave, and other software takes it."""
    (tmp_path / "t.tsr").write_bytes(token)
    (tmp_path / "text").write_bytes(TEXT)
    done = subprocess.run(
        ["openssl", "ts", "-verify", "-data", "text", "-in", "t.tsr", "-CAfile", tsa.root],
        cwd=tmp_path, capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr


def test_certificates_in_any_order_are_taken_as_openssl_takes_them(tsa: Authority, tmp_path: Path) -> None:
    """W-32: an authority that sends its chain; both orders of it, of which one is DER's."""
    query = (
        TimestampRequestBuilder()
        .data(TEXT)
        .hash_algorithm(HashAlgorithm.SHA256)
        .cert_request(cert_request=True)
    )
    sent = tsa.answer(query.build().as_bytes(), "-chain", "root.pem")
    root, leaf = (
        subprocess.run(
            ["openssl", "x509", "-in", tsa.folder / name, "-outform", "DER"], capture_output=True, check=True
        ).stdout
        for name in ("root.pem", "leaf.pem")
    )
    orders = {sent.replace(leaf + root, root + leaf), sent.replace(root + leaf, leaf + root)}
    assert len(orders) == 2
    (tmp_path / "text").write_bytes(TEXT)
    for answer in orders:
        (tmp_path / "t.tsr").write_bytes(answer)
        verified = subprocess.run(
            ["openssl", "ts", "-verify", "-data", "text", "-in", "t.tsr", "-CAfile", tsa.root],
            cwd=tmp_path, capture_output=True, text=True,
        )  # fmt: skip
        assert verified.returncode == 0, verified.stderr
        said = rfc3161.verify(answer, DIGEST, roots(tsa))
        assert said.signer == "CN=Test TSA"
        assert rfc3161.leads_to(answer, roots(tsa))
        with pytest.raises(FormatError):
            rfc3161.verify(answer.replace(leaf, leaf[::-1]), DIGEST, roots(tsa))


def test_another_root_another_digest_and_another_purpose_do_not_hold(
    tsa: Authority, token: bytes, tmp_path: Path
) -> None:
    other = authority(tmp_path / "other")
    with pytest.raises(FormatError, match="does not hold"):
        rfc3161.verify(token, DIGEST, roots(other))
    with pytest.raises(FormatError):
        rfc3161.verify(token, b"\1" * 32, roots(tsa))
    with pytest.raises(FormatError, match="another digest"):
        rfc3161.read(token, b"\1" * 32)
    with pytest.raises(FormatError, match="does not hold"):
        rfc3161.verify(token, DIGEST, [])


def test_a_certificate_for_another_purpose_stamps_nothing(tmp_path: Path) -> None:
    """openssl itself refuses to sign with it, so a server's certificate is put in the place of the signer's."""
    with pytest.raises(AssertionError, match=r"(?i)key usage|certificate"):
        authority(tmp_path / "web", purpose="serverAuth").answer(b"")


@given(st.data())
def test_no_changed_byte_verifies_to_something_else(
    tsa: Authority, token: bytes, data: st.DataObject
) -> None:
    """A changed byte is refused, or it stands where nothing is signed and changes nothing that is told."""
    changed = bytearray(token)
    place = data.draw(st.integers(0, len(changed) - 1))
    changed[place] ^= data.draw(st.integers(1, 255))
    try:
        said = rfc3161.verify(bytes(changed), DIGEST, roots(tsa))
    except FormatError:
        return
    assert said.time == rfc3161.read(token, DIGEST).time


@given(st.binary(max_size=300))
def test_any_bytes_are_refused_in_a_line(data: bytes) -> None:
    with pytest.raises(FormatError) as refused:
        rfc3161.read(data, DIGEST)
    assert "\n" not in str(refused.value)


def test_a_token_of_another_question_is_refused(tsa: Authority, token: bytes) -> None:
    """An old answer, played back: the digest is right, the nonce is not."""
    with (
        serving(lambda _: (200, token)) as address,
        pytest.raises(OutsideError, match="its nonce is not ours"),
    ):
        rfc3161.request(TEXT, address)
    with serving(lambda _: (200, token)) as address, pytest.raises(OutsideError, match="another digest"):
        rfc3161.request(b"another text", address)


@pytest.mark.parametrize(
    ("reply", "why"),
    [
        ((503, b"later"), r"gave no token: it answered 503 \(later\)"),
        ((200, b""), "malformed token"),
        ((200, b"<html>"), "malformed token"),
        ((200, b"\x30\x84\xff\xff\xff\xff"), "malformed token"),
        ((200, b"x" * 70_000), "more than 65536"),
        ((302, b""), "302"),
    ],
)
def test_what_is_no_token_is_refused(reply: Reply, why: str) -> None:
    with serving(lambda _: reply) as address, pytest.raises(OutsideError, match=why) as refused:
        rfc3161.request(TEXT, address)
    assert str(refused.value).endswith("nothing was stored")


@pytest.mark.parametrize("accuracy", [100_000, 2**31 - 1])
def test_a_token_that_may_be_days_wrong_is_refused(tmp_path: Path, accuracy: int) -> None:
    vague = authority(tmp_path / "vague", accuracy=accuracy)
    with serving(vague.reply) as address, pytest.raises(OutsideError, match="its accuracy"):
        rfc3161.request(TEXT, address)
    asked = TimestampRequestBuilder().data(TEXT).hash_algorithm(HashAlgorithm.SHA256).build()
    data = vague.answer(asked.as_bytes())
    with pytest.raises(FormatError, match=f"its accuracy is {accuracy} seconds"):
        rfc3161.verify(data, DIGEST, roots(vague))
    with pytest.raises(FormatError, match="its accuracy"):
        rfc3161.read(data, DIGEST)


def test_an_authority_that_says_no_is_told_with_its_word(tsa: Authority) -> None:
    """The authority takes SHA-256 alone and no policy that it does not know: openssl answers a rejection."""

    def refusing(_: Request) -> Reply:
        query = tsa.folder / "foreign.tsq"
        subprocess.run(
            ["openssl", "ts", "-query", "-digest", "00" * 32, "-sha256", "-tspolicy", "1.9.9", "-out", query],
            check=True, capture_output=True,
        )  # fmt: skip
        return 200, tsa.answer(query.read_bytes())

    with serving(refusing) as address, pytest.raises(OutsideError, match="not granted: status 2"):
        rfc3161.request(TEXT, address)


def test_a_file_without_certificates_is_no_roots() -> None:
    with pytest.raises(UsageError, match="no PEM"):
        rfc3161.roots_of(b"nothing")
