"""Erases: cleans every copy that the ledger knows of, and keeps a signed receipt.

Implements specs/erasure.md (Z-1…Z-20, Z-23…Z-27). `ledger.chain` blanks the payload, `projections.index` and `documents` clean what
is derived from it; all other copies are cleaned here.
"""
