"""Reads the memory documents that people and agents keep as markdown, and derives the meaning of a person's edits.

`reading` finds documents and gives each to the reader of its kind (`memory_file`, `topic_files`); of those
that we rendered, `memory_units` and `topic_units` read units with keys, `matching` tells which is which, and `edits` and
`topic_edits` what was meant. `blocks` cuts markdown without losing a byte.
"""
