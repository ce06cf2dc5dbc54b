"""Readers of what other memory programs keep: one module a program, and what they share."""
