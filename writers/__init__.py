"""Who else writes: a team's rosters, what its members signed, and the copies of their chains.

Implements those parts of specs/team.md that need neither a transport nor the fold. Imports `ledger` alone.
"""
