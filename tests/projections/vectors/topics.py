"""A model for tests: texts with a word of one topic mean the same, all others have nothing to do with each other."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any
from zlib import crc32

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

TOPICS = (("car", "automobile", "vehicle"), ("dog", "puppy", "hound"), ("database", "postgres", "sql"))
SIZE = 512


class Topics:
    """Counts what it embedded; `on_embed` runs before each answer."""

    def __init__(self, name: str = "topics") -> None:
        self.name = name
        self.embedded: list[str] = []
        self.on_embed: Callable[[Sequence[str]], Any] = lambda _: None

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return a unit vector for each text."""
        import numpy as np

        rows = np.zeros((len(texts), SIZE), dtype=np.float32)
        for at, text in enumerate(texts):
            words = text.lower().split()
            about = [n for n, topic in enumerate(TOPICS) if set(topic) & set(words)]
            rows[at, len(TOPICS) + crc32(text.encode()) % (SIZE - len(TOPICS))] = 0.5
            for n in about:
                rows[at, n] = 1
            rows[at] /= np.linalg.norm(rows[at])
        self.on_embed(texts)
        self.embedded += texts
        return rows
