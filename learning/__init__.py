"""Learns from conversations and documents: decides what becomes an event, by the rules of policy, and writes it.

Implements specs/capture.md (K-60…K-73). `learning.detection` reads conversations and proposes memories. It cannot touch the
chain. The modules beside it read the current memories, decide, and write.
"""
