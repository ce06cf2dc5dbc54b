"""What doctor says of each fault that verification knows is true: who does it has a sound chain again (X-56)."""

from __future__ import annotations

import json
import re
import shlex
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import muniment
from cli.remedies import BEGINNING, REMEDIES
from ledger.event import split_line
from ledger.keys import KeyDirectory
from ledger.mark import Mark, MarkFile, Pin, StateDirectory
from specs.vectors.builder import LEDGER_ID, key
from tests.cli.driver import ROOT, Result, run
from tests.ledger.world import overwrite

VECTORS = ROOT / "specs" / "vectors" / "invalid"
GENESIS = "66d46fe16862f8772f3d7b34c842a3d819da80b99e048c2cc7a3dd7bd0b11e7c"
CODES = re.findall(
    r"^\| `([a-z-]+)` \|",
    (ROOT / "specs" / "verification.md")
    .read_text("utf-8")
    .partition("## Members")[0],  # theirs say what to do themselves
    re.MULTILINE,
)

RECOVER = "muniment recover -m REASON --yes"
FROM_COPY = "muniment recover --from COPY -m REASON --yes"
COPY_BACK = "cp COPY chain.jsonl"
ERASE = "muniment erase ID -m REASON --yes"
WRITE = "muniment add another"

MENDS = {
    "line-too-long": (RECOVER, "line-too-long"),
    "raw-control": (RECOVER, "tab"),
    "bom": (RECOVER, "bom-later"),
    "blank-line": (RECOVER, "blank-line"),
    "framing": (RECOVER, "another-member"),
    "not-canonical": (RECOVER, "escape"),
    "schema": (RECOVER, "by-extra"),
    "genesis": (COPY_BACK, "missing-genesis"),
    "seq": (RECOVER, "deleted-line"),
    "prev": (RECOVER, "prev-wrong"),
    "time": (RECOVER, "time-earlier"),
    "epoch": (RECOVER, "epoch-ahead"),
    "key": (RECOVER, "rotate-wrong-key"),
    "signature": (RECOVER, "event-changed"),
    "payload-unsigned": (FROM_COPY, "payload-unsigned"),
    "payload-missing": (RECOVER, "payload-blanked"),
    "payload-altered": (ERASE, "payload-altered"),
    "payload-schema": (ERASE, "payload-body"),
    "erase-incomplete": ("muniment replay", "erase-incomplete"),
    "missing-lf": (WRITE, "missing-lf"),
    "empty-chain": (COPY_BACK, "empty"),
    "no-key": (COPY_BACK, "crlf"),
    "foreign-chain": (COPY_BACK, "rewritten-with-another-key"),
    "rollback": (RECOVER, "cut-tail"),
    "moved": (RECOVER, "blank-shortened"),
}
"""For each code: a vector that has it, and what doctor says that helps."""


def _home(isolated: Path, vector: str) -> tuple[Path, dict[str, Any]]:
    """Make a home whose ledger has a vector's chain, with its key, its pin and its mark."""
    expected: dict[str, Any] = json.loads((VECTORS / f"{vector}.json").read_text("utf-8"))
    home = muniment.home()
    chain = home.path / "chain.jsonl"
    chain.parent.mkdir(exist_ok=True, mode=0o700)
    chain.write_bytes((VECTORS / f"{vector}.jsonl").read_bytes())
    chain.chmod(0o600)
    KeyDirectory(home.keys).store(LEDGER_ID, key(1))
    KeyDirectory(home.keys).store(LEDGER_ID, key(2), "next")
    state = StateDirectory(home.state)
    state.pin(home.path, Pin(LEDGER_ID, GENESIS))
    given = expected["given"]["mark"]
    if given:
        mark = Mark(**{name: given[name] for name in Mark._fields})
        MarkFile(home.state / "marks" / LEDGER_ID).replace(mark)
    return chain, expected


def _copy(isolated: Path, chain: Path, vector: str) -> Path:
    """Return a good copy of the chain."""
    copy = isolated / "copy.jsonl"
    good = (ROOT / "specs" / "vectors" / "valid" / "minimal.jsonl").read_bytes()
    if vector == "payload-unsigned":
        lines = [split_line(line) for line in chain.read_bytes().splitlines()]
        good = b"".join(
            line.head
            + (b',"payload":' + line.payload if b'"commit"' in line.event and line.payload else b"")
            + b"}\n"
            for line in lines
        )
    copy.write_bytes(good)
    return copy


