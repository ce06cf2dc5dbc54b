"""Proofs to others: the Merkle tree over a chain's heads, signed checkpoints, proof files and anchors.

Implements specs/proofs.md. It imports `ledger` only.
"""
