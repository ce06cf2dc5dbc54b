"""What a text says one thing about, and whether another text says it otherwise: `slots_of` and `compare`.

Implements specs/capture.md (K-136, K-137, K-139, K-249). The table of attributes and values is `language.value_kinds`; `words` tells what
counts as a word of the matter, `clauses` cuts a text up, `frames` knows how values are said, `reading` finds the slots, and `comparing`
compares two texts.
"""

from language.slots.clauses import clauses
from language.slots.comparing import Comparison, asked_for, compare
from language.slots.reading import Slot, slots_of

__all__ = ["Comparison", "Slot", "asked_for", "clauses", "compare", "slots_of"]
