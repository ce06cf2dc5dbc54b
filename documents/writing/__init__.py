"""Writes a ledger's documents: MEMORY.md, topic files, daily notes."""