def _does(command: str, copy: Path, id_: str | None) -> Result:
    if command == COPY_BACK:
        shutil.copy(copy, muniment.home().path / "chain.jsonl")
        return run("list")
    words = {"COPY": str(copy), "ID": id_ or "", "REASON": "damage"}
    return run(*[words.get(word, word) for word in shlex.split(command)[1:]])


def test_each_code_has_a_remedy() -> None:
    """X-56: the table of the spec and ours name the same; each names a command, or says why there is none."""
    assert sorted(REMEDIES) == sorted(CODES)
    assert sorted(MENDS) == sorted(set(CODES) - {"unsupported-version"})
    without = [code for code, text in REMEDIES.items() if "muniment " not in text]
    assert without == ["unsupported-version"]


@pytest.mark.parametrize("code", MENDS)
def test_what_doctor_says_mends_it(isolated: Path, code: str) -> None:
    """X-56: the fault is told with the command, the command is carried out, and the chain verifies."""
    command, vector = MENDS[code]
    chain, expected = _home(isolated, vector)
    every = [*expected["integrity"]["findings"], *expected["completeness"]["findings"]]
    told = run("doctor", "--json", cwd=isolated)
    assert told.code == 1
    said = [each for each in told.json if each["check"] == "chain" and f"[{code}, " in each["message"]]
    finding = next((each for each in every if each["code"] == code), {"id": None})
    mend = REMEDIES[code].format(id=(finding["id"] or "")[:12])
    assert said
    assert said[0]["mend"] in {mend, BEGINNING}
    named = command.removesuffix(" --yes").replace("ID", (finding["id"] or "ID")[:12], 1)
    assert named in mend or (command == WRITE and "next write" in mend)
    _does(command, _copy(isolated, chain, vector), finding["id"]).ok()
    report = run("verify", "--json", cwd=isolated).json
    assert (report["integrity"]["findings"], report["completeness"]["findings"]) == ([], [])
    run("add", "and on").ok()


def test_a_damaged_beginning_costs_no_later_event(home: Path, tmp_path: Path) -> None:
    """X-56: who does what doctor says with an older copy has in the end what was learned since."""
    chain, copy = home / "chain.jsonl", tmp_path / "copy.jsonl"
    shutil.copy(chain, copy)
    run("add", "learned since the copy was made").ok()
    overwrite(chain, chain.read_bytes().replace(b'"epoch":0', b'"epoci":0', 1))
    mends = {each["mend"] for each in run("doctor", "--json").json if each["check"] == "chain"}
    assert mends == {BEGINNING}
    assert "move it to chain.jsonl.torn-1" in run("add", "more").err
    move, put_back = (re.search(each, BEGINNING) for each in (r"^mv \S+ \S+", r"cp \S+ \S+"))
    assert move
    assert put_back
    script = f"{move[0]}; {put_back[0].replace('COPY', shlex.quote(str(copy)))}"
    subprocess.run(["sh", "-c", script], cwd=home, check=True)
    run("recover", "-m", "the beginning was damaged", "--yes").ok()
    run("import", home / "chain.jsonl.torn-1").ok()
    assert "learned since the copy was made" in run("list").out
    run("verify").ok()


def test_a_later_version_is_no_damage(isolated: Path) -> None:
    """E-15: nobody is told to cut off what a newer program wrote."""
    _home(isolated, "version-2")
    said = [each["mend"] for each in run("doctor", "--json", cwd=isolated).json if each["check"] == "chain"]
    assert said == [REMEDIES["unsupported-version"]]


def _with_returns(chain: bytes) -> bytes:
    return chain.replace(b"\n", b"\r\n")


def _with_mark(chain: bytes) -> bytes:
    return b"\xef\xbb\xbf" + chain


@pytest.mark.parametrize(("change", "words"), [(_with_returns, "tr -d"), (_with_mark, "tail -c +4")])
def test_verify_names_what_an_editor_put_in_and_what_takes_it_out(
    home: Path, change: Callable[[bytes], bytes], words: str
) -> None:
    """X-56: in the words of doctor, of the ledger and of a file; what they say gives back every byte."""
    chain = home / "chain.jsonl"
    before = chain.read_bytes()
    chain.write_bytes(change(before))
    done, of_file = run("verify"), run("verify", chain)
    assert (done.code, of_file.code) == (1, 1)
    assert words in of_file.err
    (mend,) = (line for line in done.err.splitlines() if words in line)
    assert mend.removeprefix("muniment: ") in run("doctor").out
    command = mend[mend.index(": ", len("muniment: ")) + 2 : mend.index(" leaves every byte")]
    subprocess.run(["sh", "-c", command], cwd=home, check=True)
    assert chain.read_bytes() == before
    run("verify").ok()
