"""Reads the folder of a memory-chain, checks it by its own rules, and proposes its memories.

Implements specs/doors.md (G-51…G-55). `javascript_json` is the JSON text that its signatures are over, `checking` reads and
checks, `mapping` says what memory an entry is. Nothing here writes anything, and nothing of that folder is changed.
"""
