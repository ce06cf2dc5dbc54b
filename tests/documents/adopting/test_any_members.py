"""However a person rearranges bullets, no word is lost, and what stands has the importance, tags and history it had."""

from __future__ import annotations

import itertools
import re
import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ledger.fold import Entry
from ledger.memory import IMPORTANCES
from muniment import Memory, MemoryLedger
from tests.documents.adopting.editing import document, leave_only_the_log
from tests.projections.house import build, reopen

WORDS = (
    "queue cache login nginx redis schema linter parser worker invoice billing router socket kernel docker canary "
    "ledger python golang staging replica vacuum mutex orchid falcon harbor tunnel walnut copper meadow"
).split()
SECTIONS = ("Workflow", "Tool Usage", "Corrections")
TYPES = ("fact", "decision", "preference", "commitment")
ITEM = re.compile(r"[-*] |\d+\. ")

RECORDS = st.lists(
    st.tuples(
        st.sampled_from(SECTIONS),
        st.sampled_from(TYPES),
        st.sampled_from(IMPORTANCES),
        st.booleans(),
        st.integers(0, 2),
    ),
    min_size=2,
    max_size=6,
)
KINDS = "double join split nest draw_out cut paste number star dash bold code wrap unwrap indent swap insert copy agent".split()
EDITS = st.lists(
    st.tuples(st.sampled_from(KINDS), st.integers(0, 9), st.integers(0, 9)), min_size=1, max_size=3
)


def taught(house: MemoryLedger, records: Sequence[tuple[str, str, str, bool, int]]) -> dict[str, Memory]:
    """Learn memories of words that no other has; return each by its id."""
    words = iter(WORDS)
    known = {}
    for number, (section, type_, importance, tagged, details) in enumerate(records):
        one, two, three = itertools.islice(words, 3)
        memory = Memory(
            f"The {one} of the {two} uses {three}",
            section=section,
            type=type_,
            importance=importance,
            tags=(f"tag{number}",) if tagged else (),
            details=tuple(f"only {next(words)} {number}" for _ in range(details)),
        )
        known[house.store(memory).id] = memory
    return known


class Person:
    """Edits a document line by line, as an editor does; what was cut can be pasted later."""

    def __init__(self) -> None:
        self.cut: list[list[str]] = []
        self._numbers = itertools.count(1)

    def edited(self, text: str, edits: Sequence[tuple[str, int, int]]) -> str:
        """Return the text after some edits; one that does not fit changes nothing."""
        lines = text.splitlines()
        for kind, at, to in edits:
            items = [number for number, line in enumerate(lines) if ITEM.match(line)]
            if kind == "paste" and self.cut and items:
                place = items[to % len(items)]
                lines[place:place] = self.cut.pop()
            elif items:
                begin = items[at % len(items)]
                end = begin + 1
                while end < len(lines) and lines[end].startswith(" "):
                    end += 1
                following = items[items.index(begin) + 1] if begin != items[-1] else None
                lines[begin:end] = self._item(kind, lines[begin:end], to)
                if kind in ("join", "nest", "swap") and following == end:
                    self._with_next(kind, lines, begin, end)
        return "\n".join(lines) + "\n"

    def _item(self, kind: str, item: list[str], to: int) -> list[str]:
        first, *rest = item
        mark, words = first.split(" ", 1)
        parts = words.split(" ")
        at = 1 + to % (len(parts) - 1) if len(parts) > 1 else 0
        if kind == "double":
            return [*item, f"- {words}", "  - of a merge"]
        if kind == "split" and at and not rest:
            return [f"{mark} {' '.join(parts[:at])}", f"{mark} {' '.join(parts[at:])}"]
        if kind == "draw_out" and rest and rest[0].startswith("  - "):
            return [first, *rest[1:], rest[0][2:]]
        if kind == "cut":
            self.cut.append(item)
            return []
        if kind == "insert":
            number = next(self._numbers)
            return [*item, f"- Something new about subject{number} and object{number}"][
                :: -1 if to % 2 and not rest else 1
            ]
        if kind == "copy":
            self.cut.append(item)
        if kind == "number":
            return [f"1. {words}", *(f" {line}" for line in rest)]
        if kind in ("star", "dash"):
            return [f"{'*' if kind == 'star' else '-'} {words}", *rest]
        if kind in ("bold", "code") and "*" not in words and "`" not in words:
            sign = "**" if kind == "bold" else "`"
            parts[at] = f"{sign}{parts[at]}{sign}"
            return [f"{mark} {' '.join(parts)}", *rest]
        if kind == "wrap" and at:
            return [f"{mark} {' '.join(parts[:at])}", f"  {' '.join(parts[at:])}", *rest]
        if kind == "unwrap" and rest and not ITEM.match(rest[0].strip()):
            return [f"{first} {rest[0].strip()}", *rest[1:]]
        if kind == "indent":
            return [f"{mark}  {words}", *(f" {line}" for line in rest)]
        return item

    @staticmethod
    def _with_next(kind: str, lines: list[str], begin: int, end: int) -> None:
        last = end + 1
        while last < len(lines) and lines[last].startswith(" "):
            last += 1
        mine, other = lines[begin:end], lines[end:last]
        text = other[0].split(" ", 1)[1]
        if kind == "join":
            lines[begin:last] = [f"{mine[0]}, and {text}", *mine[1:], *other[1:]]
        elif kind == "nest":
            lines[begin:last] = [*mine, *(f"  {line}" for line in other)]
        else:
            lines[begin:last] = [*other, *mine]


