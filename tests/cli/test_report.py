"""muniment report writes one file that shows, and can prove, what a ledger holds (specs/report.md)."""

from __future__ import annotations

import base64
import gzip
import hashlib
import re
import stat
from pathlib import Path
from typing import Any

import orjson
import pytest

import muniment
from ledger.memory import Memory, Provenance
from muniment import MemoryLedger
from tests.cli.driver import run

BREAKING = "</script><script>alert(1)</script><!-- <script> ]]> \u202e\u0007 \U000e0041"
"""What ends an element, a comment or a line, turns text round, or hides."""


@pytest.fixture
def memory(isolated: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> MemoryLedger:
    """A user's ledger with two memories, seen from an empty folder."""
    monkeypatch.chdir(tmp_path)
    made = muniment.init()
    made.store(Memory("Use npm"))
    made.supersede(["@1"], Memory("Use pnpm", provenance=Provenance(conversation="c-1")))
    return made


def data_of(page: str, name: str) -> bytes:
    """Return what the elements of one name hold, as the page unpacks them."""
    pieces = re.findall(rf'<script type="text/plain" data-of="{name}">([^<]*)</script>', page)
    return gzip.decompress(b"".join(base64.b64decode(piece) for piece in pieces))


def about_of(page: str) -> dict[str, Any]:
    """Return what the page says of itself."""
    found = re.search(r'<script type="application/json" id="about">(.*?)</script>', page)
    assert found
    return dict(orjson.loads(found[1]))


def test_the_file_holds_the_chain_as_it_lies_on_disk(memory: MemoryLedger, tmp_path: Path) -> None:
    """And the pin and the mark, by which the page judges it (H-1, H-3, H-4)."""
    run("report").ok()
    file = tmp_path / "muniment-report.html"
    page = file.read_text()
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert data_of(page, "chain-0") == memory.workspace.chain.read_bytes()
    [chain] = about_of(page)["chains"]
    assert (chain["genesis"], chain["mark"]["seq"]) == (memory.recall.event("@0").id, 2)
    assert chain["mark"]["id"] == memory.entry("@2").id


def test_its_documents_name_whose_each_line_is(memory: MemoryLedger) -> None:
    """The machine's word, beside the chain (H-12)."""
    rest = orjson.loads(data_of(run("report", "-o", "-").ok().out, "rest"))
    [document] = rest["documents"]
    assert document["path"] == "MEMORY.md"
    assert ["- Use pnpm", memory.entry("@2").id, "known"] in document["lines"]


def test_the_policy_allows_the_page_its_own_program_alone(memory: MemoryLedger) -> None:
    """The digests in it are those of the one script and the one style that are there (H-2)."""
    page = run("report", "-o", "-").ok().out
    [policy] = re.findall(r'http-equiv="Content-Security-Policy" content="([^"]*)"', page)
    [program] = re.findall(r"<script>(.*?)</script>", page, re.DOTALL)
    [style] = re.findall(r"<style>(.*?)</style>", page, re.DOTALL)
    for kind, text in (("script", program), ("style", style)):
        digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        assert f"{kind}-src 'sha256-{digest}';" in policy
    assert policy.startswith("default-src 'none';")
    assert not re.search(r"unsafe|https?:|connect-src", policy)


def test_no_field_of_a_memory_breaks_out_of_its_element(memory: MemoryLedger) -> None:
    """Whatever stands in it, the page has the same elements as without it, and none of the text by itself."""
    before = run("report", "-o", "-").ok().out
    memory.store(
        Memory(
            BREAKING,
            title=BREAKING,
            details=(BREAKING,),
            body=BREAKING,
            tags=(BREAKING,),
            section="</script><script>",
            provenance=Provenance(conversation=BREAKING, file=BREAKING, author=BREAKING),
        ),
        reason=BREAKING,
    )
    after = run("report", "-o", "-").ok().out
    assert after.count("<script") == before.count("<script")
    assert "alert(1)" not in after
    assert BREAKING.encode()[:9] in data_of(after, "chain-0")


def test_it_is_named_where_something_is_erased(memory: MemoryLedger, tmp_path: Path) -> None:
    """A report is a copy that was given away (H-1, Z-9)."""
    run("report", "-o", tmp_path / "look.html").ok()
    done = run("erase", "@2", "--yes")
    assert "look.html" in done.out + done.err


def test_a_folder_of_the_ledger_is_refused(memory: MemoryLedger) -> None:
    """Nothing of a ledger's own is written over."""
    done = run("report", "-o", memory.workspace.chain.parent / "x.html")
    assert (done.code, "choose another" in done.err) == (2, True)
