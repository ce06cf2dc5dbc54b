"""The facts of a ledger's local state that say when weekly work was done last (specs/doors.md G-31).

Each is a written instant. A module of its own, so that who only asks whether the work is due loads none of it.
"""

from __future__ import annotations

CURATED_AT = "curated_at"
MAINTAINED_AT = "maintained_at"
