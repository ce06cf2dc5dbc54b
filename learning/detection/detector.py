"""Proposes memories from the turns of conversations: by certain rules first, then by the linear model.

Implements specs/capture.md (K-22, K-40…K-43, K-46, K-60). `LearningDetector` keeps a little of each conversation. It reads no
clock, no ledger, and no file except the model's.
"""

from __future__ import annotations

from collections import OrderedDict
from functools import cached_property
from typing import TYPE_CHECKING

from documents.proposal import Basis, Proposal
from language.durability import Durability, Model, model
from learning.detection import certain_words, drafting, forgetting, memory_sections
from learning.detection.drafting import WordWeights
from learning.detection.speech import Sentence, sentences
from learning.detection.standing import CONFIDENCE, LEAST, SURE
from learning.turn import Turn
from ledger.lazy_pattern import lazy_pattern

if TYPE_CHECKING:
    from learning.detection.failures import Failures

MAX_PER_TURN = 3
CONVERSATIONS = 32
"""How many conversations are kept at once, the latest ones."""
_LEAST_ORDER = 0.5
"""A standing order by its words needs at least this share of the probability that is worth asking about."""
SHOWN = 2_000
"""How many lines of memory sections are kept for one conversation."""
SHORTEST = 4
"""A shorter text is not a memory."""
_LONGEST_LINES = 20_000
_PART = 12
"""A text of at least this length repeats a line that contains it."""
_MOSTLY = 20
"""A text repeats a line of at least this length that it contains."""
_SCOPE_AT_END = lazy_pattern(r"\s*\((?:user|project|local)\)$|^\[\?\]\s*")
_WORDS = lazy_pattern(r"[\w./+#-]+")


class LearningDetector:
    """Proposes memories, turn by turn.

    Args:
        max_per_turn: at most so many proposals a turn, the surest ones.
        explain: fill `Proposal.why`.
        weights: the linear model, by default the shipped one.
    """

    def __init__(
        self, *, max_per_turn: int = MAX_PER_TURN, explain: bool = False, weights: Model | None = None
    ) -> None:
        self._max_per_turn = max_per_turn
        self._explain = explain
        self._weights = weights
        self._conversations: OrderedDict[str, Conversation] = OrderedDict()

    def analyze(self, turn: Turn) -> list[Proposal]:
        """Return the proposals of a turn, in the order of its sentences (K-40)."""
        conversation = self.heed(turn)
        if turn.role == "user":
            return self._spoken(turn, conversation)
        return self._fixes(turn, conversation) if turn.role == "tool" else []

    def heed(self, turn: Turn) -> Conversation:
        """Note the memories that a turn shows (K-22), and return its conversation."""
        conversation = self._conversation(turn)
        if turn.role == "system" or (turn.role == "user" and "\n" in turn.text):
            conversation.show(turn.text, whole=turn.role == "system")
        return conversation

    def echoes(self, conversation: str, text: str) -> bool:
        """Return whether a text repeats a memory, or part of one, that the conversation was shown (K-22)."""
        found = self._conversations.get(conversation)
        return found is not None and found.echoes(text)

    def _conversation(self, turn: Turn) -> Conversation:
        key = turn.conversation or turn.session
        found = self._conversations.pop(key, None) or Conversation()
        self._conversations[key] = found
        if len(self._conversations) > CONVERSATIONS:
            self._conversations.popitem(last=False)
        return found

    def _fixes(self, turn: Turn, conversation: Conversation) -> list[Proposal]:
        fixes = conversation.failures.see(turn)
        if not fixes or conversation.has_fix:
            return []
        conversation.has_fix = True
        why: WordWeights = (("the command failed, then another one worked", 1.0),) if self._explain else ()
        return [drafting.of_fix(turn, fixes[0], why=why)]

    # --- a person's sentences ---

    def _spoken(self, turn: Turn, conversation: Conversation) -> list[Proposal]:
        found: list[Proposal] = []
        before, listing = "", -1
        for said in forgetting.joined(sentences(turn.text), self._model):
            asked = listing == said.paragraph and not said.sure
            if certain_words.keeps_list(said.text):
                listing = said.paragraph
            found += self._sentence(turn, conversation, said, before, asked=asked)
            before = said.text
        return _best(found, self._max_per_turn)

    def _sentence(
        self, turn: Turn, conversation: Conversation, sentence: Sentence, before: str, *, asked: bool
    ) -> list[Proposal]:
        said, certain = sentence.text, not sentence.paragraph
        if asked:
            return self._asked(turn, conversation, said, certain=certain)
        if not sentence.sure:
            return self._inferred(turn, conversation, said, before, sure=False)
        if what := certain_words.kept(said):
            certain = certain and not certain_words.doubts_that_it_asks(said)
            return self._asked(turn, conversation, what, certain=certain)
        if certain_words.keeps_before(said):
            return self._asked(turn, conversation, before, certain=certain) if before else []
        if (wish := forgetting.asked(said, self._model)) is not None:
            return self._forgotten(turn, conversation, said, wish)
        return self._inferred(turn, conversation, said, before, sure=certain)

    def _forgotten(
        self, turn: Turn, conversation: Conversation, said: str, wish: forgetting.Asked
    ) -> list[Proposal]:
        """Propose the deletion that a sentence asks for, and its other statements (K-41, K-244)."""
        if not wish.about:
            return []
        forget = Proposal("delete", None, reason=said[: drafting.MAX_REASON], about=wish.about, basis="asked")
        beside = self._inferred(turn, conversation, wish.rest, "") if wish.rest else []
        return [forget, *(drafting.instead_of(one, wish.about, said) for one in beside)]

    def _asked(self, turn: Turn, conversation: Conversation, kept: str, *, certain: bool) -> list[Proposal]:
        """Propose the text that the person asks to remember (K-146)."""
        line = kept.strip().removesuffix(".")
        if len(line) < SHORTEST or conversation.echoes(line):
            return []
        why: WordWeights = (("it is asked to be remembered", 1.0),) if self._explain else ()
        basis: Basis = "asked" if certain else "hedged"
        return [self._drafted(turn, kept, line, basis, confidence=CONFIDENCE[basis], why=why)]

    def _inferred(
        self,
        turn: Turn,
        conversation: Conversation,
        said: str,
        before: str,
        *,
        sure: bool = True,
    ) -> list[Proposal]:
        """Propose a standing order, or a sentence that the model finds durable; doubtful words as hedged (K-173)."""
        if certain_words.is_question(said):
            return []
        line = drafting.line_of(said, before)
        if len(line) < SHORTEST or conversation.echoes(line):
            return []
        standing = certain_words.is_standing(said, turn.text)
        basis: Basis
        basis, confidence = ("stated", CONFIDENCE["stated"]) if standing else self._by_model(said, turn.text)
        if not confidence:
            return []
        rule: WordWeights = (("an order for good, by its words", 1.0),) if standing and self._explain else ()
        if not sure or (standing and self._is_no_order(said)):
            basis, confidence = "hedged", min(confidence, CONFIDENCE["hedged"])
        return [self._drafted(turn, said, line, basis, confidence=confidence, why=rule)]

    def _by_model(self, said: str, message: str) -> tuple[Basis, float]:
        """Return the basis and the model's confidence of a sentence, 0 if it is not worth a proposal (K-60)."""
        weights = self._model
        if certain_words.is_plan(said):
            return "hedged", CONFIDENCE["hedged"]
        p, level = weights.probability(said), weights.candidate(message)
        if p < level:
            return "stated", 0.0
        if p >= weights.active:
            return "stated", CONFIDENCE["stated"]
        share = (p - level) / (weights.active - level)
        return "stated", round(LEAST + (SURE - LEAST) * share, 2)

    def _is_no_order(self, said: str) -> bool:
        """Return whether the model denies that a sentence is a standing order: "never worked", "in future we'll see"."""
        weights = self._model
        return weights.probability(said) < weights.candidate(said) * _LEAST_ORDER

    def _drafted(
        self, turn: Turn, said: str, line: str, basis: Basis, *, confidence: float, why: WordWeights
    ) -> Proposal:
        judged: Durability = self._model.judge(line, explain=self._explain)
        return drafting.of_sentence(
            turn, said, line, judged, basis=basis, confidence=confidence, why=(*why, *judged.why)
        )

    @property
    def _model(self) -> Model:
        if self._weights is None:
            self._weights = model()
        return self._weights


