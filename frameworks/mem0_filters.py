"""The filters of mem0: whose memories are asked for, and which of them by their metadata. Pure.

Implements specs/frameworks.md (FW-14, FW-17): what mem0's default store finds.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

from documents.other_memories.mem0_records import IDS, ids_of, metadata_of
from frameworks.mem0_shapes import EXPIRES, checked_ids
from language.printable import redacted
from ledger.fold import Entry

_ANY = "*"


_OPERATORS: Mapping[str, Callable[[Any, Any], bool]] = MappingProxyType(
    {
        "eq": operator.eq,
        "ne": operator.ne,
        "gt": operator.gt,
        "gte": operator.ge,
        "lt": operator.lt,
        "lte": operator.le,
        "in": lambda value, wanted: value in wanted,
        "nin": lambda value, wanted: value not in wanted,
        "contains": lambda value, wanted: str(wanted) in str(value),
        "icontains": lambda value, wanted: str(wanted).lower() in str(value).lower(),
    }
)
_JOINS: Mapping[str, Callable[[list[bool]], bool]] = MappingProxyType(
    {"AND": all, "OR": any, "NOT": lambda found: not any(found)}
)


def split_filters(
    filters: Mapping[str, Any] | None, others: Mapping[str, object]
) -> tuple[dict[str, str], dict[str, Any]]:
    """Return the ids, and the conditions on metadata, of a filter.

    Raises:
        ValueError: it has no id, or a condition that mem0 does not have, or ids beside it.
    """
    if others:
        raise ValueError(f"unknown: {redacted(', '.join(others))}; put ids into filters={{'user_id': …}}")
    filters = filters or {}
    ids = checked_ids(filters)
    wanted = {key: value for key, value in filters.items() if key not in IDS}
    _check(wanted)
    return {name: value for name, value in ids.items() if value != _ANY}, wanted


def _check(wanted: Mapping[str, Any]) -> None:
    for key, value in wanted.items():
        if key in _JOINS:
            if (
                not isinstance(value, list)
                or not value
                or not all(isinstance(each, Mapping) for each in value)
            ):
                raise ValueError(
                    f"the filter {key} needs a list of filters: {{'{key}': [{{'key': value}}, …]}}"
                )
            for each in value:
                _check(each)
        elif isinstance(value, Mapping):
            lists = all(isinstance(value[name], list) for name in ("in", "nin") if name in value)
            if not value or not value.keys() <= _OPERATORS.keys() or not lists:
                name = redacted(str(key))
                raise ValueError(
                    f"the filter {name} is not supported: give a value, or one of {', '.join(_OPERATORS)}; in and nin need a list"
                )


def fits(entry: Entry, wanted: Mapping[str, Any], today: str) -> bool:
    """Say whether a memory has such metadata and has not expired before `today`; "" asks for expired ones, too."""
    metadata = metadata_of(entry)
    has_expired = bool(metadata.get(EXPIRES)) and str(metadata[EXPIRES]) < today
    return not has_expired and _holds({"role": "user", **metadata, **ids_of(entry)}, wanted)


def _holds(said: Mapping[str, Any], wanted: Mapping[str, Any]) -> bool:
    return all(
        _JOINS[key]([_holds(said, each) for each in value]) if key in _JOINS else _meets(said.get(key), value)
        for key, value in wanted.items()
    )


def _meets(found: Any, condition: Any) -> bool:
    if condition == _ANY:
        return True
    if not isinstance(condition, Mapping):
        condition = {"in": condition} if isinstance(condition, list) else {"eq": condition}
    values = found if isinstance(found, list) else [found]
    return found is not None and any(_is_met(condition, value) for value in values)


def _is_met(condition: Mapping[str, Any], value: Any) -> bool:
    try:
        return all(_OPERATORS[name](value, wanted) for name, wanted in condition.items())
    except TypeError:  # values that have no order
        return False
