"""OpenTimestamps with a calendar on loopback and a block of its own making; bounds of what strangers answer.

Tests specs/anchors.md (W-20…W-23).
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ledger.errors import FormatError, OutsideError, UsageError
from proofs import ots
from tests.loopback import Reply, Request, serving
from tests.proofs.outside import Calendar, calendar, serialized

TEXT = b"muniment/" + b"ab" * 32 + b"/0\n12\nCsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=\n"
DIGEST = hashlib.sha256(TEXT).digest()
NONCE = bytes(range(16))
MAGIC = bytes.fromhex("004f70656e54696d657374616d7073000050726f6f6600bf89e2e884e89294")


@pytest.fixture
def one() -> Iterator[Calendar]:
    with calendar() as made:
        yield made


def test_a_stamp_is_a_detached_file_of_the_digest_that_hides_it(one: Calendar) -> None:
    data = ots.stamp(DIGEST, (one.uri,), NONCE)
    assert data.startswith(MAGIC + b"\x01\x08" + DIGEST)
    stamped = ots.read(data)
    assert stamped.digest == DIGEST
    assert [each.address for each in stamped.pending] == [one.uri]
    assert not stamped.attested
    (asked,) = one.asked
    assert asked.body == hashlib.sha256(DIGEST + NONCE).digest()
    assert asked.headers["Accept"] == "application/vnd.opentimestamps.v1"


def test_an_upgrade_brings_the_block_and_the_header_proves_the_time(one: Calendar) -> None:
    data = ots.stamp(DIGEST, (one.uri,), NONCE)
    early = ots.upgrade(data, DIGEST, (one.uri,))
    assert (early.new, early.waiting) == (0, (f"{one.uri}: Pending confirmation in Bitcoin blockchain",))
    assert early.data == data
    one.mine()
    late = ots.upgrade(data, DIGEST, (one.uri + "/",))
    assert (late.new, late.waiting) == (1, ())
    stamped = ots.read(late.data)
    assert [each.height for each in stamped.attested] == [one.height]
    assert stamped.pending  # what stood there stays
    headers = {one.height: ots.header(one.header)}
    assert ots.proved(stamped, headers) == ([(one.height, one.time)], [])
    assert ots.proved(stamped, {}) == ([], [])


def test_a_header_of_another_block_proves_nothing(one: Calendar) -> None:
    data = ots.stamp(DIGEST, (one.uri,), NONCE)
    one.mine()
    stamped = ots.read(ots.upgrade(data, DIGEST, (one.uri,)).data)
    other = bytearray(one.header)
    other[40] ^= 1
    assert ots.proved(stamped, {one.height: ots.header(bytes(other))}) == ([], [one.height])


def test_several_calendars_and_a_second_stamp_share_one_file(one: Calendar) -> None:
    with calendar() as two:
        data = ots.stamp(DIGEST, (one.uri, two.uri), NONCE)
        assert {each.address for each in ots.read(data).pending} == {one.uri, two.uri}
        more = ots.stamp(DIGEST, (two.uri,), bytes(16), data)
    assert len(ots.read(more).pending) == 3


def test_an_upgrade_asks_no_address_that_only_a_file_names(one: Calendar) -> None:
    """A calendar writes the address into its answer; whoever made it up must not have us ask it."""
    with calendar() as other:
        one.uri, address = other.uri, one.uri
        data = ots.stamp(DIGEST, (address,), NONCE)
        with pytest.raises(UsageError, match=f"pending at {address}; pending is: {other.uri}"):
            ots.upgrade(data, DIGEST, (address,))
        assert not other.asked


def test_an_upgrade_of_another_digest_is_refused(one: Calendar) -> None:
    data = ots.stamp(DIGEST, (one.uri,), NONCE)
    with pytest.raises(FormatError, match="another digest"):
        ots.upgrade(data, b"\1" * 32, (one.uri,))
    with pytest.raises(FormatError, match="another digest"):
        ots.stamp(b"\1" * 32, (one.uri,), NONCE, data)


def _long_number() -> bytes:
    return b"\x00" + bytes.fromhex("0588960d73d71901") + b"\x0b" + b"\x80" * 10 + b"\x01"


def _deep(levels: int) -> bytes:
    return b"\x08" * levels + b"\x00" + bytes.fromhex("0588960d73d71901") + b"\x01\x05"


def _wide(number: int) -> bytes:
    one = b"\x00" + bytes.fromhex("0588960d73d71901")
    return b"".join(
        b"\xff" + one + b"\x02" + bytes([0x80 | (n & 0x7F), n >> 7]) for n in range(128, 128 + number)
    ) + (one + b"\x01\x05")


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        (b"", "no timestamp"),
        (b"\x08" * 300, "no timestamp"),
        (_deep(80), "deeper"),
        (_deep(20_000), "no timestamp"),
        (_long_number(), "height of a block is too large"),
        (_wide(300), "more than 256"),
        (b"\xf0\xff\xff\xff\xff\x0f", "no timestamp"),
        (b"\xf0" + b"\x80" * 60_000, "too long"),
        (_deep(1) + b"\x00", "no timestamp"),
        (b"<html>no calendar</html>", "no timestamp"),
        (b"x" * 70_000, "more than 65536"),
    ],
)  # fmt: skip
def test_what_is_no_timestamp_is_refused_and_nothing_kept(answer: bytes, why: str) -> None:
    with serving(lambda _: (200, answer)) as address, pytest.raises(OutsideError, match=why) as refused:
        ots.stamp(DIGEST, (address,), NONCE)
    assert str(refused.value).endswith("nothing was stored")


@pytest.mark.parametrize("levels", [1, 60])
def test_what_is_within_the_bounds_is_taken(levels: int) -> None:
    with serving(lambda _: (200, _deep(levels))) as address:
        assert ots.read(ots.stamp(DIGEST, (address,), NONCE)).attested[0].height == 5


def test_a_calendar_that_fails_is_told_with_what_it_said(one: Calendar) -> None:
    def broken(_: Request) -> Reply:
        return 500, b"out of\r\nbitcoin\x1b[2J"

    with serving(broken) as address:
        said = r"digest gave no timestamp: it answered 500 \(out of bitcoin \[2J\); nothing was stored"
        with pytest.raises(OutsideError, match=said):
            ots.stamp(DIGEST, (one.uri, address), NONCE)


@given(st.data())
def test_a_changed_file_is_refused_or_says_something_of_another_digest_or_tree(data: st.DataObject) -> None:
    """No change of a byte raises anything but FormatError, and none leaves the same block proved."""
    file = bytearray(_file())
    headers = {900_000: ots.Header(ots.read(_file()).attested[0].root, 1)}
    place = data.draw(st.integers(0, len(file) - 1))
    file[place] ^= data.draw(st.integers(1, 255))
    try:
        stamped = ots.read(bytes(file))
    except FormatError:
        return
    assert stamped.digest != DIGEST or not ots.proved(stamped, headers)[0] or stamped == ots.read(_file())


def _file() -> bytes:
    from opentimestamps.core.notary import BitcoinBlockHeaderAttestation
    from opentimestamps.core.op import OpAppend, OpSHA256
    from opentimestamps.core.timestamp import DetachedTimestampFile, Timestamp

    stamp = Timestamp(DIGEST)
    end = stamp.ops.add(OpAppend(NONCE)).ops.add(OpSHA256())
    end.attestations.add(BitcoinBlockHeaderAttestation(900_000))
    return serialized(DetachedTimestampFile(OpSHA256(), stamp))


@given(st.binary(max_size=200))
def test_any_bytes_are_refused_in_a_line(tail: bytes) -> None:
    for data in (tail, MAGIC + b"\x01\x08" + tail, MAGIC + b"\x01\x08" + DIGEST + tail):
        with pytest.raises(FormatError) as refused:
            ots.read(data)
        assert "\n" not in str(refused.value)


def test_a_file_of_another_hash_is_refused() -> None:
    with pytest.raises(FormatError, match="SHA-256"):
        ots.read(MAGIC + b"\x01\x02" + DIGEST[:20] + _deep(1))


def test_a_header_has_80_bytes() -> None:
    genesis = bytes.fromhex(
        "01000000" + "00" * 32 + "3ba3edfd7a7b12b27ac72c3e67768f617fc81bc3888a51323a9fb8aa4b1e5e4a"
        "29ab5f49ffff001d1dac2b7c"
    )
    assert ots.header(genesis).time == 1_231_006_505
    with pytest.raises(UsageError):
        ots.header(genesis[:-1])


def test_the_library_reads_what_we_keep(one: Calendar) -> None:
    """Other OpenTimestamps software takes the file, and its own comparison with the block agrees with ours."""
    from bitcoin.core import CBlockHeader
    from opentimestamps.core.serialize import BytesDeserializationContext
    from opentimestamps.core.timestamp import DetachedTimestampFile

    data = ots.stamp(DIGEST, (one.uri,), NONCE)
    one.mine()
    file = DetachedTimestampFile.deserialize(
        BytesDeserializationContext(ots.upgrade(data, DIGEST, (one.uri,)).data)
    )
    attested: list[Any] = [
        (message, each) for message, each in file.timestamp.all_attestations() if hasattr(each, "height")
    ]
    ((message, each),) = attested
    assert each.verify_against_blockheader(message, CBlockHeader.deserialize(one.header)) == one.time
