"""Erasing as a whole: the copies of what goes, wherever the ledger knows of one, and the receipt of it.

Implements specs/erasure.md (Z-1…Z-27). The payload and what is derived from it (index, documents) are the business of
`ledger.chain`, `projections.index` and `keeping`; here are all other copies, and what it takes to know one. A package of
the composition root.
"""
