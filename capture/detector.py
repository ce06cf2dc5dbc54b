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
    choices,
    corrections,
    drafting,
    durable,
    earnest,
    forgetting,
    own_life,
    rejecting,
    remembering,
    replacing,
    rewriting,
    signals,
    sorting,
    speech,
)
from capture.choosing import best, distinct
from capture.corrections import Correction, Corrections
from capture.deciding import CORRECTS, IN_SPITE, SURE, SUREST, Verdict, decide
from capture.drafting import Why
from capture.features import Context
from capture.heard import LONGEST_WORK, SHORTEST, Conversation, bare, echoes, joined, listed, show
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

_ASKING = frozenset(("question", "asking"))
_TELLING = frozenset(
    ("remember", "standing", "regular", "notice", "wants", "habit", "name", "health", "self", "team")
)
"""What makes it worth to ask the model about a question."""
_NO_CHANGE = frozenset(("question", "asking", "hypothetical", "reported", "hedged", "broken"))
_OF_MEMORY = frozenset(("forget", "not_forget", "recall", "remember", "notice", "deny"))
_HOLDS = frozenset(("passing",))
_NO_ANSWER = frozenset(("question", "asking", "hypothetical", "reported", "standing", "remember"))
_OF_A_STATEMENT = frozenset(
    "standing habit team remember prefer wants self role health family project machine".split()
)
"""What makes a rejection more than an answer to somebody's work."""
_MANNERS = frozenset(("answers", "deny", "order_rule", "contrast"))
_NOT_BY_THE_WAY = frozenset(("question", "asking", "hypothetical", "reported", "hedged"))
_NOT_OF_A_LIFE = frozenset(
    ("question", "asking", "ask", "order", "hypothetical", "reported", "hedged", "passing", "broken")
)
_NEVER_BY_THE_WAY = frozenset(("hypothetical", "reported", "hedged"))
_OF_ALWAYS = frozenset(
    """habit standing regular prefer likes dislike wants remember notice health family lives machine project team role
    answers""".split()
)
"""What makes it worth to look whether a sentence says again what stands (K-141)."""
_MOST_MENTIONED = 4
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
        self._mentioned: list[tuple[Turn, Conversation, str, Context, str]] = []

    @property
    def mentioned(self) -> list[Proposal]:
        """What the last turn says by the way: of account only beside a memory that it is about (K-141)."""
        return [found for mention in self._mentioned if (found := _by_the_way(*mention)) is not None]

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
            conversation.answers = False
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
                found += self._in_doubt(turn, said, message)
                continue
            found += self._sentence(turn, conversation, said, message)
            conversation.before = said
            if choices.asks_which(said):
                conversation.asked = said
        return best(distinct(found), self._max_per_turn)

    def _in_doubt(self, turn: Turn, said: str, message: Context) -> list[Proposal]:
        """Read a sentence that may be somebody else's: it orders and corrects nothing, and is a candidate at most (K-173)."""
        cues = signals.signals(said)
        if cues & _ORDERS:
            return []
        rule = attributed.rule_in(said)
        mentioned = len(self._mentioned)
        found = self._sentence(turn, Conversation(), rule or said, message)
        del self._mentioned[mentioned:]  # it says nothing again, and takes no place
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
        understood = self._understood(turn, conversation, said, cues, message)
        if understood is not None:
            return understood
        p = durable.score(said, message, cues).p
        contrast = corrections.contrast(said) if "correct" in cues and p >= CORRECTS else None
        if contrast is not None and corrections.is_of_files(contrast):
            return []
        verdict = self._judged(turn, said, cues, p, corrects=contrast is not None)
        if verdict is None:
            told = rewriting.told_before_asking(said)
            if told and (durable.score(told, message).p >= IN_SPITE or own_life.lasts(told)):
                return self._sentence(turn, conversation, told, message)
            if len(self._mentioned) < _MOST_MENTIONED and not cues & _NEVER_BY_THE_WAY:
                self._mentioned.append((turn, conversation, told or said, message, conversation.before))
            return self._again(turn, conversation, said, cues)
        if _is_not_meant(conversation, said, cues):
            return []
        rejected = conversation.answers and len(turn.text) < LONG_ANSWER and not cues & _OF_A_STATEMENT
        if verdict.basis == "corrected" or (rejected and rejecting.sets_aside(said)):
            why = self._why(said, message, verdict)
            return [self._corrected(turn, conversation, said, cues, contrast, why=why)]
        return self._stated(turn, conversation, said, cues, message, verdict=verdict)

    def _understood(
        self, turn: Turn, conversation: Conversation, said: str, cues: signals.Signals, message: Context
    ) -> list[Proposal] | None:
        """Read what needs no judging: what is to be forgotten or kept, and answers; None where it is nothing of these."""
        answers = conversation.answers
        if answers and cues & _ASKING and rejecting.is_reminder(said):
            return self._answered(turn, conversation, said, cues) or []
        if forgetting.may_ask(said) and (asked := forgetting.asked(said, conversation.before)) is not None:
            reason = said[: drafting.MAX_REASON]
            forget = Proposal("delete", None, reason=reason, about=asked.about, basis="asked")
            rest = self._sentence(turn, conversation, asked.rest, message) if asked.rest else []
            return [forget, *rest]
        if cues & _ASKING and not cues & _TELLING:
            return []
        if kept := remembering.asked_to_keep(said):
            return self._asked(turn, conversation, kept, cues)
        if answers and (decided := self._settled(turn, conversation, said, cues)) is not None:
            return [decided]
        if answers and len(turn.text) < LONG_ANSWER:
            return self._answered(turn, conversation, said, cues)
        return None

    @staticmethod
    def _judged(turn: Turn, said: str, cues: signals.Signals, p: float, *, corrects: bool) -> Verdict | None:
        """Decide on a statement: by cues and model, by what it says is over, by what it tells of a life."""
        at_a_time = "passing" in cues and (
            replacing.is_change(said) or ("decided" in cues and not replacing.holds_for_now(said))
        )
        verdict = decide(cues - _HOLDS if at_a_time else cues, p, corrects=corrects)
        open_to_it = (
            p >= _CHANGED and not cues & _NO_CHANGE and (verdict is None or verdict.basis == "stated")
        )
        if open_to_it and replacing.is_lasting_change(said, turn.text):
            return Verdict("stated", SUREST, ("a change",))
        if _is_unsure(verdict) and p >= own_life.LEAST and not cues & _NOT_OF_A_LIFE and own_life.lasts(said):
            return Verdict("stated", SURE, ("my life",))
        return verdict

    def _stated(
        self,
        turn: Turn,
        conversation: Conversation,
        said: str,
        cues: signals.Signals,
        message: Context,
        *,
        verdict: Verdict,
    ) -> list[Proposal]:
        """Draft what a statement says, and say what it takes back."""
        core = drafting.durable_part(said, message) if verdict.basis != "asked" else said
        if not (core := rewriting.resolved(core, conversation.before)):
            return []
        place = replacing.lives(said, turn.text) if "place" in cues or "moved" in said else ""
        line = f"The user lives in {place}" if place else rewriting.stand_alone(core)
        if len(line) < SHORTEST or _ONLY_ASKS.fullmatch(line) or echoes(conversation, line):
            return []
        why = self._why(said, message, verdict)
        basis, sure = verdict.basis, verdict.confidence
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

    def _settled(
        self, turn: Turn, conversation: Conversation, said: str, cues: signals.Signals
    ) -> Proposal | None:
        """Read an answer that settles what the person asked before it (K-143)."""
        asked = conversation.asked
        line = choices.decision(said, asked, technical=sorting.is_technical(f"{said} {asked}"))
        if not line:
            return None
        why: Why = (("an answer that settles a question", 1.0),) if self._explain else ()
        conversation.asked = ""
        decided = cues | {"decided", "team"}
        return drafting.of_sentence(turn, said, line, decided, basis="stated", confidence=SURE, why=why)

    def _answered(
        self, turn: Turn, conversation: Conversation, said: str, cues: signals.Signals
    ) -> list[Proposal] | None:
        """Read a short answer to somebody's work that wants it otherwise, or wants again what it wanted (K-32, K-35)."""
        again = rejecting.is_again(turn.text)
        rejects = again or rejecting.rejects(said) or rejecting.rejects(turn.text)
        wants_again = self._corrections.wants_again(said, turn.conversation or turn.session)
        otherwise = rejecting.wants_otherwise(said, conversation.work)
        set_against = corrections.contrast(said)
        rejects = rejects or (
            set_against is not None and bool(rejecting.wished(conversation.wishes, turn.message, said))
        )
        if set_against is not None and corrections.is_of_files(set_against):
            return None
        if not (rejects or wants_again or otherwise) or (cues & _NO_ANSWER and not again):
            if not cues & _ASKING:
                rejecting.wish(conversation.wishes, turn.message, said)
            return None
        if not (earnest.is_meant(said) or again):
            return None
        where = (turn.conversation or turn.session, turn.message)
        known = wants_again or self._corrections.earlier(said, *where)
        wish = "" if known else rejecting.wished(conversation.wishes, turn.message, said)
        if wish:
            known = self._corrections.make(Correction(rewriting.stand_alone(wish), "", "", where[0]))
        if known is not None:
            named = otherwise or set_against
            line = corrections.line(said, named) if named else rewriting.stand_alone(said)
            made = self._corrections.repeat(known, line, *where)
            why: Why = (("corrected again", 1.0),) if self._explain else ()
            repeated = drafting.of_sentence(
                turn, said, made.text, cues, basis="repeated", why=why, work=conversation.work
            )
            reason = said[: drafting.MAX_REASON]
            return [replace(repeated, action="supersede", about=made.rejected, reason=reason)]
        rejecting.wish(conversation.wishes, turn.message, said)
        contrast = otherwise or rejecting.answer(said)
        if contrast is not None:
            why = (("an answer that wants it otherwise", 1.0),) if self._explain else ()
            return [self._corrected(turn, conversation, said, cues, contrast, why=why)]
        if rejecting.rejects_a_thing(said, conversation.work) and not cues & _OF_A_STATEMENT:
            why = (("an answer that rejects what was done", 1.0),) if self._explain else ()
            return [self._corrected(turn, conversation, said, cues, None, why=why)]
        if rejecting.is_manner(said):
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
        proposal = drafting.of_sentence(
            turn, said, made.text, cues, basis=basis, why=why, work=conversation.work
        )
        return replace(proposal, action="supersede", about=rejected, reason=said[: drafting.MAX_REASON])

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


