"""Learns from conversations: brings what `capture` proposes into the ledgers of a person, by the rules of policy.

Implements specs/capture.md (K-60…K-73). A part of the composition root beside opening.py (specs/adr/0001): `capture` reads and
proposes and cannot touch the chain; this package looks at what stands, decides, and writes.
"""
