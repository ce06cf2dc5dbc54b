"""Lets modules of the standard library wait that others import and that a command or a hook hardly ever uses.

Belongs to specs/doors.md (G-5) and specs/cli.md: people and agents wait for a start. `importlib.util.LazyLoader` would not do: an
`import` of what it has put off loads it.
"""

from __future__ import annotations

import sys
from _thread import RLock
from collections.abc import Iterable
from importlib.util import find_spec, module_from_spec
from types import ModuleType

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

MODULES = ("inspect", "copy", "ipaddress")
"""A tenth of a start: dataclasses imports the first two, click the first, and what pathlib imports the last one."""

_LOADING = RLock()


class _Waiting(ModuleType):
    """A module that is loaded when something is first asked of it, by whichever thread."""

    def __getattr__(self, name: str) -> Any:
        with _LOADING:
            waiting = vars(self).pop("_waiting", False)  # not there while it is being loaded
            if waiting:
                assert self.__spec__ is not None
                assert self.__spec__.loader is not None
                self.__spec__.loader.exec_module(self)
                self.__class__ = ModuleType  # type: ignore[assignment]
            return ModuleType.__getattribute__(self, name)


def let_wait(names: Iterable[str] = MODULES) -> None:
    """Put each of these modules off, unless it is loaded already."""
    for name in names:
        spec = None if name in sys.modules else find_spec(name)
        if spec is not None and spec.loader is not None:
            sys.modules[name] = module = module_from_spec(spec)
            module.__class__ = _Waiting
            vars(module)["_waiting"] = True
