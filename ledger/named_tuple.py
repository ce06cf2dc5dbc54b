"""Tuples whose members have names, made in a fifth of the time that `typing.NamedTuple` takes.

That one compiles a constructor and the annotation of each member again for every class. A write loads a hundred such classes;
so what an agent's hooks and a write load uses these, which share constructors of the same number of members.
"""

from __future__ import annotations

from collections import namedtuple
from functools import cache
from types import FunctionType

__all__ = ["NamedTuple"]

TYPE_CHECKING = False  # as in typing, whose import would cost a hook a fifth of its time
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any, NamedTuple
else:

    class _Common:
        """What all of them can do, as those of `collections.namedtuple` do it; each class gets these as its own."""

        @classmethod
        def _make(cls, values: Iterable[Any]) -> Any:
            return cls(*values)

        def _replace(self, /, **changes: Any) -> Any:
            made = self._make(map(changes.pop, self._fields, self))
            if changes:
                raise ValueError(f"Got unexpected field names: {list(changes)!r}")
            return made

        def _asdict(self) -> dict[str, Any]:
            return dict(zip(self._fields, self, strict=True))

        def __repr__(self) -> str:
            said = ", ".join(f"{name}={value!r}" for name, value in self._asdict().items())
            return f"{type(self).__name__}({said})"

        def __getnewargs__(self) -> tuple[Any, ...]:
            return tuple(self)

    _COMMON = {
        name: vars(_Common)[name] for name in ("_make", "_replace", "_asdict", "__repr__", "__getnewargs__")
    }

    @cache
    def _of_size(count: int) -> type:
        """Return a tuple of so many members: its constructor's code and its members serve all others of the size."""
        return namedtuple("_", [f"m{at}" for at in range(count)])  # noqa: PYI024

    class _Maker(type):
        """Makes a tuple of the members, defaults and methods that a class body names."""

        def __new__(cls, name: str, _bases: tuple[type, ...], body: dict[str, Any]) -> type:
            members = tuple(body.get("__annotations__", ()))
            alike = _of_size(len(members))
            made = alike.__new__
            defaults = {each: body.pop(each) for each in members if each in body}
            code = made.__code__.replace(co_varnames=("_cls", *members), co_qualname=f"{name}.__new__")
            constructor = FunctionType(code, made.__globals__, "__new__", tuple(defaults.values()))
            getters = {each: getattr(alike, f"m{at}") for at, each in enumerate(members)}
            own = {
                "__slots__": (),
                "__new__": constructor,
                "_fields": members,
                "_field_defaults": defaults,
                "__match_args__": members,
            }
            return type(name, (tuple,), {**_COMMON, **own, **getters, **body})

    NamedTuple = type.__new__(_Maker, "NamedTuple", (), {})
