"""The page with data in it: one HTML file that shows, and recomputes, what a report holds.

Implements specs/report.md (H-1, H-2). `page.html` is built from the TypeScript in `report/browser` by `make page`; nothing
is computed here but the compression.
"""

from __future__ import annotations

import base64
import gzip
import re
from collections.abc import Iterator
from pathlib import Path

import orjson

from report.contents import ReportContents

PLACE = b"<!--data-->"
"""Where the built page takes its data."""
_FETCHES_NOTHING = b"default-src 'none'"
_ASKS_ITS_SERVER = _FETCHES_NOTHING + b"; connect-src 'self'"
"""How the policy begins, and how it does where a viewer serves the page (H-23)."""
_POLICY = re.compile(rb'http-equiv="Content-Security-Policy" content="([^"]*)"')
_CHUNK = 3 << 18
"""So many bytes are one element: a megabyte of base64, which no browser takes long to hand to the worker."""
_LEVEL = 3
"""Of gzip: higher ones take several times as long for a tenth fewer bytes."""


def page(contents: ReportContents) -> bytes:
    """Return the whole HTML file."""
    built = (Path(__file__).parent / "page.html").read_bytes()
    if contents.about["live"]:
        built = built.replace(_FETCHES_NOTHING, _ASKS_ITS_SERVER, 1)
    before, _, after = built.partition(PLACE)
    return b"".join([before, *_elements(contents), after])


def policy(page: bytes) -> str:
    """Return the Content Security Policy that a page sets itself."""
    found = _POLICY.search(page)
    assert found, "page.html has a policy"
    return found[1].decode()


def _elements(contents: ReportContents) -> Iterator[bytes]:
    about = orjson.dumps(contents.about).replace(b"<", b"\\u003c")  # nothing in it ends the element
    yield b'<script type="application/json" id="about">' + about + b"</script>\n"
    for number, chain in enumerate(contents.chains):
        yield from _chunks(f"chain-{number}", chain.data)
    yield from _chunks("rest", orjson.dumps(contents.rest))


def _chunks(name: str, data: bytes) -> Iterator[bytes]:
    packed = gzip.compress(data, _LEVEL, mtime=0)
    for start in range(0, len(packed), _CHUNK):
        text = base64.b64encode(packed[start : start + _CHUNK])
        yield f'<script type="text/plain" data-of="{name}">'.encode() + text + b"</script>\n"
