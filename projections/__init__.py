"""Everything that is rebuilt from the log: index, documents, prompt, timeline. You can delete any of it.

Implements specs/projections.md.
"""
