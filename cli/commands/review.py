"""muniment review: decide on candidates and stale memories, one after the other.

Implements specs/cli.md (X-103…X-108, X-194, X-290, X-291) and specs/doors.md (G-42). Every decision is written when it is made, by
the verbs that confirm, edit and delete use.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

import click

from cli import person_only, request_review, write_notices
from cli.app import App, common_options, say
from cli.asking import END, choose
from cli.editor import edited
from cli.options import Verb, option
from cli.show_entry import COMPROMISED, count_of, fields, text_lines
from cli.stale_memories import doubt_json
from cli.word_marks import minus_line
from documents import replacements
from language.dates import moment
from language.printable import plain, said, short, who
from learning.review import CANDIDATE, ReviewItem, of_same_source
from ledger.errors import LedgerError, NotFoundError, RecordError, SecretError, StateError, UsageError
from ledger.fold import Entry
from muniment import MemoryLedger

INTERRUPTED = 130
_MOST_LINES = 12
_MOST_NAMED = 8
_REFUSED = (NotFoundError, RecordError, SecretError, StateError, UsageError)
"""What is wrong with one decision, and says nothing of the next."""

_ANSWERS = {"c": "confirm", "e": "edit", "d": "delete", "s": "skip", "q": "quit", "?": "help"}
_HELP = {
    "c": "confirm: it is true; a candidate is accepted, a stale memory is fresh again",
    "e": "edit: open it in your editor; what you save replaces it, and is accepted",
    "d": "delete: remove it from every view; the history keeps it; what it replaced before anyone agreed comes back",
    "s": "skip: decide later",
    "a": "all: accept all candidates from the same source",
    "q": "quit: your decisions are stored, the rest waits",
}


@click.command("review", cls=Verb)
@option("--candidates", is_flag=True, help="Only candidates.")
@option(
    "--stale", "old", is_flag=True, help="Only memories not confirmed recently, or that name a missing path."
)
@option(
    "--source",
    metavar="SOURCE",
    default="",
    help="Only from this conversation, session, file, author or writer.",
)
@option("--conversation", metavar="ID", default="", help="Only learned in this conversation.")
@common_options
def command(app: App, *, candidates: bool, old: bool, source: str, conversation: str) -> None:
    """Decide on candidates and stale memories.

    Shows each one with its origin and what it replaces, and asks: confirm, edit, delete, skip, or accept a
    whole source. Type the letter and Return. Every decision is stored at once: after Ctrl-C or q earlier
    decisions stay, and the rest waits.

    Requests of agents and scripts that only you can grant come first: to erase, rotate the key, recover or
    uninstall (y runs the command), and to forget what you wrote (d deletes it, c keeps it). With --json nothing is asked;
    the pending items are listed, one a line.

    \b
    Examples:
      muniment review
      muniment review --candidates --source claude
      muniment review --json | jq -r '.why + " " + .text'
    """
    memory = app.memory()
    if not app.json and not person_only.is_at_terminal():
        raise UsageError(
            "this is not a terminal, so nobody can be asked: run muniment review --json to list what waits, "
            "then confirm ID, edit ID or delete ID to decide"
        )
    both = candidates == old
    asked = [] if not both or source or conversation else memory.review.requests()
    if asked and not app.json and not request_review.go_through(app, memory, asked):
        return
    items = memory.review.waiting(
        source=source,
        conversation=conversation,
        candidates=candidates or both,
        stale=old or both,
        wishes=both,
    )
    replaces = replacements.of_candidates(memory.workspace, [item.entry for item in items])
    if app.json:
        app.emit_lines(
            [
                *map(request_review.as_json, asked),
                *(_as_json(memory, item, replaces.get(item.entry.id, ())) for item in items),
            ]
        )
    if not items and not asked:
        app.note("nothing waits for you")
    elif items and not app.json:
        code = Walk(app, memory, items, replaces).go()
        raise click.exceptions.Exit(code)


def _as_json(memory: MemoryLedger, item: ReviewItem, replaces: Iterable[Entry]) -> dict[str, Any]:
    kind, name = item.source
    return {
        "why": item.why,
        **doubt_json(memory.workspace.index, item.doubt, memory.recall.stale_before()),
        "from": {"kind": kind, "name": name},
        "replaces": [_named_json(old) for old in replaces],
        "contradicts": [_named_json(other) for other in memory.review.contradicted(item.entry)],
        **({"wished_by": item.wish.by, "wished_at": item.wish.at} if item.wish else {}),
    }


def _named_json(entry: Entry) -> dict[str, str]:
    return {"id": entry.id, "text": entry.memory.text}


# --- at a terminal ---


def _show_rest(entry: Entry) -> None:
    """Show what a memory says below its text."""
    for detail in entry.memory.details:
        say(f"  - {plain(detail)}")
    lines = list(text_lines(entry.memory.body))
    for line in lines[:_MOST_LINES]:
        say(line)
    if len(lines) > _MOST_LINES:
        more = count_of(len(lines) - _MOST_LINES, "more line")
        say(f"  … {more}: muniment show {short(entry.id)}")


@dataclass(slots=True)
class Walk:
    """One review at a terminal: what is left, what was decided, and the events that it made."""

    app: App
    memory: MemoryLedger
    items: list[ReviewItem]
    replaces: dict[str, list[Entry]]
    """What each candidate takes the place of."""
    done: Counter[str] = field(default_factory=Counter)
    events: list[str] = field(default_factory=list)
    at: int = 0

    def go(self) -> int:
        """Ask about each memory; return the exit code."""
        try:
            while self.at < len(self.items):
                if not self._decide(self.items[self.at]):
                    break
        except KeyboardInterrupt:
            say("")
            self._sum_up("stopped; your decisions are stored")
            return INTERRUPTED
        except (LedgerError, OSError):
            self._sum_up("your decisions are stored")
            raise
        self._sum_up("done")
        return 0

    def _decide(self, item: ReviewItem) -> bool:
        """Ask about one memory and do as told; False to end."""
        if not self.memory.review.waits_still(item):
            self.at += 1
            return True
        same = of_same_source(item, self.items[self.at :])
        self._show(item)
        answers = {**_ANSWERS, **({"a": "all"} if same else {})}
        whole = f" take [a]ll {len(same)} of {item.source[0]}" if same else ""
        while True:
            answer = choose(f"[c]onfirm [e]dit [d]elete [s]kip{whole} [q]uit [?]", answers)
            if answer in ("q", END):
                return False
            if answer == "?":
                for letter in answers:
                    if letter in _HELP:
                        say(f"  {letter}  {_HELP[letter]}")
                continue
            try:
                settled = self._carry_out(answer, item, same)
            except _REFUSED as error:
                self.app.note(plain(str(error)))
                settled = not self.memory.review.waits_still(item)
            if settled:
                self.at += 1
                return True

    def _carry_out(self, answer: str, item: ReviewItem, same: list[ReviewItem]) -> bool:
        """Do what was answered; False if nothing came of it, so that it is asked again."""
        entry = item.entry
        if answer == "s":
            self.done["skipped"] += 1
            return True
        if answer == "c":
            self._confirm([entry])
            settled = True
        elif answer == "d":
            settled = self._delete(entry)
        elif answer == "a":
            settled = self._take_all(item, same)
        else:
            settled = self._edit(entry)
        if settled:
            self.memory.review.settle(item)
        return settled

    def _delete(self, entry: Entry) -> bool:
        """Delete it after a yes; what it took the place of while nobody had agreed comes back."""
        hidden = self.memory.review.brought_back(entry)
        back = f" and bring back {', '.join(short(old.id) for old in hidden)}" if hidden else ""
        if choose(f"Delete {short(entry.id)}{back}? [y/n]", {"y": "yes", "n": "no"}) != "y":
            return False
        self._count("deleted", 1, *self.memory.review.delete(entry))
        self.app.line(f"deleted {short(entry.id)}  {said(entry.memory)}")
        for old in hidden:
            self.app.line(f"brought back {short(old.id)}  {said(old.memory)}")
        return True

    def _confirm(self, entries: list[Entry]) -> None:
        self._count("confirmed", len(entries), *self.memory.review.confirm(entries))
        for entry in entries:
            now_active = "  (active now)" if entry.status == "candidate" else ""
            self.app.line(f"confirmed {short(entry.id)}  {said(entry.memory)}{now_active}")
        taken = list(replacements.by_confirming(self.memory.workspace, entries))
        mine = {*self.events, *(entry.id for entry in entries)}
        self.events += dict.fromkeys(each.new for each in taken if each.new not in mine)
        self.app.lines(map(str, taken))

    def _take_all(self, item: ReviewItem, same: list[ReviewItem]) -> bool:
        kind, name = item.source
        for other in same:
            say(f"  {short(other.entry.id)}  {said(other.entry.memory)}")
            _show_rest(other.entry)
        if choose(f"Take all {len(same)} of {kind} {plain(name)}? [y/n]", {"y": "yes", "n": "no"}) != "y":
            return False
        now = (self.memory.workspace.index.entry(other.entry.id) for other in same)
        self._confirm([entry for entry in now if entry is not None and entry.status == "candidate"])
        return True

    def _edit(self, entry: Entry) -> bool:
        written = edited(self.memory, entry, self.memory.review.taken(entry))
        if written is None:
            self.app.note("unchanged; nothing was stored")
            return False
        self._count("edited", 1, written.id)
        self.app.line(f"{short(written.id)}  supersedes {short(entry.id)}  {said(entry.memory)}")
        return True

    def _count(self, what: str, number: int, *events: str) -> None:
        """Note a decision that was stored."""
        self.done[what] += number
        self.events += events
        if self.memory.documents.adopted:
            write_notices.say(self.app, self.memory)
            self.memory.documents.adopted = []

    # --- what is shown ---

    def _show(self, item: ReviewItem) -> None:
        style, entry = self.app.style, item.entry
        say("")
        say(style(f"{self.at + 1} of {len(self.items)}: {self._why(item)}", dim=True))
        say(style(said(entry.memory), bold=True))
        _show_rest(entry)
        for line in fields(list(self._rows(item)), "  "):
            say(line)

    def _why(self, item: ReviewItem) -> str:
        if item.wish:
            waits = "; a candidate" if item.entry.status == CANDIDATE else ""
            return f"{plain(item.wish.by)} asks to forget it, {moment(item.wish.at)}{waits}; confirm keeps it"
        if item.why == CANDIDATE:
            return "a candidate, not shown to agents until you accept it"
        if item.entry.compromised:
            return f"{COMPROMISED}; confirm it only if you know that it is true"
        age = count_of(item.doubt.days, "day")
        return (
            f"not confirmed for {age}"
            if item.doubt.stale
            else "it names something that is not in the project"
        )

    def _rows(self, item: ReviewItem) -> Iterator[tuple[str, str]]:
        entry = item.entry
        yield "id", short(entry.id)
        yield "section", plain(entry.memory.effective_section)
        yield "learned", f"{moment(entry.learned)} by {who(*entry.by)}"
        if entry.fresh_since not in ("", entry.learned):
            yield "confirmed", moment(entry.fresh_since)
        for name, value in entry.memory.provenance.to_payload().items():
            yield name, plain(value)
        if entry.status == CANDIDATE:
            yield "confidence", f"{entry.memory.confidence:.2f}"
        for old in self.replaces.get(entry.id, ()):
            now = self.memory.workspace.index.entry(old.id)
            if now is not None and now.status == old.status:  # nobody decided on it meanwhile
                yield "replaces", minus_line(self.app, f"{short(old.id)}  {said(old.memory)}")
        replaced = {old.id for old in self.replaces.get(entry.id, ())}
        for other in self.memory.review.contradicted(entry):
            if other.id in replaced:
                continue
            yield "contradicts", f"{short(other.id)}  {said(other.memory)}"
        for path in item.doubt.gone:
            yield "gone", f"{plain(path)} is not there"

    def _sum_up(self, word: str) -> None:
        """Print the decision, what is left, and how to undo it."""
        left = len(self.items) - self.at
        parts = [f"{number} {what}" for what, number in self.done.items() if number]
        tally = ", ".join(parts) or "nothing decided"
        waits = f"; {left} left: run muniment review to continue" if left else ""
        self.app.note(f"{word}: {tally}{waits}")
        if self.events:
            named = (
                " ".join(map(short, self.events)) if len(self.events) <= _MOST_NAMED else "ID… (muniment log)"
            )
            self.app.note(f"to undo it: muniment revert {named}")
        write_notices.say(self.app, self.memory)
