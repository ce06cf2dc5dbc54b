"""What a report's page holds, as the page unpacks it."""

from __future__ import annotations

import base64
import gzip
import re
from typing import Any

import orjson


def data_of(page: str, name: str) -> bytes:
    """Return what the elements of one name hold."""
    pieces = re.findall(rf'<script type="text/plain" data-of="{name}">([^<]*)</script>', page)
    return gzip.decompress(b"".join(base64.b64decode(piece) for piece in pieces))


def about_of(page: str) -> dict[str, Any]:
    """Return what the page says of itself."""
    found = re.search(r'<script type="application/json" id="about">(.*?)</script>', page)
    assert found
    return dict(orjson.loads(found[1]))
