"""Proposes memories from the turns of conversations: rules where they are certain, the linear model for the rest.

Implements specs/capture.md (K-40, K-42…K-46). `LearningDetector` keeps what it needs of the conversations that it sees, a
little of each, and the corrections of earlier sessions; it looks at no clock, no file and no ledger. Three kinds of
sentences have rooms of their own: `learning.detection.answering`, `learning.detection.by_the_way` and `learning.detection.in_doubt`.
"""

from __future__ import annotations

import re
from collections import OrderedDict
from collections.abc import Iterable
from dataclasses import replace

from documents.proposal import Proposal
from language import durable, signals
from language.features import Context
from learning.detection import (
    by_the_way,
    choices,
    corrections,
    drafting,
    earnest,
    forgetting,
    in_doubt,
    own_life,
    reasons,
    rejecting,
    remembering,
    replacing,
    rewriting,
    speech,
    unwanted,
)
from learning.detection.answering import ASKING, LONG_ANSWER, Answering
from learning.detection.by_the_way import Mention
from learning.detection.choosing import best, distinct
from learning.detection.corrections import Correction, Corrections
from learning.detection.deciding import CORRECTS, REPORTED_FAULT, TOLD, SentenceVerdict, judge
from learning.detection.drafting import Why
from learning.detection.heard import (
    LONGEST_WORK,
    SHORTEST,
    Conversation,
    bare,
    echoes,
    is_not_meant,
    joined,
    listed,
    show,
)
from learning.turn import Turn
from ledger.lazy_pattern import lazy_pattern

MAX_PER_TURN = 3
CONVERSATIONS = 32
"""So many conversations are remembered at once, those seen last."""
OFTEN = 3
"""What is asked for in so many messages is a habit (K-44)."""
KEPT_SAID, KEPT_STATED = 200, 50

