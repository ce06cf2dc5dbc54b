"""Asks git what a document's history says."""
