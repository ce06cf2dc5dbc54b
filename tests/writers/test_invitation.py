"""The line that invites: one spelling, and a sentence for a person where it came broken.

Tests specs/team.md (TM-17).
"""

from __future__ import annotations

import base64

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from ledger.errors import UsageError
from writers.invitation import Invitation, invitation_of, line_of

TEAM = "0123456789abcdef" * 2
FIRST = "fedcba9876543210" * 4
SECRET = bytes(range(16))
INVITATION = Invitation("git@example.org:ada/memory.git", TEAM, FIRST, SECRET)
CODE = base64.urlsafe_b64encode(bytes.fromhex(TEAM + FIRST) + SECRET).decode().rstrip("=")
LINE = f"muniment-team:1:git@example.org:ada/memory.git#{CODE}"


def test_the_line_is_written_and_read_as_specified() -> None:
    assert line_of(INVITATION) == LINE
    assert invitation_of(LINE) == INVITATION


@pytest.mark.parametrize(
    "address", ["/srv/team memory", "../über#uns", "ssh://git@host:2222/a@b:c", "https://host/a@b"]
)
def test_an_address_may_be_a_folder_or_a_remote(address: str) -> None:
    assert invitation_of(line_of(INVITATION._replace(address=address))).address == address


@pytest.mark.parametrize(
    "address",
    ["https://token@host/a.git", "HTTPS://ada:word@host/a", "ssh://ada:word@host/a", "http://:word@host"],
)
def test_a_password_is_given_to_nobody(address: str) -> None:
    with pytest.raises(UsageError, match="password or token") as caught:
        line_of(INVITATION._replace(address=address))
    assert "word@" not in str(caught.value)
    with pytest.raises(UsageError, match="password or token"):
        invitation_of(LINE.replace(INVITATION.address, address))


@pytest.mark.parametrize("address", ["", "a\nb", "a\u2028b", "a\x1b[2Jb", "a\0b", "a\udce4b"])
def test_an_address_without_a_line_of_its_own_is_refused(address: str) -> None:
    with pytest.raises(UsageError):
        line_of(INVITATION._replace(address=address))


@pytest.mark.parametrize(
    ("line", "said"),
    [
        pytest.param("", "not an invitation", id="nothing"),
        pytest.param("git@example.org:ada/memory.git", "not an invitation", id="an address"),
        pytest.param(f" {LINE}", "not an invitation", id="a space before"),
        pytest.param(LINE.replace(":1:", ":2:"), "update muniment", id="a later form"),
        pytest.param(LINE[:-1], "copy all of it", id="the last letter missing"),
        pytest.param(LINE.partition("#")[0], "copy all of it", id="no code"),
        pytest.param(f"{LINE}\n", "copy all of it", id="a line break at the end"),
        pytest.param(f"{LINE[:60]}\n{LINE[60:]}", "copy all of it", id="a line break in the code"),
        pytest.param(f"{LINE[:60]} {LINE[60:]}", "copy all of it", id="a space in the code"),
        pytest.param(f"{LINE[:25]}\n{LINE[25:]}", "copy all of it", id="a line break in the address"),
        pytest.param(f"{LINE}=", "copy all of it", id="padding"),
        pytest.param(f"{LINE[:-1]}x", "copy all of it", id="odd low bits"),
        pytest.param(LINE.replace(INVITATION.address, ""), "copy all of it", id="no address"),
        pytest.param(f"muniment-team:1:a#{'ä' * 86}", "copy all of it", id="other letters"),
    ],
)
def test_a_broken_line_says_what_to_do(line: str, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        invitation_of(line)


ADDRESSES = st.text(st.characters(exclude_categories=["C", "Z"]), min_size=1, max_size=30)


@given(
    st.builds(
        Invitation,
        ADDRESSES,
        *(st.binary(min_size=n, max_size=n).map(bytes.hex) for n in (16, 32)),
        st.binary(min_size=16, max_size=16),
    )
)
def test_every_invitation_comes_back(invitation: Invitation) -> None:
    try:
        line = line_of(invitation)
    except UsageError:
        assert "@" in invitation.address
        return
    assert invitation_of(line) == invitation


@given(st.text(max_size=120).map(lambda text: f"muniment-team:1:{text}") | st.text(max_size=20))
@example(f"muniment-team:1:a#{'_' * 85}w")
def test_any_text_is_one_invitation_or_an_error(line: str) -> None:
    try:
        invitation = invitation_of(line)
    except UsageError:
        return
    assert line_of(invitation) == line
