"""One file a command; each holds a click command named `command`.

Implements specs/cli.md (X-10).
"""
