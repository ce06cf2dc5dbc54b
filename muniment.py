"""muniment: memory that agents and the people who run them can trust.

The public Python face: it finds a ledger and gives one object to work with, which `opening` puts together.

    import muniment

    muniment.init().close()  # once, as `muniment init --scope user` does

    with muniment.open(scope="user") as memory:
        written = memory.store(muniment.Memory("Use pnpm, not npm", type="preference"))
        print(memory.search("pnpm"))

Each name is imported when it is first asked for: an agent's hooks import this module, too, and wait for what it costs.
"""

from __future__ import annotations

TYPE_CHECKING = False  # as in typing, whose import would cost a hook a fifth of its time
if TYPE_CHECKING:
    from learning.taking import Taken
    from learning.turn import Turn
    from ledger.errors import (
        AmbiguousIdError,
        BusyError,
        ChainError,
        ForeignChainError,
        FormatError,
        KeyFileError,
        LedgerError,
        LedgerExistsError,
        NoLedgerError,
        NotFoundError,
        OutsideError,
        PlatformError,
        RecordError,
        RollbackError,
        SecretError,
        StateError,
        StorageError,
        UsageError,
        WaitingError,
    )
    from ledger.event import By
    from ledger.memory import Memory, Provenance
    from opening import MemoryLedger, init, inject, open
    from opening import home as home  # noqa: PLC0414 - given, and not in __all__
    from opening import locate as locate  # noqa: PLC0414 - as above
    from projections.query import Filter, LogFilter
    from upkeep import Report

__all__ = [
    "AmbiguousIdError",
    "BusyError",
    "By",
    "ChainError",
    "Filter",
    "ForeignChainError",
    "FormatError",
    "KeyFileError",
    "LedgerError",
    "LedgerExistsError",
    "LogFilter",
    "Memory",
    "MemoryLedger",
    "NoLedgerError",
    "NotFoundError",
    "OutsideError",
    "PlatformError",
    "Provenance",
    "RecordError",
    "Report",
    "RollbackError",
    "SecretError",
    "StateError",
    "StorageError",
    "Taken",
    "Turn",
    "UsageError",
    "WaitingError",
    "__version__",
    "init",
    "inject",
    "open",
]

__version__ = "0.1.0"

if not TYPE_CHECKING:  # a type checker would take it for any name

    def __getattr__(name: str) -> object:
        """Import a name that this module gives, and keep it."""
        if name in ("MemoryLedger", "home", "init", "inject", "locate", "open"):
            import opening as origin
        elif name.endswith("Error") and name in __all__:
            from ledger import errors as origin
        elif name == "By":
            from ledger import event as origin
        elif name in ("Memory", "Provenance"):
            from ledger import memory as origin
        elif name in ("Filter", "LogFilter"):
            from projections import query as origin
        elif name == "Report":
            import upkeep as origin
        elif name == "Taken":
            from learning import taken as origin
        elif name == "Turn":
            from learning import turn as origin
        else:
            raise AttributeError(f"module 'muniment' has no attribute {name!r}")
        found = globals()[name] = getattr(origin, name)
        return found

    def __dir__() -> list[str]:
        """Return what this module gives beside what every module has."""
        return sorted({*globals(), *__all__})
