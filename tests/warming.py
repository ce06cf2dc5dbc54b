"""Makes a process ready to be forked: imports what programs import, and makes what they make once."""

from __future__ import annotations

import contextlib
import gc
import importlib
import pkgutil

from documents.reading.blocks import split_blocks
from learning.detection.detector import LearningDetector
from learning.turn import Turn
from ledger.lazy_pattern import lazy_pattern
from ledger.redaction import redact

_PACKAGES = ("cli", "documents", "language", "learning", "ledger", "projections", "proofs", "writers")


def warm(agents: str = "agents") -> None:
    """Import every module, compile every pattern, and read the tables and the model by which texts are judged.

    Of the agents' doors those of the package `agents`: what MCP needs takes a second.
    """
    for package in (agents, *_PACKAGES):
        found = importlib.import_module(package)
        for module in pkgutil.walk_packages(found.__path__, f"{package}."):
            if not module.name.endswith("__main__"):
                with contextlib.suppress(ImportError):  # of an extra that is not installed
                    importlib.import_module(module.name)
    importlib.import_module("sqlite_utils")  # what makes an index waits for it
    pattern = type(lazy_pattern(""))
    for each in gc.get_objects():
        if isinstance(each, pattern):
            each.flags  # noqa: B018 - compiles it
    redact("a text")
    LearningDetector().analyze(Turn("user", "Remember that we use pnpm, not npm. The port is 5433."))
    split_blocks(b"# A\n\n- one\n- two\n")
    gc.collect()
    gc.freeze()
