"""Takes what people changed in the documents into the log: see specs/editing.md.

`examining` says what an edited document comes to
(an `adoption`), and `applying` writes it. `descent` says what an edit descends from, `absence` what its writer never saw,
`moved_entries` what moved between documents, `new_document` what a document that came says, `edit_author` whose an edit is, `guards` what
keeps it back, `settling` what it comes to as the log is now. `joining` takes in what a clone of a project has.
"""

from documents.adopting.adoption import Adoption
from documents.adopting.applying import adopt, examined, replaced_by_candidates
from documents.adopting.examining import examine
from documents.adopting.joining import join

__all__ = ["Adoption", "adopt", "examine", "examined", "join", "replaced_by_candidates"]
