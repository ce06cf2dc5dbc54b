"""Transcripts of conversations as coding agents and chat APIs keep them, read as turns.

Implements specs/capture.md (K-5…K-17). Tolerant: formats drift, so what is unknown is left out, a broken line costs
itself, and nothing raises. Memory stays flat, and a reading can be taken up again where it ended.
"""
