"""Reads what a person answers to somebody's work: a correction, a wish said again, a choice that settles a question.

Implements specs/capture.md (K-32, K-34, K-143, K-145). Such an answer says little by itself; it is read with the work, and with
what the person said before. It keeps the corrections of all conversations.
"""

from __future__ import annotations

from dataclasses import replace

from documents.proposal import Basis, Proposal
from language import signals
from learning.detection import choices, corrections, drafting, earnest, rejecting, rewriting, sorting
from learning.detection.corrections import Contrast, Correction, Corrections
from learning.detection.deciding import SURE
from learning.detection.drafting import Why
from learning.detection.heard import Conversation
from learning.turn import Turn

LONG_ANSWER = 300
"""A longer message is not read as an answer that corrects."""
ASKING = frozenset(("question", "asking"))
_NO_ANSWER = frozenset(("question", "asking", "hypothetical", "reported", "standing", "remember"))
_OF_A_STATEMENT = frozenset(
    "standing habit team remember prefer wants self role health family project machine".split()
)
"""What makes a rejection more than an answer to somebody's work."""


class Answering:
    """Proposes what answers to somebody's work correct or settle.

    Args:
        corrections: those made so far, of earlier sessions too (K-34).
        explain: fill `Proposal.why`.
    """

    def __init__(self, corrections: Corrections, *, explain: bool) -> None:
        self._corrections = corrections
        self._explain = explain

    def settled(
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

    def answered(
        self, turn: Turn, conversation: Conversation, said: str, cues: signals.Signals
    ) -> list[Proposal] | None:
        """Read a short answer to somebody's work that wants it otherwise, or wants again what it wanted (K-32, K-34)."""
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
            if not cues & ASKING:
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
            return [self.corrected(turn, conversation, said, cues, contrast, why=why)]
        if rejecting.rejects_a_thing(said, conversation.work) and not cues & _OF_A_STATEMENT:
            why = (("an answer that rejects what was done", 1.0),) if self._explain else ()
            return [self.corrected(turn, conversation, said, cues, None, why=why)]
        if rejecting.is_manner(said):
            self._corrections.make(Correction(rewriting.stand_alone(said), "", "", *where))
        return None

    @staticmethod
    def sets_aside(turn: Turn, conversation: Conversation, said: str, cues: signals.Signals) -> bool:
        """Say whether a sentence, whatever it states, is a short answer that sets aside how the work was done."""
        return (
            conversation.answers
            and len(turn.text) < LONG_ANSWER
            and not cues & _OF_A_STATEMENT
            and rejecting.sets_aside(said)
        )

    def corrected(
        self,
        turn: Turn,
        conversation: Conversation,
        said: str,
        cues: signals.Signals,
        contrast: Contrast | None,
        *,
        why: Why,
    ) -> Proposal:
        """Propose a correction: a candidate the first time, a memory when it is made again (K-32, K-34)."""
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
