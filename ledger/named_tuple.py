"""Tuples whose members have names, made in a fifth of the time that `typing.NamedTuple` takes.

That one compiles a constructor and the annotation of each member anew for every class. A write loads a hundred such classes;
so what an agent's hooks and a write load uses these, which share constructors of the same number of members.
"""

from __future__ import annotations

from collections import namedtuple
from functools import cache
from types import FunctionType

__all__ = ["NamedTuple"]

TYPE_CHECKING = False  # as in typing, whose import would cost a hook a fifth of its time
if TYPE_CHECKING:
    from typing import NamedTuple
else:

    class _Named(tuple):
        """What all of them can do, as those of `collections.namedtuple` do it."""

        __slots__ = ()

        @classmethod
        def _make(cls, values):
            return cls(*values)

        def _replace(self, /, **changes):
            made = self._make(map(changes.pop, self._fields, self))
            if changes:
                raise ValueError(f"Got unexpected field names: {list(changes)!r}")
            return made

        def _asdict(self):
            return dict(zip(self._fields, self, strict=True))

        def __repr__(self):
            said = ", ".join(f"{name}={value!r}" for name, value in self._asdict().items())
            return f"{type(self).__name__}({said})"

        def __getnewargs__(self):
            return tuple(self)

    @cache
    def _of_size(count):
        """Return a tuple of so many members: its constructor's code and its members serve all others of the size."""
        return namedtuple("_", [f"m{at}" for at in range(count)])  # noqa: PYI024

    class _Maker(type):
        """Makes a tuple of the members, defaults and methods that a class body names."""

        def __new__(cls, name, _bases, body):
            members = tuple(body.get("__annotations__", ()))
            alike = _of_size(len(members))
            made = alike.__new__
            defaults = {each: body.pop(each) for each in members if each in body}
            constructor = FunctionType(
                made.__code__.replace(co_varnames=("_cls", *members), co_qualname=f"{name}.__new__"),
                made.__globals__,
                "__new__",
                tuple(defaults.values()),
            )
            getters = {each: getattr(alike, f"m{at}") for at, each in enumerate(members)}
            own = {
                "__new__": constructor,
                "_fields": members,
                "_field_defaults": defaults,
                "__match_args__": members,
            }
            return type(name, (_Named,), {"__slots__": (), **own, **getters, **body})

    NamedTuple = type.__new__(_Maker, "NamedTuple", (), {})
