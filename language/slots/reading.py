"""Reads the slots that a text fills: of what it says one thing, which attribute, and with which value.

Implements specs/capture.md (K-136, K-137). A value is a name that the table knows, a number with its unit, or what stands behind
"X is", "X lives in", "X goes to"; of what it is said are all the other telling words of its clause. Pure.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from functools import lru_cache

from language import value_kinds as kinds
from language.likeness.vocabulary import EVENTS, ITEMS
from language.slots import frames
from language.slots.clauses import Clause, clauses
from language.slots.words import parts, stem, telling
from language.value_kinds import Value
from ledger.named_tuple import NamedTuple

_MOST_WORDS = 4
"""So many words a value has at most that no table knows."""
_PORT = 4
"""A number of so many digits behind "on" is a port."""
_NOTHING: frozenset[str] = frozenset()


class Slot(NamedTuple):
    """What a text says one thing about, and what it says.

    `subject` are the stems of what it is said of; `attribute` is a kind of the table, a unit, or *is*, *in*, *over*; `said` are
    the stems of the value; `stance` tells of likings, skills and belongings, of which there are several beside each other;
    `adds` and `over` say that it is so as well, or that it is given up.
    """

    subject: frozenset[str]
    attribute: str
    value: str
    denied: bool = False
    stance: str = ""
    said: frozenset[str] = frozenset()
    adds: bool = False
    over: bool = False

    @property
    def is_known(self) -> bool:
        """Whether the value is one of the table, a number, or of a person."""
        return not self.attribute.startswith(("is", "in ")) and not self.over


class Deed(NamedTuple):
    """What a clause tells: its stems, whether it is denied, whether it only adds, and its stance."""

    stems: frozenset[str]
    denied: bool
    adds: bool
    stance: str


class Reading(NamedTuple):
    """The slots of a text, all stems that it tells, those that its values imply, and its deeds."""

    slots: tuple[Slot, ...]
    stems: frozenset[str]
    implied: frozenset[str]
    deeds: tuple[Deed, ...]

    @property
    def values(self) -> frozenset[str]:
        """The stems of all its values that are known."""
        return _NOTHING.union(*(each.said for each in self.slots if each.is_known))


@lru_cache(maxsize=1024)
def read(text: str) -> Reading:
    """Read what a text says that holds."""
    slots: list[Slot] = []
    deeds: list[Deed] = []
    stems = implied = last = _NOTHING
    for clause in clauses(text):
        told = _Clause(clause, last)
        filled = tuple(told.slots())
        slots += filled
        if told.stems or filled:
            deeds.append(Deed(told.stems, clause.denied, clause.adds, told.stance))
        stems, implied = stems | told.stems | told.over, implied | told.implied
        last = told.subject
    return Reading(tuple(_single(slots)), stems, implied, tuple(deeds))


def slots_of(text: str) -> tuple[Slot, ...]:
    """Return the slots that a text fills; none of a question, a thought, or what holds for a while.

    Examples:
        >>> [(slot.value, slot.denied) for slot in slots_of("Use pnpm, not npm") if "manager" in slot.attribute]
        [('pnpm', False), ('npm', True)]
    """
    return read(text).slots


class _Clause:
    """One clause as it is read: its words, the values among them, and the stems of all the others."""

    def __init__(self, clause: Clause, before: frozenset[str]) -> None:
        self.clause, self.core, self._before = clause, frames.core(clause.text), before
        self.words = frames.tokens(self.core)
        self.values = [each for each in kinds.values(self.words) if not self._is_part_of_a_name(each)]
        at = {place for each in self.values for place in range(each.first, each.last + 1)}
        self._plain = telling(word for place, word in enumerate(self.words) if place not in at)
        said = self._all_said(self.values)
        self.implied = _NOTHING.union(*(nouns(each.kind) for each in self.values)) - said
        self.subject = self._plain - self.implied
        self.stems = self._plain | said
        self.over = telling(word for thing in clause.over for word in kinds.tokens(thing))
        self.stance = frames.stance(self.core)
        self._of_what = [each for each in self.values if self._says_of_what(each)]

    def slots(self) -> Iterator[Slot]:
        """Give the slots that the clause fills."""
        yield from (self._of_table(each) for each in self.values if each not in self._of_what)
        for thing in self.clause.over:
            yield from self._given_up(thing)
        yield from self._of_people()
        yield from self._stated()

    def _of_table(self, value: Value) -> Slot:
        own = self._said(value)
        rest = self._all_said(each for each in self.values if each[2:] != value[2:])
        subject = (self._plain | rest) - own - nouns(value.kind)
        bare = not subject and self.clause.denied and len(self.words) <= value.last - value.first + 2
        return Slot(
            self._before if bare else subject, self._attribute(value), value.name, self.clause.denied,
            self._stance_to(value, of=subject), own, self.clause.adds,
        )  # fmt: skip

    def _given_up(self, thing: str) -> Iterator[Slot]:
        words = frames.tokens(thing)
        for value in kinds.values(words):
            said = frozenset(stem(each) for each in parts(words[value.first]))
            yield Slot(self.subject, self._attribute(value), value.name, denied=True, said=said, over=True)
        if self.over:
            name = " ".join(sorted(self.over))
            yield Slot(self.subject, "over", name, denied=True, said=self.over, over=True)

    def _of_people(self) -> Iterator[Slot]:
        for attribute, pattern in frames.OF_PEOPLE:
            found = pattern.search(self.core)
            value = next(filter(None, found.groups()), "") if found is not None else ""
            is_tool = attribute in ("employer", "lives") and any(
                True for _ in kinds.values(kinds.tokens(value))
            )
            if value and not is_tool:
                yield self._told(attribute, value)._replace(stance="")

    def _stated(self) -> Iterator[Slot]:
        """Give the slot of a clause that says what something is, or where it goes."""
        found = frames.STATES.match(self.core)
        if found is None:
            return
        value, link = frames.without_noise(found["value"]), found["is"] or ""
        of = telling(kinds.tokens(found["of"])) - self._all_said(self._of_what)
        looks, said = frames.shape(value), telling(kinds.tokens(value))
        if not of or not looks or of & frames.MANY or said & self._all_said(self._of_what):
            return
        is_named = "name" in link or "called" in link
        is_one = of & frames.ONE or frames.FAVOURITE.search(found["of"])
        words = value.casefold().split()
        if (
            len(words) > _MOST_WORDS
            or frames.QUALIFIES.intersection(words)
            or (looks == "word" and not (is_named or is_one))
        ):
            return
        told = self._told(
            f"in {looks}" if not link else "is" if is_named or looks != "word" else "is word", value
        )
        stance = "" if told.stance == "works" else told.stance
        yield told._replace(subject=of | self.stems - told.said, stance=stance)

    def _told(self, attribute: str, value: str) -> Slot:
        words = frames.tokens(value)
        said = telling(words) or frozenset(words)
        name = " ".join(words)
        return Slot(_NOTHING, attribute, name, self.clause.denied, self.stance, said, self.clause.adds)

    def _attribute(self, value: Value) -> str:
        if value.kind.startswith("city"):
            lives = frames.LIVES.search(self.core) is not None
            return "lives" if lives else "works in" if self.stance == "works" else "city"
        if value.kind != "number":
            return value.kind
        after, before = (
            self.words[value.last + 1 : value.last + 2],
            self.words[max(0, value.first - 1) : value.first],
        )
        if after and telling(after):
            return f"number {stem(after[0])}"
        if "version" in self.words or "." in value.name:
            return "number version"
        is_port = len(value.name) >= _PORT and bool(frames.LEADS_TO_PORT.intersection(before))
        return "number port" if is_port or frames.OF_PORTS.intersection(self.words) else "number"

    def _stance_to(self, value: Value, *, of: frozenset[str]) -> str:
        """Return the stance to a value of the table; several may be used where nothing says for what."""
        if value.kind.startswith(("city", "number", "clock")) and self.stance != "not me":
            return ""
        if self.stance == "works" and "at work" in self.core:
            return ""
        if self.stance == "has" and value.kind.startswith(("phone", "os", "theme")):
            return ""
        if value.kind.startswith(frames.SEVERAL) and not of and frames.CHOSEN.search(self.core) is None:
            return self.stance or "uses"
        return self.stance

    def _said(self, value: Value) -> frozenset[str]:
        words = self.words[value.first : value.last + 1]
        return frozenset(stem(part) for word in words for part in parts(word))

    def _all_said(self, values: Iterable[Value]) -> frozenset[str]:
        return _NOTHING.union(*map(self._said, values))

    def _says_of_what(self, value: Value) -> bool:
        """Say whether a value is what another one is said of: "tabs in *Go*", "*Postgres* backups on Sunday"."""
        if value.kind.startswith(frames.ADJECTIVES):
            return False
        after = telling(self.words[value.last + 1 : value.last + 2])
        if self._plain & after - nouns(value.kind):
            return True
        if value.kind.startswith(frames.TIMES):
            return False
        others = (each for each in self.values if each.kind != value.kind and each.kind not in frames.COUNTED)
        before = self.words[max(0, value.first - 1) : value.first]
        return any(each.last < value.first for each in others) and bool(frames.SCOPES.intersection(before))

    def _is_part_of_a_name(self, value: Value) -> bool:
        """Say whether a number names one of several: "Worker 1 runs nightly"."""
        if value.kind != "number":
            return False
        after, before = self.words[value.last + 1 : value.last + 2], self.words[value.first - 1 : value.first]
        is_item = any(word in ITEMS | EVENTS or word.removesuffix("s") in ITEMS for word in before)
        leads = value.first == 0 or (value.first == 1 and bool(frames.VERBS.intersection(after)))
        return is_item or leads or f"#{value.name}" in self.core


@lru_cache(maxsize=256)
def nouns(kind: str) -> frozenset[str]:
    """Return the stems of the words that say which kind a value is of."""
    return frozenset(map(stem, kinds.nouns(kind)))


def _single(slots: list[Slot]) -> Iterator[Slot]:
    """Give the slots, but for those of which a text names several values at once."""
    values = {(each.subject, each.attribute, each.value) for each in slots if not each.denied}
    said = Counter((subject, attribute) for subject, attribute, _ in values)
    for each in slots:
        several = said[each.subject, each.attribute] > 1
        yield each._replace(stance=each.stance or "several") if several else each
