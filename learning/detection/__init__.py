"""Detects the parts of a conversation that are worth remembering; proposes them and cannot sign.

Implements specs/capture.md. Imports only values from `ledger`, because a reader of strangers' words must not
reach the chain or the keys.
"""
