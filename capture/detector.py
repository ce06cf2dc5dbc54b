"""Proposes memories from the turns of conversations: rules where they are certain, the linear model for the rest.

Implements specs/capture.md (K-40, K-42…K-46). `LearningDetector` keeps what it needs of the conversations that it sees, a
little of each, and the corrections of earlier sessions; it looks at no clock, no file and no ledger.
"""

from __future__ import annotations

import re
from collections import OrderedDict
from collections.abc import Iterable
from dataclasses import replace

from capture import (
    attributed,
    corrections,
    drafting,
    durable,
    earnest,
    forgetting,
    replacing,
    rewriting,
    signals,
    speech,
)
from capture.choosing import best, distinct
from capture.corrections import Correction, Corrections
from capture.deciding import CORRECTS, SUREST, Verdict, decide
from capture.drafting import Why
from capture.features import Context
from capture.heard import SHORTEST, Conversation, bare, echoes, joined, listed, show
from capture.proposal import Basis, Proposal
from capture.turn import Turn
from ledger.memory import Memory

MAX_PER_TURN = 3
CONVERSATIONS = 32
"""So many conversations are remembered at once, those seen last."""
OFTEN = 3
"""What is asked for in so many messages is a habit (K-44)."""
LONG_ANSWER = 300
"""A longer message is not read as an answer that corrects."""
KEPT_SAID, KEPT_STATED = 200, 50
MAX_REASON = 400

_ASKING = frozenset(("question", "asking"))
_TELLING = frozenset(
    ("remember", "standing", "regular", "notice", "wants", "habit", "name", "health", "self", "team")
)
"""What makes it worth to ask the model about a question."""
_NO_CHANGE = frozenset(("question", "asking", "hypothetical", "reported", "hedged", "broken"))
_OF_MEMORY = frozenset(("forget", "not_forget", "recall", "remember", "notice", "deny"))
_HOLDS = frozenset(("passing",))
_NO_ANSWER = frozenset(("question", "asking", "hypothetical", "reported", "standing", "remember"))
_MANNERS = frozenset(("answers", "deny", "order_rule", "contrast"))
_ORDERS = frozenset(("forget", "correct"))
DOUBTFUL = 0.55
"""The confidence of what somebody else may have said (K-173): as that of a hedge."""
_RULES = frozenset(("rule", "habit", "standing", "regular"))
_NO_RULE = frozenset(
    ("question", "asking", "hypothetical", "passing", "progress", "broken", "order", "request")
)
_BINDING = 0.2
"""From this p on a rule of the team that somebody gave is a candidate."""
_ONLY_ASKS = re.compile(
    r"(?:remember|note|save|store|keep|memori[sz]e)(?: (?:this|that|these|it|in mind|down|the following))*:?",
    re.IGNORECASE,
)
_CHANGED = 0.4
"""From this p on a statement that names what is no longer so is followed (K-49)."""


