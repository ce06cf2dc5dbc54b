"""The command line: it parses, calls one service, and prints.

Implements specs/cli.md.
"""
