"""Finds memories by what they mean: a vector of each, kept beside the index and compared with that of a query.

Implements specs/projections.md (P-220…P-224) and specs/adr/0032. Nothing of it is loaded unless a model is installed
or an endpoint is set.
"""
