"""Finds memories by meaning: compares a stored vector of each with the vector of a query.

Implements specs/projections.md (P-220…P-224) and specs/adr/0032. It is loaded only if a model is installed or an
endpoint is set.
"""
