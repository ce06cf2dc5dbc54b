"""What is rebuilt from the log: index, markdown, topics, daily notes, prompt, timeline. Any of it can be thrown away.

Implements specs/projections.md.
"""
