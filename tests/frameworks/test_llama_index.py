"""A memory block in LlamaIndex's own `Memory`. Tests specs/frameworks.md (FW-50…FW-52, FW-55)."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from ledger.errors import NoLedgerError
from muniment import MemoryLedger

core = pytest.importorskip(
    "llama_index.core.memory", reason="llama-index is not installed: make extras runs this"
)
types = pytest.importorskip("llama_index.core.base.llms.types")
store = pytest.importorskip("llama_index.core.storage.chat_store.sql")
sql = pytest.importorskip("sqlalchemy.ext.asyncio")

from frameworks.llama_index import LedgerMemoryBlock  # noqa: E402 - it imports LlamaIndex


def said(text: str, role: str = "user") -> Any:
    return types.ChatMessage(role=role, content=text)


@asynccontextmanager
async def chat(block: Any, **settings: Any) -> AsyncIterator[Any]:
    """Give a memory with a short term of few tokens; each word is one."""
    given = {"session_id": "chat-1", "token_limit": 60, "token_flush_size": 10, "tokenizer_fn": str.split}
    engine = sql.create_async_engine("sqlite+aiosqlite:///:memory:")
    try:
        yield core.Memory.from_defaults(memory_blocks=[block], async_engine=engine, **{**given, **settings})
    finally:
        await engine.dispose()


TALK = [
    said("Please always answer in French."),
    said("I always like tea.", "assistant"),
    *(said(f"{'word ' * 20}{n}?", role) for n in range(4) for role in ("user", "assistant")),
]


def test_what_leaves_the_short_term_is_learned_and_told_again(memory: MemoryLedger) -> None:
    """FW-52, FW-55, FW-51: the user's sentence, none of the assistant's, also in another session."""

    async def program() -> None:
        block = LedgerMemoryBlock("ada", memory, agent="helper")
        async with chat(block) as first:
            await first.aput(TALK[0])
            assert memory.load_all() == []
            await first.aput_messages(TALK[1:])
            assert "French" not in "".join(
                each.content for each in await first.aget_all(store.MessageStatus.ACTIVE)
            )
            told = await first.aget()
            assert told[0].role == "system"
            assert "- Please always answer in French\n" in told[0].content
        async with chat(LedgerMemoryBlock("ada", memory), session_id="chat-2") as second:
            assert len(await second.aget()) == 1
            await second.aput(said("Is CI red?"))
            assert [each.role for each in await second.aget()] == ["system", "user"]
        async with chat(LedgerMemoryBlock("bob", memory)) as third:
            assert await third.aget() == []

    asyncio.run(program())
    (entry,) = memory.load_all()
    assert (entry.memory.text, entry.memory.topic) == ("Please always answer in French", "llama-index/ada")
    assert entry.memory.provenance.to_payload() == {
        "conversation": "ada",
        "session": "chat-1",
        "agent": "helper",
        "tool": "llama-index",
    }
    assert {each.session for each in memory.seen()} == {"chat-1", "chat-2"}
    assert memory.upkeep.verify().sound


def test_the_newest_message_of_the_user_is_searched_for(memory: MemoryLedger) -> None:
    """FW-51."""
    block = LedgerMemoryBlock("ada", memory, name="facts", priority=1)
    texts = ("Remember that deploys happen on Mondays.", "Remember that Postgres listens on 5433.")
    asyncio.run(block.aput([said(text) for text in texts]))
    asked = [said("On which port is Postgres?"), said("I look it up.", "assistant")]
    section = asyncio.run(block.aget(asked, session_id="s"))
    assert section.index("5433") < section.index("Mondays")
    assert (block.name, block.priority) == ("facts", 1)
    assert [each.why for each in memory.seen()] == ["task"]


def test_a_whole_conversation_can_be_learned_at_its_end(memory: MemoryLedger) -> None:
    """FW-55: what was learned already is known."""
    block = LedgerMemoryBlock("ada", memory)

    async def program() -> None:
        async with chat(block) as talk:
            await talk.aput_messages([*TALK, said("Remember that deploys happen on Mondays.")])
            for _ in range(2):
                await block.aput(await talk.aget_all())

    asyncio.run(program())
    assert [each.memory.text for each in memory.load_all()] == [
        "Please always answer in French",
        "deploys happen on Mondays",
    ]


def test_it_says_which_command_makes_a_ledger(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """FW-1."""
    monkeypatch.chdir(tmp_path)
    with pytest.raises(NoLedgerError, match="muniment init"):
        asyncio.run(LedgerMemoryBlock("ada").aput([said("Remember that I like tea.")]))


def test_the_ledger_of_the_folder_is_used_and_closed(memory: MemoryLedger) -> None:
    """FW-1."""
    block = LedgerMemoryBlock("ada")
    asyncio.run(block.aput([said("Remember that I like tea.")]))
    block.close()
    assert len(memory.load_all()) == 1
