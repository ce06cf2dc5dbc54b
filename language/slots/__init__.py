"""What a text says one thing about, and whether another text says it otherwise: `slots_of` and `compare`.

Implements specs/capture.md (K-136, K-137, K-139, K-249). `kinds` is the table of attributes and values, `words` tells what counts as a word
of the matter, `clauses` cuts a text up, `reading` finds the slots, `comparison` compares two texts.
"""

from language.slots.clauses import clauses
from language.slots.comparison import Comparison, asked_for, compare
from language.slots.reading import Slot, slots_of

__all__ = ["Comparison", "Slot", "asked_for", "clauses", "compare", "slots_of"]
