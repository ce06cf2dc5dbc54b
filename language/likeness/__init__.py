"""Compares two texts: `likeness` tells whether they say the same, contradict each other, or are different.

Implements specs/likeness.md. `parsing` turns a text into words with their places (`plain`, `phrases`, `vocabulary`, `token`);
`judgement` compares the content of two texts (`word_comparison`), and then their wording (`wording`, `writing`).
"""

from language.likeness.judgement import denies, likeness
from language.likeness.parsing import read
from language.likeness.token import PreparedText
from language.likeness.word_comparison import Likeness

__all__ = ["Likeness", "PreparedText", "denies", "likeness", "read"]