def words_in(text: str) -> set[str]:
    """Return the words of a document but for its headings and the numbers of lists."""
    lines = (ITEM.sub("", line) for line in text.splitlines() if not line.startswith("#"))
    return set(re.findall(r"\w+", "\n".join(lines)))


def _whole(memory: Memory) -> str:
    return "\n".join([memory.text, *memory.details, memory.body])


def said(entry: Entry) -> set[str]:
    """Return the words of an entry."""
    return words_in(_whole(entry.memory))


def lost(house: MemoryLedger, known: dict[str, Memory]) -> list[str]:
    """Return what is wrong: words of memories that stand nowhere with what these had."""
    wrong = []
    standing = [entry for entry in house.load_all() if entry.status == "active"]
    for id_, old in known.items():
        for word in re.findall(r"\w+", old.text):
            heirs = [entry for entry in standing if word in WORDS and _is_heir(old, word, entry)]
            faults = [_lacking(house, id_, old, entry, known) for entry in heirs]
            if heirs and all(faults):
                wrong.append(f"{word} of {old.text!r}: {faults}")
    return wrong


def _is_heir(old: Memory, word: str, entry: Entry) -> bool:
    """Say whether an entry with a word of a memory is that one, or a part of it; half a line in another is neither."""
    there, own = said(entry) & set(WORDS), words_in(old.text) & set(WORDS)
    return word in there and (len(own & there) > 1 or there <= own)


def _lacking(house: MemoryLedger, id_: str, old: Memory, entry: Entry, known: dict[str, Memory]) -> str:
    now = entry.memory
    there = said(entry)
    types = {each.type for each in known.values() if words_in(_whole(each)) & there & set(WORDS)}
    faults = {
        "history": id_ not in {each.id for each in house.history(entry.id)},
        "importance": IMPORTANCES.index(now.importance) < IMPORTANCES.index(old.importance),
        "tags": not set(old.tags) <= set(now.tags),
        "type": now.type not in types and not (now.type == "note" and now.body),
    }
    return ", ".join(name for name, is_lost in faults.items() if is_lost)


@settings(suppress_health_check=[HealthCheck.too_slow])
@given(records=RECORDS, rounds=st.lists(EDITS, min_size=1, max_size=4))
def test_what_stands_keeps_its_members_and_its_history(
    records: list[tuple[str, str, str, bool, int]], rounds: list[list[tuple[str, int, int]]]
) -> None:
    """D-60, D-61, D-70…D-75: and a second look finds nothing, and the log alone gives the document again."""
    held(records, rounds)


def held(records: list[tuple[str, str, str, bool, int]], rounds: list[list[tuple[str, int, int]]]) -> None:
    """Live through some rounds of edits, and hold what stands then against what was learned."""
    folder = Path(tempfile.mkdtemp())
    try:
        house, _ = build(folder / "ledger")
        known = taught(house, records)
        person, agents = Person(), itertools.count()
        for edits in rounds:
            mine = person.edited(document(house).read_text(), edits)
            document(house).write_text(mine)
            if any(kind == "agent" for kind, _, _ in edits):
                house.store(Memory(f"Learned of {next(agents)}", section="Workflow"))
            house.documents.adopt(accept=True)
            after = document(house).read_text()
            missing = words_in(mine) - words_in(after)
            assert not missing, (missing, mine, after)
            assert not lost(house, known), (lost(house, known), mine, after)
            assert house.documents.adopt() == []
        after = document(house).read_text()
        leave_only_the_log(house, document(house))
        house.close()
        again, _ = reopen(folder / "ledger")
        again.documents.replay()
        assert document(again).read_text() == after
        assert not lost(again, known)
        again.close()
    finally:
        shutil.rmtree(folder)
