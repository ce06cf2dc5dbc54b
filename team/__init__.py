"""One memory on many machines: create or join a team, manage its members, exchange chains.

Implements specs/team.md above the chains. `writers` holds what a machine knows of its team; `transports` move bytes.
"""
