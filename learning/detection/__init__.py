"""Detects what in a conversation is worth remembering; it proposes and cannot sign.

Implements specs/capture.md. Imports values alone from `ledger`: a reader of strangers' words must not reach the
chain or the keys.
"""
