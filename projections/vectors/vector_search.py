"""Computes how close memories are to a query by their vectors, and embeds the memories that have none yet.

Implements specs/projections.md (P-220…P-223). No write waits for it: a search embeds a few missing memories before it
compares, the hooks' worker and the weekly upkeep embed the rest.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple
from zlib import crc32

import orjson

from ledger.errors import OutsideError
from ledger.progress import Progress
from projections.index import Index
from projections.vectors.embedder import Embedder
from projections.vectors.vector_store import VectorStore, add

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

AT_A_SEARCH = 16
"""The number of memories that a search embeds before it compares."""
_AT_ONCE = 32
_MOST = 240
"""The number of closest memories; a search uses those that pass its filters."""
_GROUND, _FOUND = 0.2, 0.3
"""On the scale from unrelated texts (0) to the same text (1): where closeness begins to count, and where it finds a memory."""
_UNRELATED = (
    "The parcel was left with the neighbour downstairs.",
    "Compile the kernel with debug symbols.",
    "She plays the cello in an orchestra.",
    "Interest rates rose by a quarter of a point.",
)
_TEXT = (
    "SELECT m.id, m.title, m.text, m.details, m.body FROM json_each(?) j CROSS JOIN events e ON e.id = j.value "
    "CROSS JOIN memories m ON m.n = e.n"
)
_STANDING = "SELECT id FROM memories WHERE status IN ('active', 'candidate') ORDER BY ts DESC, id"


class _Loaded(NamedTuple):
    """All vectors: `rows` says which row of `matrix` is that of a memory, in the order of the rows."""

    changes: tuple[int, str]
    rows: dict[str, int]
    matrix: NDArray[np.float32]


class VectorSearch:
    """The vectors of one ledger.

    Args:
        directory: where they are stored.
        index: gives the index, caught up with the chain.
        archived: gives the ids that are archived.
        embedder: the model.
    """

    def __init__(
        self,
        directory: Path,
        index: Callable[[], Index],
        archived: Callable[[], Collection[str]],
        embedder: Embedder,
    ) -> None:
        self.trouble = ""
        """Why the last search compared no vectors, or only some; one sentence."""
        self._hindered = False
        self._store = VectorStore(directory)
        self._index = index
        self._archived = archived
        self._embedder = embedder
        self._loaded: _Loaded | None = None

    # --- comparing ---

    def prepare(self) -> None:
        """Embed a few memories before a search; `trouble` says why it could not. It may reopen the index."""
        self.trouble, self._hindered = "", False
        with self._told():
            try:
                self.bring_up(AT_A_SEARCH)
            except (
                sqlite3.OperationalError
            ) as error:  # it cannot be written: existing vectors can be compared
                self.trouble = f"the vectors cannot be updated ({error}): search may miss memories by meaning"

    def closest(self, text: str, among: Collection[str]) -> Mapping[str, float]:
        """Return how close memories are to a text, from 0 to 1 for the closest one, best first; {} if that is unknown.

        Args:
            text: the query.
            among: ids that the answer includes if they have a vector; others must be close enough.
        """
        found: Mapping[str, float] = {}
        if not self._hindered:
            with self._told():
                found = self._compared(text, among)
        return found

    @contextmanager
    def _told(self) -> Iterator[None]:
        """Turn an error of comparing vectors into one sentence in `trouble`."""
        try:
            yield
            return
        except OutsideError as error:
            why = str(error)
        except sqlite3.OperationalError as error:
            why = f"{self._store.path} cannot be read ({error})"
        except sqlite3.DatabaseError as error:
            self._store.discard()
            why = f"{self._store.path} is damaged ({error}) and will be rebuilt"
        except OSError as error:
            why = f"{self._store.path} cannot be used ({error})"
        self.trouble, self._hindered = f"{why}: search compares words alone", True

    def _compared(self, text: str, among: Collection[str]) -> Mapping[str, float]:
        import numpy as np

        loaded = self._all()
        if not loaded.rows:
            return {}
        query = self._embedder.embed([text])[0]
        if loaded.matrix.shape[1] != len(query):
            self._store.discard()  # the model behind an address has changed
            return {}
        unrelated = self._unrelated()
        shares = (loaded.matrix @ query - unrelated) / max(1 - unrelated, 1e-6)
        best = float(shares.max())
        if best <= _GROUND:
            return {}
        ids = list(loaded.rows)
        order = np.argsort(-shares, kind="stable")[:_MOST]
        close = {ids[n]: float(shares[n]) for n in order.tolist() if shares[n] >= _FOUND}
        close |= {id_: float(shares[loaded.rows[id_]]) for id_ in among if id_ in loaded.rows}
        return {id_: max(0.0, share - _GROUND) / (best - _GROUND) for id_, share in close.items()}

    def _unrelated(self) -> float:
        """Return the closeness of unrelated texts, which depends on the model."""
        noted = self._store.fact("unrelated")
        if not noted:
            rows = self._embedder.embed(_UNRELATED)
            pairs = [float(one @ other) for one, other in combinations(rows, 2)]
            noted = str(sum(pairs) / len(pairs))
            self._store.note("unrelated", noted)
        return float(noted)

    def _all(self) -> _Loaded:
        import numpy as np

        changes = self._store.changes()
        if self._loaded is None or self._loaded.changes != changes:
            rows = self._store.rows()
            if len({len(vector) for _, vector in rows}) > 1:
                self._store.discard()  # the model behind an address has changed
                rows = []
            packed = np.frombuffer(b"".join(vector for _, vector in rows), dtype=np.float16)
            matrix = packed.reshape(len(rows), -1 if rows else 0).astype(np.float32)
            self._loaded = _Loaded(changes, {id_: n for n, (id_, _) in enumerate(rows)}, matrix)
        return self._loaded

    # --- keeping up ---

    def missing(self) -> int:
        """Return how many memories have no vector of the present model."""
        if self._store.fact("model") != self._embedder.name:
            return len(self._standing())
        return len(set(self._standing()) - self._store.ids())

    def bring_up(self, most: int | None = None, progress: Progress | None = None) -> int:
        """Remove the vectors of former memories, embed up to `most` memories without one, the newest first.

        Args:
            most: how many at most; None: all.
            progress: gets the number done, and the total.

        Returns:
            The number of memories that still lack one.

        Raises:
            OutsideError: the endpoint did not answer.
            OSError, sqlite3.Error: the store cannot be used.
        """
        if self._store.fact("model") != self._embedder.name:
            self._store.discard()
            self._store.note("model", self._embedder.name)
        stamp = self._stamp()
        if self._store.fact("complete") == stamp:
            return 0
        standing, known = self._standing(), self._store.ids()
        self._store.remove(known.difference(standing))
        missing = [id_ for id_ in standing if id_ not in known]
        due = missing if most is None else missing[:most]
        for begin in range(0, len(due), _AT_ONCE):
            self._embed(due[begin : begin + _AT_ONCE])
            if progress is not None:
                progress(min(begin + _AT_ONCE, len(due)), len(due))
        if len(due) == len(missing):
            self._store.note("complete", stamp)
        return len(missing) - len(due)

    def _stamp(self) -> str:
        """Return a stamp that changes with the memories that need a vector."""
        tip = self._index().connection().execute("SELECT seq, id FROM cursor").fetchone()
        return f"{tip} {crc32(' '.join(sorted(self._archived())).encode())}"

    def _standing(self) -> list[str]:
        """Return the ids of the memories that need a vector, newest first."""
        archived = frozenset(self._archived())
        found = self._index().connection().execute(_STANDING)
        return [id_ for (id_,) in found if id_ not in archived]

    def _embed(self, ids: Sequence[str]) -> None:
        import numpy as np

        texts = self._texts(ids)
        vectors = self._embedder.embed(list(texts.values())).astype(np.float16)
        with self._store.writing() as db:
            standing = self._texts(ids)  # an erase may have come meanwhile
            rows = zip(texts, vectors, strict=True)
            add(db, ((id_, vector.tobytes()) for id_, vector in rows if standing.get(id_) == texts[id_]))

    def _texts(self, ids: Sequence[str]) -> dict[str, str]:
        """Return the texts to embed; erased memories have none."""
        rows = self._index().connection().execute(_TEXT, (orjson.dumps(ids).decode(),))
        said = {
            id_: "\n".join(filter(None, (title, text, *orjson.loads(details), body)))
            for id_, title, text, details, body in rows
        }
        return {id_: said[id_] for id_ in ids if said.get(id_)}
