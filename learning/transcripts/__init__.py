"""Transcripts of conversations as coding agents and chat APIs keep them, read as turns.

Implements specs/capture.md (K-5…K-17). Tolerant, since formats change: skips unknown records, loses only a broken
line, and never raises. Uses little memory, and a later reading can continue where one ended.
"""
