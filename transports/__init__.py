"""Carries lines of chains, and notes, between machines. Nothing else of muniment connects (TM-73).

It moves opaque bytes: it parses no event, verifies nothing and imports nothing of ours.
"""