def _best(found: list[Proposal], most: int) -> list[Proposal]:
    """Return the surest proposals in the order of their sentences, each text once."""
    once: dict[tuple[str, str], Proposal] = {}
    for one in sorted(found, key=_sureness, reverse=True):
        once.setdefault((one.memory.text if one.memory else "", one.about if not one.memory else ""), one)
    kept = list(once.values())[:most]
    return [one for one in found if any(one is each for each in kept)]


def _sureness(proposal: Proposal) -> float:
    return proposal.memory.confidence if proposal.memory is not None else 1.0


# --- the state of a conversation (K-22, K-46) ---


class Conversation:
    """The state that a detector keeps for one conversation."""

    def __init__(self) -> None:
        self.has_fix = False
        """Whether a fix was proposed: one is enough (K-39)."""
        self._shown: OrderedDict[str, None] = OrderedDict()

    @cached_property
    def failures(self) -> Failures:
        """The failures that wait for a fix."""
        from learning.detection.failures import Failures

        return Failures()

    def show(self, text: str, *, whole: bool) -> None:
        """Note the lines of memory sections; if `whole` and there are none, all lines (K-22)."""
        lines = memory_sections.memories_in(text)
        if whole and not lines:
            lines = [line.strip(" -*+>\t") for line in text[:_LONGEST_LINES].splitlines()]
        for line in lines:
            if len(plain := bare(_SCOPE_AT_END.sub("", line))) >= SHORTEST:
                self._shown[plain] = None
        while len(self._shown) > SHOWN:
            self._shown.popitem(last=False)

    def echoes(self, said: str) -> bool:
        """Return whether a sentence repeats a shown memory, or part of one."""
        if not self._shown:
            return False
        plain = bare(said)
        if plain in self._shown:
            return True
        return len(plain) >= _PART and any(
            plain in shown or (len(shown) >= _MOSTLY and shown in plain) for shown in self._shown
        )


def bare(text: str) -> str:
    """Return the words of a text without their signs, in lower case."""
    return " ".join(_WORDS.findall(text.casefold()))
