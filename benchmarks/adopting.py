"""Taking hand edits in: what it costs to look, and one edited line among many."""

from __future__ import annotations

import itertools
from pathlib import Path

from blake3 import blake3

from benchmarks.ledgers import fill, found
from benchmarks.measure import Row, alternating
from ledger.location import CONFIG_NAME


def adopting(folder: Path, scale: float) -> list[Row]:
    """Adopt with nothing changed, and of one edited line."""
    many = max(100, int(5000 * scale))
    ledger = found(folder)
    (ledger.workspace.place.directory / CONFIG_NAME).write_text("[overflow]\nenabled = false\n")
    fill(ledger, many)
    ledger.documents.replay()
    files = [
        ledger.workspace.place.documents / path
        for path in ledger.workspace.local.rendered(ledger.workspace.place.documents)
    ]

    def look() -> None:
        for path in files:
            path.stat()
            blake3(path.read_bytes()).digest()

    nothing, floor = alternating(ledger.documents.adopt, look, 60)
    document = ledger.workspace.place.documents / "MEMORY.md"
    numbers = itertools.count(1)

    def change_a_line() -> None:
        lines = document.read_bytes().splitlines(keepends=True)
        at = len(lines) // 2
        at += next(number for number, line in enumerate(lines[at:]) if line.startswith(b"- "))
        lines[at] = b"- changed by hand %d\n" % next(numbers)
        document.write_bytes(b"".join(lines))

    def adopt_a_line() -> None:
        change_a_line()
        (done,) = ledger.documents.adopt()
        if done.counts() != {"changed": 1}:
            raise RuntimeError(f"this is not what was changed: {done.counts()}")

    def rebuild() -> None:
        ledger.documents.render(everything=True)

    one, whole = alternating(adopt_a_line, rebuild, 10)
    ledger.close()
    return [
        Row("adopt with nothing changed", nothing * 1e3, floor * 1e3, "ms", 3.0, "floor: stat and hash of the files"),
        Row(f"adopt of one edited line among {many:,} entries", one * 1e3, whole * 1e3, "ms", 10.0,
            "floor: rendering that document; no figure is asked for, 10 is ours"),
    ]  # fmt: skip
