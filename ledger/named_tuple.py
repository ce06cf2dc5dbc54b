"""Tuples whose members have names, made in half the time that `typing.NamedTuple` takes.

That one compiles the annotation of each member, for which nobody asks. A write loads a hundred such
classes; so what an agent's hooks and a write load uses these.
"""

from __future__ import annotations

from collections import namedtuple

__all__ = ["NamedTuple"]

TYPE_CHECKING = False  # as in typing, whose import would cost a hook a fifth of its time
if TYPE_CHECKING:
    from typing import NamedTuple
else:
    _KNOWN = frozenset(("__module__", "__qualname__"))
    """What every class body sets, and the tuple has already or by another name."""

    class _Maker(type):
        """Makes a tuple of the members, defaults and methods that a class body names."""

        def __new__(cls, name: str, _bases: tuple[type, ...], body: dict[str, object]) -> type:
            members = body.get("__annotations__", {})
            defaults = [body[each] for each in members if each in body]
            made = namedtuple(name, members, defaults=defaults, module=body["__module__"])  # noqa: PYI024
            for each in body.keys() - members.keys() - _KNOWN:
                setattr(made, each, body[each])
            return made

    NamedTuple = type.__new__(_Maker, "NamedTuple", (), {})
