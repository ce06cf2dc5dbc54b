"""Reads the memory documents that people and agents keep as markdown, and derives the meaning of a person's edits.

`any_document` finds documents and gives each to the reader of its kind (`memory_file`, `topic_files`). For documents that we
rendered, `memory_units` and `topic_units` read units with keys, `matching` matches them with the rendered entries, and
`edits` and `topic_edits` derive the edits. `blocks` cuts markdown without losing a byte.
"""
