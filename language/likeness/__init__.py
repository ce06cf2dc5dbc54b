"""Whether two texts say the same, contradict each other, or are different: `likeness`, and what it is made of.

Implements specs/likeness.md. `parsing` turns a text into words with their places (`plain`, `token`, `vocabulary`, `phrases`,
`writing`, `signs`); `judgement` has two of them compared (`word_comparison`, `values`), and asks what holds them apart: `times`,
`lasting`, `moods`, `duties`, `names`, `roles`, `bonds`, `joints`, `deeds`, `states`, `turning_words`.
"""

from language.likeness.judgement import Likeness, are_apart, denies, likeness
from language.likeness.parsing import read
from language.likeness.token import PreparedText

__all__ = ["Likeness", "PreparedText", "are_apart", "denies", "likeness", "read"]
