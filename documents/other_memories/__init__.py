"""Readers for the data of other memory programs: one module for each program, and what they share."""
