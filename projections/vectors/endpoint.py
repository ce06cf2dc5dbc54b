"""An embedding endpoint with OpenAI's interface, at an address that a person set.

Implements specs/projections.md (P-224). It sends the texts of memories and queries to that address and to no other:
redirects are not followed.
"""

from __future__ import annotations

import http.client
import json
import ssl
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from ledger.errors import OutsideError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_PATIENCE = 5.0
"""Seconds that each step of an exchange may take."""
_MOST_BYTES = 64 << 20


class EndpointEmbedder:
    """The model behind an address.

    Args:
        address: `http://…/v1` or `https://…/v1`, with or without `/embeddings` at its end.
        model: the model's name there; "" if the endpoint has only one.
        key: sent as bearer token; "" sends none.
    """

    def __init__(self, address: str, model: str = "", key: str = "") -> None:
        self.address = address
        self._model = model
        self._key = key

    @property
    def name(self) -> str:
        """The model's name together with where it runs."""
        return f"{self._model} at {self.address}"

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return one vector of length 1 for each text.

        Raises:
            OutsideError: the endpoint cannot be reached, refuses, or does not answer with vectors.
        """
        import numpy as np

        answer = self._asked(json.dumps({"model": self._model, "input": list(texts)}).encode())
        try:
            found = sorted(json.loads(answer)["data"], key=lambda each: int(each["index"]))
            rows = np.array([each["embedding"] for each in found], dtype=np.float32)
            lengths = np.linalg.norm(rows, axis=1, keepdims=True)
            if len(rows) != len(texts) or not np.isfinite(lengths).all():
                raise ValueError(len(rows))
        except (ValueError, TypeError, KeyError, RecursionError) as error:
            raise OutsideError(f"{self.address} did not answer with one vector for each text") from error
        unit: NDArray[np.float32] = rows / np.maximum(lengths, 1e-12)
        return unit

    def _asked(self, body: bytes) -> bytes:
        try:
            connection, path = self._connection()
            headers = {"Content-Type": "application/json", "Accept-Encoding": "identity"}
            if self._key:
                headers["Authorization"] = f"Bearer {self._key}"
            try:
                connection.request("POST", path, body, headers)
                response = connection.getresponse()
                answer = response.read(_MOST_BYTES + 1)
            finally:
                connection.close()
        except (OSError, http.client.HTTPException, ValueError) as error:
            why = getattr(error, "strerror", None) or error
            raise OutsideError(f"the embedding endpoint {self.address} cannot be reached ({why})") from error
        if response.status != http.HTTPStatus.OK:
            raise OutsideError(
                f"the embedding endpoint {self.address} answered with status {response.status}"
            )
        if len(answer) > _MOST_BYTES:
            raise OutsideError(
                f"the embedding endpoint {self.address} answered more than {_MOST_BYTES} bytes"
            )
        return answer

    def _connection(self) -> tuple[http.client.HTTPConnection, str]:
        parts = urlsplit(self.address)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ValueError("not an address of http or https")
        path = parts.path.rstrip("/")
        path = path if path.endswith("/embeddings") else f"{path}/embeddings"
        given: dict[str, Any] = {"port": parts.port, "timeout": _PATIENCE}
        if parts.scheme == "http":
            return http.client.HTTPConnection(parts.hostname, **given), path
        context = ssl.create_default_context()
        return http.client.HTTPSConnection(parts.hostname, context=context, **given), path
