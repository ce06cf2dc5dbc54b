"""One memory from many machines: found or join a team, say who belongs to it, exchange chains.

Implements specs/team.md above the chains. What a machine knows of its team is `writers`; what moves bytes is `transports`.
"""
