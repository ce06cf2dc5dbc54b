"""The table of specs/attacks.md and the tests name the same rows."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

HERE = Path(__file__).parent
PAGE = HERE.parents[1] / "specs" / "attacks.md"
_ROW = re.compile(r"^\| (AT-\d+) \| [^|]+ \| (not caught: )?[^|]+ \|$", re.MULTILINE)
_TEST = re.compile(r'^@row\("(AT-\d+)"\)$', re.MULTILINE)


def test_each_row_that_is_caught_is_a_test_and_no_other_is() -> None:
    rows = _ROW.findall(PAGE.read_text("utf-8"))
    assert len(rows) == PAGE.read_text("utf-8").count("\n| AT-")
    tests = [id_ for path in sorted(HERE.glob("test_*.py")) for id_ in _TEST.findall(path.read_text("utf-8"))]
    assert not [id_ for id_, times in Counter(id_ for id_, _ in rows).items() if times > 1]
    assert sorted(tests) == sorted(id_ for id_, missed in rows if not missed)
