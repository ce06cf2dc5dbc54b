"""Takes what people changed in the documents into the log: see specs/editing.md.

A part of the composition root beside memledger.py (specs/adr/0001): `adoption` looks at a document and writes what it
comes to; `descent` says what an edit descends from, `settling` what it comes to as the log is now, `hands` whose it is.
"""

from adopting.adoption import Adoption, adopt, examine, examined

__all__ = ["Adoption", "adopt", "examine", "examined"]
