"""Whether two texts say the same, contradict each other, or are different: `likeness`, and what it is made of.

Implements specs/likeness.md. `parsing` turns a text into words with their places (`plain`, `phrases`, `vocabulary`, `token`);
`judgement` has the content of two of them compared (`word_comparison`), and then how they say it (`wording`, `writing`).
"""

from language.likeness.judgement import denies, likeness
from language.likeness.parsing import read
from language.likeness.token import PreparedText
from language.likeness.word_comparison import Likeness

__all__ = ["Likeness", "PreparedText", "denies", "likeness", "read"]
