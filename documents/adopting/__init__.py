"""Records people's edits of documents in the log: see specs/editing.md.

`examining` derives an `adoption` from an edited document, and `applying` writes it. For that, `descent` finds the
rendering that an edit descends from, `absence` finds the lines that its writer never saw, `moved_entries` finds lines
that moved between documents, `new_document` reads a document that came, `edit_author` names the author of an edit,
`guards` hold an edit back, and `settling` turns it into commands for the current log. `joining` records the documents of
a cloned project.
"""

from documents.adopting.adoption import Adoption
from documents.adopting.applying import adopt, examined, replaced_by_candidates
from documents.adopting.examining import examine
from documents.adopting.joining import join

__all__ = ["Adoption", "adopt", "examine", "examined", "join", "replaced_by_candidates"]
