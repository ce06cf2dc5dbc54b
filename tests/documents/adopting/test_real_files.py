"""Documents that people and agents really wrote, typed into MEMORY.md: every line is there after a rebuild from the log.

The documents are not ours and lie beside the checkout. Tests specs/editing.md (D-4, D-6…D-9, D-18).
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from documents.reading.memory_file import section_name
from ledger.hidden_characters import referred
from muniment import Memory
from tests.documents.adopting.editing import leave_only_the_log
from tests.documents.real_files import FOLDER, each_of
from tests.projections.house import build, reopen

FILES = (
    sorted(path for path in FOLDER.rglob("*") if path.suffix in (".md", ".mdc")) if FOLDER.is_dir() else []
)
_BULLET = re.compile(r"^\s*[-*+]\s+(?:\[\?\]\s+)?")

pytestmark = pytest.mark.skipif(not FILES, reason="the collected memory files are not beside this checkout")


def by_section(text: str) -> dict[str, list[str]]:
    """Return the lines that are not blank below each section, without bullets' signs and outer spaces."""
    found: dict[str, list[str]] = {"": []}
    section, fence = "", ""
    for line in text.removeprefix("\ufeff").splitlines():
        if mark := re.match(r" {0,3}(```+|~~~+)", line):
            fence = "" if fence and mark[1].startswith(fence) else fence or mark[1]
        if line.startswith("## ") and not fence:
            section = section_name(line[3:].strip().rstrip("#").strip())
            found.setdefault(section, [])
        elif line.strip():
            found[section].append(_BULLET.sub("", line).strip())
    return found


@each_of(FILES)
def test_every_line_is_there_in_its_order_under_its_heading(path: Path, tmp_path: Path) -> None:
    try:
        text = path.read_bytes().decode()
    except UnicodeDecodeError:
        pytest.skip("not UTF-8")
    house, _ = build(tmp_path / "ledger")
    (house.workspace.place.directory / "config.toml").write_text("[overflow]\nenabled = false\n")
    house.close()
    house, _ = reopen(tmp_path / "ledger")
    house.store(Memory("Use pnpm, not npm"))
    document = house.workspace.place.documents / "MEMORY.md"
    mine = document.read_text() + "\n" + text
    document.write_bytes(mine.encode())
    (done,) = house.documents.adopt()
    assert (done.guard, done.held) == ("", {})
    assert house.documents.adopt() == []
    leave_only_the_log(house, document)
    again, _ = reopen(house.workspace.place.directory)
    again.documents.replay()
    there = by_section(document.read_text())
    for section, wanted in by_section(referred(mine)).items():
        rest = iter(there.get(section, []))
        missing = [line for line in wanted if not any(line == each for each in rest)]
        assert not missing[:1], (section, missing[:1])
    again.close()
