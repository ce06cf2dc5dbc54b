"""Documents that people read and edit: writing them, reading them, adopting edits, asking git."""