def _by_the_way(
    turn: Turn, conversation: Conversation, said: str, message: Context, before: str
) -> Proposal | None:
    """Return what a sentence says that is not worth a proposal by itself, None where it can be about no memory (K-141)."""
    cues = signals.signals(said)
    if cues & _NOT_BY_THE_WAY:
        return None
    changes = replacing.may_change(said)
    if not (changes or cues & _OF_ALWAYS) or _is_not_meant(conversation, said, cues):
        return None
    core = rewriting.resolved(drafting.durable_part(said, message) if changes else said, before)
    return drafting.by_the_way(turn, said, core if changes else "", cues) if core else None


def _is_not_meant(conversation: Conversation, said: str, cues: signals.Signals) -> bool:
    """Say whether a sentence is an echo, no lasting truth of the person, or an order to memory."""
    return (
        echoes(conversation, said)
        or not earnest.is_meant(said)
        or (bool(cues & _OF_MEMORY) and forgetting.is_order_to_memory(said))
    )


def _is_unsure(verdict: Verdict | None) -> bool:
    return verdict is None or (verdict.basis == "stated" and verdict.confidence < SURE)


def _doubtful(memory: Memory, said: str) -> Memory:
    """Return a memory as a candidate; with the sentence that tells who said it, where there is one."""
    text = rewriting.stand_alone(said) if said else memory.text
    return replace(memory, text=text, confidence=min(memory.confidence, DOUBTFUL))
