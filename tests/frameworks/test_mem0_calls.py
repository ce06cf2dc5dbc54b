"""What calls of mem0's adapter look like, take and refuse. Tests specs/frameworks.md (FW-1, FW-15, FW-16)."""

from __future__ import annotations

import ast
import importlib.util
import inspect
from pathlib import Path
from typing import Any

import pytest

import muniment
from frameworks.mem0 import AsyncMemory, Memory
from ledger.errors import SecretError
from muniment import MemoryLedger
from tests.frameworks.conftest import SECRET


def test_a_secret_is_refused_and_nothing_of_the_call_is_stored(mem0: Memory, memory: MemoryLedger) -> None:
    """FW-1: also in metadata."""
    messages = [
        {"role": "user", "content": "I like tea"},
        {"role": "user", "content": f"My token is {SECRET}"},
    ]
    with pytest.raises(SecretError):
        mem0.add(messages, user_id="ada", infer=False)
    with pytest.raises(SecretError):
        mem0.add("I like tea", user_id="ada", infer=False, metadata={"token": SECRET})
    assert memory.load_all() == []


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda m: m.add("x"), "whose memory"),
        (lambda m: m.add("x", user_id="a b"), "without spaces"),
        (lambda m: m.add("x", user_id="a" * 501), "1 to 500 characters"),
        (lambda m: m.add("x", user_id="a", prompt="p"), "prompt is not supported"),
        (lambda m: m.add(" ", user_id="a", infer=False), "not blank"),
        (lambda m: m.add([{"role": "user", "content": 5}], user_id="a"), "message 1 of 1"),
        (lambda m: m.add("x", user_id="a", infer=False, metadata={"a": object()}), "values that JSON has"),
        (lambda m: m.add("x", user_id="a", expiration_date="soon"), "give one such as 2026-12-31"),
        (lambda m: m.search("x", user_id="a"), "put ids into filters"),
        (lambda m: m.search(" ", filters={"user_id": "a"}), "blank"),
        (lambda m: m.get_all(filters={"user_id": "a", "n": {"over": 3}}), "the filter n is not supported"),
        (lambda m: m.get_all(filters={"n": 3}), "whose memory"),
        (lambda m: m.get_all(filters={"user_id": "a"}, top_k=-1), "whole number"),
        (lambda m: m.delete_all(), "whose memory"),
        (lambda m: m.update("f" * 64), "nothing is to be changed"),
        (lambda m: m.add(5, user_id="a"), "give a text, a message or a list"),
        (lambda m: m.add("x" * 200_001, user_id="a", infer=False), "split it into several"),
        (lambda m: m.add("x", user_id="a", infer=False, metadata={"a": float("nan")}), "values that JSON has"),
        (lambda m: m.add("x", user_id="a", infer=False, metadata={"a": "x" * 1000}), "at most 1,000 characters"),
        (lambda m: m.search(None, filters={"user_id": "a"}), "blank"),
        (lambda m: m.search("x", filters={"user_id": "a"}, threshold=2), "from 0 to 1"),
        (lambda m: m.get_all(filters={"user_id": "a", "n": {"in": 3}}), "need a list"),
        (lambda m: m.get_all(filters={"user_id": "a", "OR": []}), "the filter OR needs a list"),
    ],
)  # fmt: skip
def test_bad_input_is_refused_with_what_to_do(mem0: Memory, call: Any, said: str) -> None:
    """FW-15."""
    with pytest.raises(ValueError, match=said):
        call(mem0)


def test_the_folder_decides_on_the_ledger_where_none_is_given(memory: MemoryLedger) -> None:
    """FW-15: a configuration of mem0 does not; a ledger in its place is refused."""
    configuration = {"llm": {"provider": "openai"}}
    for n, mem0 in enumerate((Memory.from_config(configuration), Memory(configuration), Memory(config=None))):
        with mem0:
            mem0.add(f"Fact {n}", user_id="ada", infer=False)
    assert [entry.memory.text for entry in memory.load_all()] == ["Fact 0", "Fact 1", "Fact 2"]
    for kind in (Memory, AsyncMemory):
        with pytest.raises(TypeError, match="ledger="):
            kind(memory)


def _class(path: Path, name: str) -> ast.ClassDef:
    (found,) = [
        node
        for node in ast.parse(path.read_text("utf-8")).body
        if isinstance(node, ast.ClassDef) and node.name == name
    ]
    return found


@pytest.mark.parametrize("kind", [Memory, AsyncMemory])
def test_methods_and_items_have_the_shapes_of_mem0(mem0: Memory, kind: type[Memory | AsyncMemory]) -> None:
    """FW-15, FW-16: the same arguments with the same defaults, and the members of an item.

    Its source is read, where all its libraries are not needed. The `llm` of the awaited `add` serves `memory_type`, which is refused.
    """
    spec = importlib.util.find_spec("mem0")
    if spec is None or not spec.submodule_search_locations:
        pytest.skip("mem0ai is not installed: make extras runs this")
    folder = Path(spec.submodule_search_locations[0])
    theirs = {
        each.name: each
        for each in _class(folder / "memory/main.py", "Memory" if kind is Memory else "AsyncMemory").body
        if isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef)
    }
    for name in ("from_config", "close"):
        assert not inspect.iscoroutinefunction(getattr(kind, name))
        assert name not in theirs or isinstance(theirs[name], ast.FunctionDef), name
    assert next(iter(inspect.signature(kind).parameters)) == theirs["__init__"].args.args[1].arg
    for name in ("add", "search", "get", "get_all", "update", "delete", "delete_all", "history", "reset"):
        method = getattr(kind, name)
        assert inspect.iscoroutinefunction(method) is isinstance(theirs[name], ast.AsyncFunctionDef), name
        real, ours = theirs[name].args, [*inspect.signature(method).parameters.values()][1:]
        by_place = [p for p in ours if p.kind is p.POSITIONAL_OR_KEYWORD]
        by_name = [p for p in ours if p.kind is p.KEYWORD_ONLY]
        assert [p.name for p in by_place] == [each.arg for each in real.args[1:]], name
        named = {arg.arg: given for arg, given in zip(real.kwonlyargs, real.kw_defaults, strict=True)}
        named.pop("llm", None)
        assert [p.name for p in by_name] == [*named], name
        assert any(p.kind is p.VAR_KEYWORD for p in ours) is (real.kwarg is not None), name
        defaults = [p.default for p in by_place if p.default is not p.empty] + [p.default for p in by_name]
        for one, other in zip(defaults, [*real.defaults, *named.values()], strict=True):
            if isinstance(other, ast.Constant):  # the other one is an object that means "not given"
                assert one == other.value, name
    mem0.add("I like tea", user_id="ada", infer=False)
    (found,) = mem0.search("tea", filters={"user_id": "ada"})["results"]
    fields = _class(folder / "configs/base.py", "MemoryItem").body
    assert {
        each.target.id
        for each in fields
        if isinstance(each, ast.AnnAssign) and isinstance(each.target, ast.Name)
    } <= found.keys()


def test_it_runs_where_muniment_is_not_set_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """FW-1: it says which command makes a ledger."""
    monkeypatch.chdir(tmp_path)
    with pytest.raises(muniment.NoLedgerError, match="muniment init"):
        Memory().add("I like tea", user_id="ada", infer=False)
