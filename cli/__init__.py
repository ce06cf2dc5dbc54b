"""The doors: the command line, and later the MCP server and agent hooks. Only wires and prints.

Implements specs/cli.md.
"""