class LearningDetector:
    """Proposes what is worth remembering, turn by turn.

    Args:
        history: corrections of earlier sessions (K-34).
        max_per_turn: at most so many proposals a turn, the surest ones.
        history_limit: so many corrections are remembered.
        explain: fill `Proposal.why`, which costs several times the rest.
    """

    def __init__(
        self,
        history: Iterable[Correction] = (),
        *,
        max_per_turn: int = MAX_PER_TURN,
        history_limit: int = corrections.HISTORY,
        explain: bool = False,
    ) -> None:
        self._corrections = Corrections(history, history_limit)
        self._max_per_turn = max_per_turn
        self._explain = explain
        self._conversations: OrderedDict[str, Conversation] = OrderedDict()

    @property
    def history(self) -> tuple[Correction, ...]:
        """The corrections to store for the next session."""
        return self._corrections.history

    def analyze(self, turn: Turn) -> list[Proposal]:
        """Return what a turn proposes, in the order in which it was said (K-40)."""
        conversation = self._conversation(turn)
        if turn.role == "user":
            found = self._spoken(turn, conversation)
            conversation.answers = False
            return found
        conversation.answers = turn.role in ("assistant", "tool")
        if turn.role == "tool":
            why = (("the command failed, then another one worked", 1.0),) if self._explain else ()
            fixes = [drafting.of_fix(turn, fix, why=why) for fix in conversation.failures.see(turn)]
            return best(fixes, self._max_per_turn)
        if turn.role == "system":
            show(conversation, turn.text, whole=True)
        return []

    def echoes(self, conversation: str, text: str) -> bool:
        """Say whether a text repeats a memory that a conversation was shown, or a part of one (K-22)."""
        found = self._conversations.get(conversation)
        return found is not None and echoes(found, text)

    def _conversation(self, turn: Turn) -> Conversation:
        key = turn.conversation or turn.session
        found = self._conversations.get(key)
        if found is None:
            found = self._conversations[key] = Conversation()
            if len(self._conversations) > CONVERSATIONS:
                self._conversations.popitem(last=False)
        else:
            self._conversations.move_to_end(key)
        return found

    # --- what a person says ---

    def _spoken(self, turn: Turn, conversation: Conversation) -> list[Proposal]:
        text = turn.text
        if "#" in text:
            show(conversation, text, whole=False)
        spoken = speech.sentences(text)
        if not spoken:
            return []
        if (conversation.game or earnest.begins_game(text)) and not self._in_earnest(conversation, text):
            return []
        message = Context.of(text)
        doubtful = [sentence.text for sentence in spoken if not sentence.sure]
        found: list[Proposal] = []
        for said in joined(listed(text, spoken)):
            if doubtful and any(one in said for one in doubtful):
                found += self._in_doubt(turn, said, message)
                continue
            found += self._sentence(turn, conversation, said, message)
            conversation.before = said
        return best(distinct(found), self._max_per_turn)

    def _in_doubt(self, turn: Turn, said: str, message: Context) -> list[Proposal]:
        """Read a sentence that may be somebody else's: it orders and corrects nothing, and is a candidate at most (K-173)."""
        cues = signals.signals(said)
        if cues & _ORDERS:
            return []
        rule = attributed.rule_in(said)
        found = self._sentence(turn, Conversation(), rule or said, message)
        if rule and not found and self._binds(rule, message):
            found = [drafting.of_sentence(turn, said, rule, cues, basis="stated")]
        return [
            replace(
                one,
                action="create",
                about="",
                basis="stated",
                memory=_doubtful(one.memory, said if rule else ""),
            )
            for one in found
            if one.memory is not None
        ]

    @staticmethod
    def _binds(rule: str, message: Context) -> bool:
        cues = signals.signals(rule)
        return (
            bool(cues & _RULES) and not cues & _NO_RULE and durable.score(rule, message, cues).p >= _BINDING
        )

    @staticmethod
    def _in_earnest(conversation: Conversation, text: str) -> bool:
        """Note whether a game of roles goes on (K-48)."""
        over = conversation.game and earnest.ends_game(text)
        conversation.game = not over
        return over

    def _sentence(
        self, turn: Turn, conversation: Conversation, said: str, message: Context
    ) -> list[Proposal]:
        cues = signals.signals(said)
        if "forget" in cues and (asked := forgetting.asked(said, conversation.before)) is not None:
            forget = Proposal("delete", None, reason=said[:MAX_REASON], about=asked.about, basis="asked")
            rest = self._sentence(turn, conversation, asked.rest, message) if asked.rest else []
            return [forget, *rest]
        if cues & _ASKING and not cues & _TELLING:
            return []
        if (
            conversation.answers
            and len(turn.text) < LONG_ANSWER
            and (again := self._answered(turn, conversation, said, cues)) is not None
        ):
            return again
        p = durable.score(said, message, cues).p
        contrast = corrections.contrast(said) if "correct" in cues and p >= CORRECTS else None
        if contrast is not None and corrections.is_of_files(contrast):
            return []
        heard = cues - _HOLDS if "passing" in cues and replacing.is_change(said) else cues
        verdict = decide(heard, p, corrects=contrast is not None)
        open_to_it = (
            p >= _CHANGED and not cues & _NO_CHANGE and (verdict is None or verdict.basis == "stated")
        )
        if open_to_it and replacing.is_lasting_change(said, turn.text):
            verdict = Verdict("stated", SUREST, ("a change",))
        if verdict is None:
            return self._again(turn, conversation, said, cues)
        if (
            echoes(conversation, said)
            or not earnest.is_meant(said)
            or (cues & _OF_MEMORY and forgetting.is_order_to_memory(said))
        ):
            return []
        why = self._why(said, message, verdict)
        if verdict.basis == "corrected":
            return [self._corrected(turn, conversation, said, cues, contrast, why=why)]
        core = drafting.durable_part(said, message) if verdict.basis != "asked" else said
        if not (core := rewriting.resolved(core, conversation.before)):
            return []
        place = replacing.lives(said, turn.text) if "place" in cues or "moved" in said else ""
        line = f"The user lives in {place}" if place else rewriting.stand_alone(core)
        if len(line) < SHORTEST or _ONLY_ASKS.fullmatch(line) or echoes(conversation, line):
            return []
        proposal = drafting.of_sentence(
            turn, said, line, cues, basis=verdict.basis, confidence=verdict.confidence, why=why
        )
        return [self._replacing(conversation, proposal, said)]

    def _answered(
        self, turn: Turn, conversation: Conversation, said: str, cues: signals.Signals
    ) -> list[Proposal] | None:
        """Read a short answer to somebody's work that wants it otherwise, or wants again what it wanted (K-32, K-35)."""
        if not corrections.rejects(said) or cues & _NO_ANSWER or not earnest.is_meant(said):
            return None
        where = (turn.conversation or turn.session, turn.message)
        known = self._corrections.earlier(said, *where)
        if known is not None:
            made = self._corrections.repeat(known, rewriting.stand_alone(said), *where)
            why: Why = (("corrected again", 1.0),) if self._explain else ()
            again = drafting.of_sentence(turn, said, made.text, cues, basis="repeated", why=why)
            return [replace(again, action="supersede", about=made.rejected, reason=said[:MAX_REASON])]
        contrast = corrections.answer(said)
        if contrast is not None:
            why = (("an answer that wants it otherwise", 1.0),) if self._explain else ()
            return [self._corrected(turn, conversation, said, cues, contrast, why=why)]
        if corrections.is_manner(said):
            self._corrections.make(Correction(rewriting.stand_alone(said), "", "", *where))
        return None

    def _why(self, said: str, message: Context, verdict: Verdict) -> Why:
        if not self._explain:
            return ()
        rules = tuple((f"the rule “{name}”", 1.0) for name in verdict.rules)
        return (*rules, *durable.score(said, message, explain=True).why)

    def _corrected(
        self,
        turn: Turn,
        conversation: Conversation,
        said: str,
        cues: signals.Signals,
        contrast: corrections.Contrast | None,
        *,
        why: Why,
    ) -> Proposal:
        """Propose a correction: a candidate the first time, a memory when it is made again (K-32…K-35)."""
        wanted, rejected = contrast or ("", "")
        line = corrections.line(said, contrast)
        if contrast is not None and " " not in line and corrections.is_meant(said):
            line = rewriting.stand_alone(corrections.mended(contrast, conversation.before)) or line
        made = self._corrections.make(
            Correction(line, wanted, rejected, turn.conversation or turn.session, turn.message)
        )
        basis: Basis = "repeated" if made.times > 1 else "corrected"
        proposal = drafting.of_sentence(turn, said, made.text, cues, basis=basis, why=why)
        return replace(proposal, action="supersede", about=rejected, reason=said[:MAX_REASON])

    def _replacing(self, conversation: Conversation, proposal: Proposal, said: str) -> Proposal:
        """Say of a statement what it takes back, if it does: by its words, or of this conversation (K-45)."""
        memory = proposal.memory
        assert memory is not None
        if (frame := replacing.frame(memory.text)) is not None:
            earlier = conversation.stated.pop(frame, memory.text)
            conversation.stated[frame] = memory.text
            if len(conversation.stated) > KEPT_STATED:
                conversation.stated.popitem(last=False)
            if earlier != memory.text:
                return replace(proposal, action="supersede", about=earlier, reason=said[:MAX_REASON])
        about = replacing.given_up(said)
        if about or replacing.takes_back(said):
            if not about and (contrast := corrections.contrast(said)) is not None:
                about = contrast.rejected
            return replace(proposal, action="supersede", about=about, reason=said[:MAX_REASON])
        return proposal

    def _again(
        self, turn: Turn, conversation: Conversation, said: str, cues: signals.Signals
    ) -> list[Proposal]:
        """Notice what a person asks for in one message after the other, though each time for that time (K-44)."""
        if not cues & _MANNERS or cues & {"question", "words_3"} or "order" in cues:
            return []
        line = rewriting.stand_alone(said)
        key = bare(line)
        count = conversation.said.get(key, 0) + 1
        conversation.said[key] = count
        if len(conversation.said) > KEPT_SAID:
            conversation.said.popitem(last=False)
        if count != OFTEN or echoes(conversation, line):
            return []
        why: Why = (("said in three messages", 1.0),) if self._explain else ()
        return [drafting.of_sentence(turn, said, line, cues, basis="observed", why=why)]


def _doubtful(memory: Memory, said: str) -> Memory:
    """Return a memory as a candidate; with the sentence that tells who said it, where there is one."""
    text = rewriting.stand_alone(said) if said else memory.text
    return replace(memory, text=text, confidence=min(memory.confidence, DOUBTFUL))
