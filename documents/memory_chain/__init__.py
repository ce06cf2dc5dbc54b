"""Reads the folder of a memory-chain, checks it by its own rules, and proposes its memories.

Implements specs/doors.md (G-51…G-55). `javascript_json` makes the JSON text that its signatures cover, `checking` reads
and checks, `mapping` turns an entry into a memory. This package writes nothing and changes nothing in that folder.
"""
