"""How an extra gets into this very installation: a hint that is wrong installs it elsewhere, or nothing at all.

Implements specs/files.md (F-40).
"""

from __future__ import annotations

import shlex
import sys
from importlib.util import find_spec
from pathlib import Path

NAME = "muniment"


def how_to_install(extra: str) -> str:
    """Return the command that adds an extra to the muniment that runs, however it was installed."""
    prefix = Path(sys.prefix)
    wanted = shlex.quote(f"{NAME}[{extra}]")
    if (prefix / "pipx_metadata.json").is_file():
        return f"pipx runpip {NAME} install {wanted}"  # `pipx inject` passes over a package that is there
    python = shlex.quote(sys.executable)
    if find_spec("pip") is None:  # uv makes environments and tools without it
        return f"uv pip install --python {python} {wanted}"
    return f"{python} -m pip install {wanted}"
