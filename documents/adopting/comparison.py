"""How an edited document is compared with a rendering that it may descend from.

Implements specs/editing.md (D-2): a document is cut in one way, and may descend from many renderings.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from documents.reading.edits import Edit
from documents.reading.shown_entries import Shown

Compared = Callable[[Sequence[Shown]], list[Edit]]
"""Says what makes a rendering into a document."""
