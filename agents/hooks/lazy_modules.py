"""Lets modules of the standard library wait that others import and that a hook hardly ever uses.

Belongs to specs/doors.md (G-5): an agent waits for its hooks. `importlib.util.LazyLoader` would not do: an `import` of
what it has put off loads it.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from importlib.util import find_spec, module_from_spec
from types import ModuleType

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

MODULES = ("inspect", "copy", "ipaddress")
"""A tenth of a hook's time: the first two are imported by dataclasses, the last one by what pathlib imports."""


class _Waiting(ModuleType):
    """A module that is loaded when something is first asked of it."""

    def __getattr__(self, name: str) -> Any:
        self.__class__ = ModuleType  # type: ignore[assignment]
        assert self.__spec__ is not None
        assert self.__spec__.loader is not None
        self.__spec__.loader.exec_module(self)
        return getattr(self, name)


def let_wait(names: Iterable[str] = MODULES) -> None:
    """Put each of these modules off, unless it is loaded already; for a process with one thread."""
    for name in names:
        spec = None if name in sys.modules else find_spec(name)
        if spec is not None and spec.loader is not None:
            sys.modules[name] = module = module_from_spec(spec)
            module.__class__ = _Waiting
