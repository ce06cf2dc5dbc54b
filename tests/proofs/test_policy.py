"""Policy files: whom a verifier trusts.

Tests specs/proofs.md (T-60…T-62).
"""

from __future__ import annotations

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ledger.errors import FormatError
from ledger.note import COSIGNATURE, NoteKey
from ledger.signing import SigningKey
from proofs import policy

LOG = NoteKey("example.com/log", SigningKey(b"\x01" * 32).public)
W = [NoteKey(f"w{n}", SigningKey(bytes([n + 10]) * 32).public, COSIGNATURE) for n in range(6)]
X1, X2, X3, Y1, Y2, Y3 = W
BASE = f"log {LOG.vkey} https://example.com/log\n" + "".join(
    f"witness {name} {key.vkey}\n" for name, key in zip(("X1", "X2", "X3", "Y1", "Y2", "Y3"), W, strict=True)
)
EXAMPLE = f"""\
# The example of c2sp.org/tlog-policy.
{BASE}
group X-witnesses 2 X1 X2 X3
\tgroup  Y-witnesses any Y1 Y2 Y3
group X-and-Y all X-witnesses Y-witnesses
quorum X-and-Y
"""


def test_the_example_of_the_spec() -> None:
    parsed = policy.parse(EXAMPLE.encode())
    assert parsed.logs == (LOG,)
    assert parsed.is_met([X1, X3, Y2])
    assert parsed.is_met(W)
    assert not parsed.is_met([X1, Y1, Y2, Y3])
    assert not parsed.is_met([X1, X2, X3])
    assert not parsed.is_met([])
    assert parsed.seen_by([Y2, X1]) == ["X1", "Y2"]


@pytest.mark.parametrize(
    ("line", "seen", "met"), [("none", [], True), ("X1", [X1], True), ("X1", [X2], False)]
)
def test_a_quorum_of_one_or_nobody(line: str, seen: list[NoteKey], met: bool) -> None:
    assert policy.parse(f"{BASE}quorum {line}\n".encode()).is_met(seen) is met


def test_a_policy_needs_no_logs_and_no_witnesses() -> None:
    parsed = policy.parse(b"quorum none\n")
    assert (parsed.logs, dict(parsed.witnesses)) == ((), {})


def test_names_are_bytes() -> None:
    """K and the Kelvin sign are two names, and a name need not be UTF-8."""
    text = (
        f"witness K {X1.vkey}\nwitness \u212a {X2.vkey}\n".encode()
        + b"witness \xff %s\nquorum \xff\n" % X3.vkey.encode()
    )
    assert policy.parse(text).is_met([X3])
    assert not policy.parse(text).is_met([X1, X2])


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("", id="nothing"),
        pytest.param(BASE, id="no quorum"),
        pytest.param(f"{BASE}quorum X1\nquorum X1\n", id="two quorums"),
        pytest.param(f"{BASE}quorum X1", id="no line feed"),
        pytest.param(f"{BASE}quorum Z\n", id="an unknown quorum"),
        pytest.param(f"quorum X1\n{BASE}", id="a quorum before its witness"),
        pytest.param(f"{BASE}group G any\nquorum G\n", id="a group of nobody"),
        pytest.param(f"{BASE}group G 0 X1\nquorum G\n", id="none of them"),
        pytest.param(f"{BASE}group G 02 X1 X2\nquorum G\n", id="a leading zero"),
        pytest.param(f"{BASE}group G 3 X1 X2\nquorum G\n", id="more than there are"),
        pytest.param(f"{BASE}group G most X1 X2\nquorum G\n", id="an unknown word"),
        pytest.param(f"{BASE}group G any X1 X1\nquorum G\n", id="a member twice"),
        pytest.param(f"{BASE}group G any X1\ngroup H any X1\nquorum H\n", id="a member of two groups"),
        pytest.param(f"{BASE}group G any H\ngroup H any X1\nquorum G\n", id="a group before its member"),
        pytest.param(f"{BASE}group G any none\nquorum G\n", id="none as a member"),
        pytest.param(f"{BASE}group X1 any X2\nquorum X1\n", id="a name twice"),
        pytest.param(f"{BASE}group none any X1\nquorum none\n", id="a group named none"),
        pytest.param(f"{BASE}log {LOG.vkey}\nquorum none\n", id="a log twice"),
        pytest.param(f"{BASE}witness Z {X1.vkey}\nquorum none\n", id="a witness twice"),
        pytest.param(f"log {X1.vkey}\nquorum none\n", id="a witness's key for a log"),
        pytest.param(f"witness Z {LOG.vkey}\nquorum none\n", id="a log's key for a witness"),
        pytest.param("log x+y\nquorum none\n", id="no key"),
        pytest.param(f"log {LOG.vkey} a b\nquorum none\n", id="a word too many"),
        pytest.param("Quorum none\n", id="an unknown line"),
        pytest.param("quorum none\r\n", id="a carriage return"),
        pytest.param("quorum none\n\x7f\n", id="a control character"),
        pytest.param("quorum\u00a0none\n", id="a space that is none"),
        pytest.param("\n" * (policy.MAX_LINES + 1), id="too long"),
    ],
)
def test_a_malformed_policy_is_refused_as_a_whole(text: str) -> None:
    with pytest.raises(FormatError) as caught:
        policy.parse(text.encode())
    assert caught.value.code == "policy-malformed"


@given(st.binary(max_size=200))
def test_any_bytes_are_a_policy_or_an_error(data: bytes) -> None:
    with contextlib.suppress(FormatError):
        assert policy.parse(data).quorum


@given(
    st.lists(
        st.sampled_from(
            [*BASE.splitlines(), "group G any X1", "group H 2 G X2 X3", "quorum H", "quorum none"]
        ),
        max_size=12,
    )
)
def test_whoever_has_all_witnesses_meets_any_policy(lines: list[str]) -> None:
    try:
        parsed = policy.parse("".join(f"{line}\n" for line in lines).encode())
    except FormatError:
        return
    assert parsed.is_met(list(parsed.witnesses.values()))
    assert parsed.is_met([]) is (parsed.quorum == "none")
