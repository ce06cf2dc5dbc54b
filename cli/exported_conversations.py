"""Learns from the conversations of ChatGPT's data export, and prints it as `capture` does.

Implements specs/import.md (I-38).
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from agents.hooks import fault_log
from cli import learning_run
from cli.app import App
from cli.capture_report import Run
from cli.progress import ProgressBar
from documents.other_memories.chatgpt_conversations import read_conversations
from documents.other_memories.chatgpt_memories import TOOL
from documents.other_memories.foreign_records import LeftOut
from language.printable import plain
from learning.authorship import home_of
from learning.conversations import Conversations
from learning.detection.detector import LearningDetector


def learn(app: App, paths: Sequence[Path], *, dry_run: bool) -> int:
    """Learn from files, which are all read before anything is written; return the exit code.

    Raises:
        LedgerError: there is no ledger, or a file is not an export of ChatGPT.
    """
    scopes = learning_run.ledgers(app)
    home = home_of(scopes)
    left_out = {path: LeftOut() for path in paths}
    exports = [(path, read_conversations(path, left_out[path])) for path in left_out]
    run = Run(app, dry_run=dry_run, explain=False, again=f"muniment import --from {TOOL} FILE")
    conversations = Conversations(
        learning_run.taking(app, scopes, dry=dry_run),
        LearningDetector(max_per_turn=home.workspace.configuration.detector_max_per_turn),
        home.workspace.local,
        dry=dry_run,
        on_taken=run.told,
        progress=ProgressBar("reading turns"),
        on_fault=lambda error: fault_log.note("muniment", "import", fault_log.said_of(error)),
        still_to_hear=lambda turn: turn._replace(agent=TOOL),
    )
    for path, exported in exports:
        for warning in left_out[path].warnings():
            app.note(plain(f"{path}: {warning}"))
        heard = conversations.stream(exported, path.stem)
        heard.name = str(path)
        run.read(heard)
    return run.end(scopes.values())
