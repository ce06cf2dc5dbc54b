"""What doctor checks of what agents are told: patterns that cannot run, and memories that read like instructions.

Implements specs/cli.md (X-132, X-133).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from cli.examined_ledger import ADVICE, OK, Diagnosis, Patient
from cli.show_entry import count_of
from language.dates import day
from language.printable import short, who
from ledger.fold import Entry
from ledger.progress import counted
from muniment import MemoryLedger

if TYPE_CHECKING:
    from language.instructions import Sign

_SHOWN = 5
_JUDGED = 2000
"""So many memories `doctor` judges; each takes about half a millisecond, and `--injection` judges all."""
_NOT_IN_RE2 = ("(?", "invalid escape")


def check_patterns(patient: Patient) -> Iterator[Diagnosis]:
    """Every `when_to_use` that is a pattern can be run as one (P-123), and every phrase has words (P-186)."""
    if patient.index is None or not patient.memory.workspace.chain.exists():
        return
    from projections.patterns import has_engine, is_pattern, phrase_words
    from projections.query import with_phrases

    found = [(text, e) for e in with_phrases(patient.index) for text in e.memory.when_to_use]
    said = {text: entry for text, entry in found if entry.memory.topic}
    for text, entry in [each for each in found if not each[1].memory.topic][:_SHOWN]:
        message = f"{text[:80]!r} of {short(entry.id)} matches no task: it has no topic, and only topics wait for a task"
        yield Diagnosis(
            "patterns", ADVICE, message, f"muniment edit {short(entry.id)}: give it a topic, or leave it out"
        )
    patterns = {text: entry for text, entry in said.items() if is_pattern(text)}
    wordless = [text for text in said if text not in patterns and not phrase_words(text)]
    yield from _silent({text: said[text] for text in wordless})
    if patterns and not has_engine():
        message = (
            f"google-re2 is not installed: {count_of(len(patterns), 'pattern')} of topics match as phrases"
        )
        yield Diagnosis("patterns", ADVICE, message, "pip install google-re2")
        return
    yield from _run(patterns)


def _run(patterns: dict[str, Entry]) -> Iterator[Diagnosis]:
    """Say which patterns cannot be run."""
    from projections.patterns import why_not_run

    wrong = {text: why for text in patterns if (why := why_not_run(text))}
    for text, why in list(wrong.items())[:_SHOWN]:
        entry = patterns[text]
        message = f"{text[:80]!r} of topic {entry.memory.topic} cannot be run and matches as a phrase: {why}"
        mend = f"muniment edit {short(entry.id)}: mend the pattern"
        if any(sign in why for sign in _NOT_IN_RE2):
            mend += "; lookaround and backreferences are not possible"
        yield Diagnosis("patterns", ADVICE, message, mend)
    if more := len(wrong) - _SHOWN if len(wrong) > _SHOWN else 0:
        message = f"{count_of(more, 'more pattern')} cannot be run"
        yield Diagnosis("patterns", ADVICE, message, "mend these, and run muniment doctor again")
    if patterns and not wrong:
        yield Diagnosis("patterns", OK, f"{count_of(len(patterns), 'pattern')} of topics can be run")


def _silent(said: dict[str, Entry]) -> Iterator[Diagnosis]:
    """Name phrases that can match nothing: no word of theirs says what they are about (P-186)."""
    for text, entry in list(said.items())[:_SHOWN]:
        message = f"{text[:80]!r} of topic {entry.memory.topic} matches no task: it has no content words"
        mend = f"muniment edit {short(entry.id)}: say in words when the topic is needed"
        yield Diagnosis("patterns", ADVICE, message, mend)
    if more := max(len(said) - _SHOWN, 0):
        message = f"{count_of(more, 'more phrase')} of topics match{'es' if more == 1 else ''} no task"
        yield Diagnosis("patterns", ADVICE, message, "mend these, and run muniment doctor again")


def check_instructions(patient: Patient) -> Iterator[Diagnosis]:
    """Count the memories that read like instructions to the model, among the newest (P-132)."""
    if patient.index is None or not patient.memory.workspace.chain.exists():
        return
    newest = patient.memory.load_all(archived=True, limit=_JUDGED)
    count = len(_commanding(newest))
    among = f" of the newest {_JUDGED}" if len(newest) == _JUDGED else ""
    if count:
        reads = "memory reads" if count == 1 else "memories read"
        message = f"{count} {reads} like instructions to the model{among}"
        yield Diagnosis("instructions", ADVICE, message, "run muniment doctor --injection to list them")
    else:
        message = f"no memory{among} reads like an instruction to the model"
        yield Diagnosis("instructions", OK, message)


@dataclass(frozen=True, slots=True)
class Commanding:
    """A memory that reads like an instruction to the model, and the signs of it."""

    entry: Entry
    signs: list[Sign]

    def to_json(self) -> dict[str, Any]:
        """Return it as JSON values: what was found, and who wrote the memory, when and by which door."""
        entry, said = self.entry, self.entry.memory.provenance
        return {
            "id": entry.id,
            "text": entry.memory.text,
            "status": entry.status,
            "by": {"name": entry.by.name, "role": entry.by.role, "via": entry.by.via},
            "learned": entry.learned,
            "conversation": said.conversation,
            "file": said.file,
            "signs": [{"sign": one.name, "member": one.member, "words": one.words} for one in self.signs],
        }

    def lines(self) -> Iterator[str]:
        """Give it as lines for people."""
        entry, said = self.entry, self.entry.memory.provenance
        where = said.file or said.conversation
        origin = who(entry.by.name, entry.by.role, entry.by.via) + (f" from {where}" if where else "")
        status = "" if entry.status == "active" else f" [{entry.status}]"
        yield f"{short(entry.id)} {day(entry.learned)} {origin}{status}"
        for one in self.signs:
            yield f"    {one.name}, in {one.member}: {one.words}"


def commanding(memory: MemoryLedger) -> list[Commanding]:
    """Return the memories that stand and read like instructions to the model (P-132), archived ones too.

    Raises:
        LedgerError: the ledger cannot be read.
    """
    with memory.workspace.on_progress("reading memories") as progress:
        return _commanding(counted(memory.recall.each(archived=True), progress))


def _commanding(entries: Iterable[Entry]) -> list[Commanding]:
    from language.instructions import signs_of

    found = ((entry, signs_of(entry.memory)) for entry in entries)
    return [Commanding(entry, signs) for entry, signs in found if signs]
