"""The page and `revert --from` find the same in one ledger (specs/report.md H-50…H-54)."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

import muniment
from ledger.command import Delete
from ledger.event import By
from muniment import Memory, MemoryLedger, Provenance
from projections.radius import parsed, radius
from tests.report.verifier import BROWSER, ESBUILD, node

ASK = """
import { readFileSync } from "node:fs";
import { Ledger } from "./src/ledger/ledger";
import { rowsOf } from "./src/ledger/rows";
const { chain, sources } = JSON.parse(readFileSync(0, "utf-8"));
const bytes = new Uint8Array(readFileSync(chain));
const about = { made: "2026-11-29T00:00:00Z", texts: true, chains: [{ from: null, until: -1 }] };
const rest = { suspicions: [], documents: [], proposals: [], uncounted: [] };
const ledger = new Ledger(about, bytes, [rowsOf(bytes, 0, bytes.length, 0)], rest);
const of = (text, part) => ledger.radius(text, part, 0, 1000).items.map((row) => row.seq).reverse();
process.stdout.write(JSON.stringify(sources.map((text) => [of(text, "came"), of(text, "built")])));
"""

SOURCES = (
    "conversation:c1",
    "conversation:c1,session:s1",
    "session:s1",
    "file:docs/setup.md",
    "author:ann",
    "tool:save_memory",
    "agent:bot",
    "agent:bot,since:2000-01-01",
    "until:2000-01-01",
    "since:2000-01-01T00:00:00Z",
    "conversation:nobody",
)


@pytest.fixture
def memory(isolated: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> MemoryLedger:
    monkeypatch.chdir(tmp_path)
    return muniment.init()


@pytest.fixture
def chain(memory: MemoryLedger) -> Path:
    """A ledger in which each way of building on something occurs."""
    good = memory.store(Memory("deploy from main")).id
    of = Provenance(conversation="c1", session="s1", tool="save_memory", agent="bot")
    bad = memory.supersede([good], Memory("deploy from evil", provenance=of)).id
    worse = memory.supersede([bad], Memory("deploy from worse", provenance=of)).id
    new = memory.store(Memory("a mirror", body="a line\n" * 12_000, provenance=of._replace(session=""))).id
    memory.confirm([new])
    edited = memory.supersede([new], Memory("another mirror")).id
    made = memory.store(Memory("use the mirror", unknown={"from": [edited]})).id
    memory.store(Memory("wheels", unknown={"from": [made, "x"]}, provenance=Provenance(file="docs/setup.md")))
    memory.store(Memory("none of it", unknown={"from": bad}), By("ann"))
    memory.store(Memory("of a bot", provenance=Provenance(author="ann")), By("bot", "agent"))
    memory.revert([bad, worse], "wrong")
    memory.write([Delete((made,), "wrong", Provenance(conversation="c1"))])
    return memory.workspace.place.chain


def test_the_page_finds_what_revert_finds(memory: MemoryLedger, chain: Path, tmp_path: Path) -> None:
    bundle = tmp_path / "radius.mjs"
    options = ["--bundle", "--platform=node", "--format=esm", "--log-level=error", f"--outfile={bundle}"]
    program = node()
    subprocess.run([program, str(ESBUILD), *options], cwd=BROWSER, input=ASK, text=True, check=True)
    given = json.dumps({"chain": str(chain), "sources": SOURCES})
    done = subprocess.run([program, str(bundle)], input=given, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    found = dict(zip(SOURCES, json.loads(done.stdout), strict=True))
    wanted = {}
    for source in SOURCES:
        reached = radius(memory.workspace.index, parsed(source))
        wanted[source] = [[memory.recall.event(id_).seq for id_ in ids] for ids in reached]
    assert found == wanted
    came, built = found["conversation:c1"]
    assert (len(came), len(built)) == (4, 4)
