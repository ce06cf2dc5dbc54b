"""What an event is, how it is signed, stored, verified and folded into state.

Implements specs/event.md, specs/chain.md, specs/verification.md and specs/state.md. Imports nothing else of muniment.
"""