_TELLING = frozenset(
    ("remember", "standing", "regular", "notice", "wants", "habit", "name", "health", "self", "team")
)
"""What makes it worth to ask the model about a question."""
_MANNERS = frozenset(("answers", "deny", "order_rule", "contrast"))
_NOT_MEANT = frozenset(("hypothetical", "reported"))
_MOST_MENTIONED = 4
_ONLY_ASKS = lazy_pattern(
    r"(?:remember|note|save|store|keep|memori[sz]e)(?: (?:this|that|these|it|in mind|down|the following))*:?",
    re.IGNORECASE,
)


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
        self._answering = Answering(self._corrections, explain=explain)
        self._max_per_turn = max_per_turn
        self._explain = explain
        self._conversations: OrderedDict[str, Conversation] = OrderedDict()
        self._mentioned: list[Mention] = []

    @property
    def mentioned(self) -> list[Proposal]:
        """What the last turn says by the way: of account only beside a memory that it is about (K-141)."""
        return [found for mention in self._mentioned if (found := by_the_way.proposal(mention))]

    @property
    def history(self) -> tuple[Correction, ...]:
        """The corrections to store for the next session."""
        return self._corrections.history

    def analyze(self, turn: Turn) -> list[Proposal]:
        """Return what a turn proposes, in the order in which it was said (K-40)."""
        conversation = self._conversation(turn)
        self._mentioned.clear()
        if turn.role == "user":
            found = self._spoken(turn, conversation)
            conversation.answers, conversation.wanted = False, turn.text[:LONG_ANSWER]
            return found
        conversation.answers = turn.role in ("assistant", "tool")
        if conversation.answers:
            conversation.work = f"{turn.command} {turn.text[:LONGEST_WORK]}"
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
                found += self._doubted(turn, said, message)
                continue
            found += self._sentence(turn, conversation, said, message)
            conversation.before = said
            if choices.asks_which(said):
                conversation.asked = said
        return best(distinct(found), self._max_per_turn)

    def _doubted(self, turn: Turn, said: str, message: Context) -> list[Proposal]:
        """Read a sentence that may be somebody else's (K-173): it says nothing again, and takes no place."""
        mentioned = len(self._mentioned)
        found = in_doubt.candidates(
            turn, said, message, lambda line: self._sentence(turn, Conversation(), line, message)
        )
        del self._mentioned[mentioned:]
        return found

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
        understood = self._understood(turn, conversation, said, cues, message)
        if understood is not None:
            return understood
        p = durable.probability(said, message, cues)
        contrast = corrections.contrast(said) if "correct" in cues and p >= CORRECTS else None
        if contrast is not None and corrections.is_of_files(contrast):
            return []
        verdict = judge(said, turn.text, cues, p, corrects=contrast is not None)
        if verdict is not None and not verdict.rules and contrast is None and durable.is_strange(said):
            verdict = None
        if verdict is None:
            if not cues >= REPORTED_FAULT and (told := rewriting.told_before_asking(said)):
                return self._told(turn, conversation, told, message)
            if found := self._behind(turn, conversation, said, cues, message):
                return found
            self._mention(turn, conversation, said, cues, message)
            return self._again(turn, conversation, said, cues)
        if is_not_meant(conversation, said, cues):
            return []
        if verdict.basis == "corrected" or self._answering.sets_aside(turn, conversation, said, cues):
            why = self._why(said, message, verdict)
            return [self._answering.corrected(turn, conversation, said, cues, contrast, why=why)]
        return self._stated(turn, conversation, said, cues, message, verdict=verdict)

    def _told(self, turn: Turn, conversation: Conversation, told: str, message: Context) -> list[Proposal]:
        """Read what a sentence tells before it asks or orders something (K-144)."""
        if durable.score(told, message).p >= TOLD or own_life.lasts(told):
            return self._sentence(turn, conversation, told, message)
        self._mention(turn, conversation, told, signals.signals(told), message)
        return []

    def _behind(
        self, turn: Turn, conversation: Conversation, said: str, cues: signals.Signals, message: Context
    ) -> list[Proposal]:
        """Read what a sentence tells behind its wish (K-260)."""
        told = "" if cues & _NOT_MEANT else reasons.told_behind(said)
        if not told or not earnest.is_meant(said):
            return []
        if durable.score(told, message).p >= TOLD or own_life.lasts(told):
            return self._sentence(turn, conversation, told, message)
        return []

    def _mention(
        self, turn: Turn, conversation: Conversation, said: str, cues: signals.Signals, message: Context
    ) -> None:
        """Note what is said by the way (K-141)."""
        if len(self._mentioned) < _MOST_MENTIONED and by_the_way.may_be(cues):
            answers = conversation.work if conversation.answers and len(turn.text) < LONG_ANSWER else ""
            context = f"{conversation.wanted}. {answers}" if answers else ""
            self._mentioned.append(Mention(turn, conversation, said, message, conversation.before, context))

    def _understood(
        self, turn: Turn, conversation: Conversation, said: str, cues: signals.Signals, message: Context
    ) -> list[Proposal] | None:
        """Read what needs no judging: what is to be forgotten or kept, and answers; None where it is nothing of these."""
        answers = conversation.answers
        if answers and cues & ASKING and rejecting.is_reminder(said):
            return self._answering.answered(turn, conversation, said, cues) or []
        asked = unwanted.named_first(said)
        if asked is None and forgetting.may_ask(said):
            asked = forgetting.asked(said, conversation.before)
        if asked is not None:
            reason = said[: drafting.MAX_REASON]
            forget = Proposal("delete", None, reason=reason, about=asked.about, basis="asked")
            rest = self._sentence(turn, conversation, asked.rest, message) if asked.rest else []
            rest = [drafting.instead_of(one, asked.about, said) for one in rest]
            return [forget, *rest]
        if unwanted.is_order(said) or (answers and unwanted.only_points(said)):
            return []
        if cues & ASKING and not cues & _TELLING:
            told = rewriting.told_before_asking(said)
            found = self._told(turn, conversation, told, message) if told else []
            return found or self._behind(turn, conversation, said, cues, message)
        if kept := remembering.asked_to_keep(said):
            return self._asked(turn, conversation, kept, cues)
        before = conversation.before
        if before and before in turn.text and remembering.asks_to_keep_what_was_said(said):
            return self._asked(turn, conversation, before, signals.signals(before))
        if answers and (decided := self._answering.settled(turn, conversation, said, cues)) is not None:
            return [decided]
        if answers and len(turn.text) < LONG_ANSWER:
            return self._answering.answered(turn, conversation, said, cues)
        return None

    def _stated(
        self,
        turn: Turn,
        conversation: Conversation,
        said: str,
        cues: signals.Signals,
        message: Context,
        *,
        verdict: SentenceVerdict,
    ) -> list[Proposal]:
        """Draft what a statement says, and say what it takes back."""
        core = drafting.durable_part(said, message) if verdict.basis != "asked" else said
        if not (core := rewriting.resolved(core, conversation.before)):
            return []
        place = replacing.lives(said, turn.text) if "place" in cues or "moved" in said else ""
        line = f"The user lives in {place}" if place else rewriting.stand_alone(core)
        if len(line) < SHORTEST or _ONLY_ASKS.fullmatch(line) or echoes(conversation, line):
            return []
        if verdict.basis == "asked" and remembering.says_nothing(line):
            return []
        why = self._why(said, message, verdict)
        basis, sure = verdict.basis, verdict.confidence
        if place:
            cues = cues - {"team"} | {"lives"}
        proposal = drafting.of_sentence(turn, core, line, cues, basis=basis, confidence=sure, why=why)
        return [self._replacing(conversation, proposal, said)]

    def _asked(
        self, turn: Turn, conversation: Conversation, kept: str, cues: signals.Signals
    ) -> list[Proposal]:
        """Propose what the person asks to remember (K-146)."""
        if echoes(conversation, kept) or not earnest.is_meant(kept) or cues & {"hypothetical", "reported"}:
            return []
        line = rewriting.stand_alone(kept)
        why: Why = (("it is asked to be remembered", 1.0),) if self._explain else ()
        own = signals.signals(kept) | {"remember"}
        return [drafting.of_sentence(turn, kept, line, own, basis="asked", why=why)] if line else []

    def _why(self, said: str, message: Context, verdict: SentenceVerdict) -> Why:
        if not self._explain:
            return ()
        rules = tuple((f"the rule “{name}”", 1.0) for name in verdict.rules)
        return (*rules, *durable.score(said, message, explain=True).why)

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
                return replace(
                    proposal, action="supersede", about=earlier, reason=said[: drafting.MAX_REASON]
                )
        about = replacing.given_up(said)
        if about or replacing.takes_back(said) or replacing.may_change(said):
            if not about and (contrast := corrections.contrast(said)) is not None:
                about = contrast.rejected
            return replace(proposal, action="supersede", about=about, reason=said[: drafting.MAX_REASON])
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
