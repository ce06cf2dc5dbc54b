"""Runs a muniment command that is killed at a durable step: `python -m tests.documents.adopting.dying STEP TIME ARGUMENT…`."""

from __future__ import annotations

import sys

from cli import main
from tests.observing import kill_at

if __name__ == "__main__":
    kill_at(sys.argv[1], int(sys.argv[2]))
    sys.exit(main.run(sys.argv[3:]))
