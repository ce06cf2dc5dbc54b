"""Claude's memory tool on a ledger, through the real SDK. Tests specs/frameworks.md (FW-2…FW-4, FW-20…FW-26)."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from frameworks.framework_records import LONGEST
from ledger.errors import NoLedgerError
from ledger.event import By
from muniment import MemoryLedger
from tests.loopback import Reply, Request, serving

anthropic = pytest.importorskip("anthropic", reason="anthropic is not installed: make extras runs this")
tools = pytest.importorskip("anthropic.tools")

from frameworks.anthropic_memory import LedgerMemoryTool  # noqa: E402 - it imports the SDK
from frameworks.anthropic_memory_async import AsyncLedgerMemoryTool  # noqa: E402 - the same

SECRET = "ghp_" + "abcdefghijklmnopqrstuvwxyz0123456789"
NOTES = "/memories/notes.md"


@pytest.fixture
def tool(memory: MemoryLedger) -> LedgerMemoryTool:
    return LedgerMemoryTool(memory, agent="helper", session="s1")


def call(tool: Any, command: str, path: str = NOTES, **others: Any) -> str:
    """Do what a model asks for, as the SDK's tool runner does."""
    where = {} if command == "rename" else {"path": path}
    return str(tool.call({"command": command, **where, **others}))


def refused(tool: Any, command: str, path: str = NOTES, **others: Any) -> str:
    with pytest.raises(tools.ToolError) as error:
        call(tool, command, path, **others)
    return str(error.value)


@pytest.mark.parametrize("path", [f"/memories/{SECRET}", f"/elsewhere/{SECRET}"])
def test_no_message_holds_a_secret(tool: LedgerMemoryTool, path: str) -> None:
    """R-2: nor does the answer to a path that is one."""
    for command in ("view", "delete"):
        assert "[redacted:" in (said := refused(tool, command, path))
        assert SECRET not in said


def test_each_command_is_a_signed_event(tool: LedgerMemoryTool, memory: MemoryLedger) -> None:
    """FW-20, FW-21, FW-2: create, supersede, delete; each by an agent, and the document shows the file."""
    call(tool, "create", file_text="- likes tea\n- likes rain\n")
    call(tool, "str_replace", old_str="rain", new_str="snow")
    call(tool, "insert", insert_line=1, insert_text="- likes otters\n")
    call(tool, "rename", old_path=NOTES, new_path="/memories/users/ada.md")
    (entry,) = memory.load_all()
    assert (entry.memory.text, entry.memory.body) == (
        "/memories/users/ada.md",
        "- likes tea\n- likes otters\n- likes snow\n",
    )
    assert entry.by == By("anthropic-memory", "agent", "library")
    assert entry.memory.provenance.to_payload() == {
        "session": "s1",
        "agent": "helper",
        "tool": "anthropic-memory",
    }
    (document,) = (memory.workspace.place.directory / "memories/anthropic-memory").glob("*.md")
    assert "- likes otters\n- likes snow\n" in document.read_text("utf-8")
    call(tool, "delete", "/memories/users")
    assert [row.kind for row in memory.log()][1:] == ["create", *["supersede"] * 3, "delete"]
    assert memory.history(entry.id)[0].memory.body == "- likes tea\n- likes rain\n"
    assert memory.upkeep.verify().sound


COMMANDS: list[dict[str, Any]] = [
    {"command": "view", "path": "/memories"},
    {"command": "create", "path": "/memories/a.txt", "file_text": "one\ntwo\nthree\ntwo\n"},
    {"command": "create", "path": "/memories/a.txt", "file_text": "again"},
    {"command": "create", "path": "/memories/deep/er/b.md", "file_text": "no line end"},
    {"command": "create", "path": "/memories/deep/c.md", "file_text": ""},
    {"command": "create", "path": "/memories/.hidden", "file_text": "x"},
    {"command": "view", "path": "/memories/a.txt"},
    {"command": "view", "path": "/memories/a.txt", "view_range": [2, 3]},
    {"command": "view", "path": "/memories/a.txt", "view_range": [3, -1]},
    {"command": "view", "path": "/memories/a.txt", "view_range": [2]},
    {"command": "view", "path": "/memories/a.txt", "view_range": [4, 99]},
    {"command": "view", "path": "/memories/deep/c.md"},
    {"command": "view", "path": "/memories/none"},
    {"command": "str_replace", "path": "/memories/a.txt", "old_str": "two", "new_str": "2"},
    {"command": "str_replace", "path": "/memories/a.txt", "old_str": "four", "new_str": "4"},
    {"command": "str_replace", "path": "/memories/a.txt", "old_str": "one\ntwo", "new_str": "1\n2\n2.5"},
    {"command": "str_replace", "path": "/memories/deep", "old_str": "x", "new_str": "y"},
    {"command": "insert", "path": "/memories/a.txt", "insert_line": 0, "insert_text": "zero\n"},
    {"command": "insert", "path": "/memories/a.txt", "insert_line": 6, "insert_text": "end"},
    {"command": "insert", "path": "/memories/a.txt", "insert_line": 9, "insert_text": "x"},
    {"command": "insert", "path": "/memories/deep/er/b.md", "insert_line": 1, "insert_text": "x\ny\n"},
    {"command": "insert", "path": "/memories/deep/c.md", "insert_line": 0, "insert_text": "x\n"},
    {"command": "insert", "path": "/memories/none", "insert_line": 0, "insert_text": "x"},
    {"command": "rename", "old_path": "/memories/a.txt", "new_path": "/memories/deep/c.md"},
    {"command": "rename", "old_path": "/memories/a.txt", "new_path": "/memories/deep/a.txt"},
    {"command": "rename", "old_path": "/memories/deep", "new_path": "/memories/moved"},
    {"command": "rename", "old_path": "/memories/none", "new_path": "/memories/other"},
    {"command": "view", "path": "/memories/moved/er/b.md"},
    {"command": "delete", "path": "/memories/none"},
    {"command": "delete", "path": "/memories"},
    {"command": "delete", "path": "/memories/moved/er/b.md"},
    {"command": "create", "path": "/memories/moved/er/b.md", "file_text": "made anew"},
    {"command": "view", "path": "/memories/moved/er/b.md"},
    {"command": "delete", "path": "/memories/moved"},
    {"command": "view", "path": "/memories/moved/c.md"},
    {"command": "view", "path": "/etc/passwd"},
    {"command": "view", "path": "/memories/../secrets"},
]


def test_it_does_what_the_tool_of_the_sdk_does_in_a_folder(
    tool: LedgerMemoryTool, memory: MemoryLedger, tmp_path: Path
) -> None:
    """FW-22: the same commands are refused, and files have the same numbered lines."""
    theirs = tools.BetaLocalFilesystemMemoryTool(base_path=str(tmp_path / "real"))
    for command in COMMANDS:
        answers = []
        for each in (tool, theirs):
            try:
                answers.append(each.call(dict(command)).partition("\n")[2])
            except tools.ToolError:
                answers.append("refused")
        if command["command"] == "view" and command["path"] == "/memories":
            continue  # sizes of folders are those of a disk
        assert answers[0] == answers[1], command
        files = {
            f"/memories/{path.relative_to(theirs.memory_root)}": path.read_text("utf-8")
            for path in theirs.memory_root.rglob("*")
            if path.is_file()
        }
        assert {entry.memory.text: entry.memory.body for entry in memory.load_all()} == files, command


def test_a_folder_is_what_is_in_it(tool: LedgerMemoryTool) -> None:
    """FW-23: two levels deep, with sizes, without hidden files."""
    assert call(tool, "view", "/memories/").endswith("\n0\t/memories")
    for path in ("/memories/z.md", "/memories/a/b/c.md", "/memories/a/d.md", "/memories/.git/x"):
        call(tool, "create", path, file_text="four")
    assert call(tool, "view", "/memories").splitlines()[1:] == [
        "12\t/memories",
        "8\t/memories/a/",
        "4\t/memories/a/b/",
        "4\t/memories/a/d.md",
        "4\t/memories/z.md",
    ]
    assert call(tool, "view", "/memories/a/b").splitlines()[1:] == [
        "4\t/memories/a/b",
        "4\t/memories/a/b/c.md",
    ]
    assert "is a file" in refused(tool, "create", "/memories/z.md/y.md", file_text="x")
    assert "exists already" in refused(tool, "create", "/memories/a", file_text="x")
    assert "cannot be moved" in refused(tool, "rename", old_path="/memories/a", new_path="/memories/a/b/a")
    tool.clear_all_memory()
    assert call(tool, "view", "/memories").endswith("\n0\t/memories")


@pytest.mark.parametrize(
    "path",
    [
        "",
        "/",
        "notes.md",
        "/memoriesx/a",
        "/memories/../x",
        "/memories/a/../../x",
        "/memories/./x",
        "/memories//x",
        "/memories/a\\..\\x",
        "/memories/a\nb",
        "/memories/a\u2028b",
        "//memories/a",
        "/Memories/a",
    ],
)
def test_no_path_leads_out_of_memories(tool: LedgerMemoryTool, path: str) -> None:
    """FW-24."""
    assert "is not a path below /memories" in refused(tool, "view", path)
    assert "is not a path below /memories" in refused(tool, "create", path, file_text="x")
    call(tool, "create", file_text="x")
    assert "is not a path below /memories" in refused(tool, "rename", old_path=NOTES, new_path=path)


def test_names_that_are_alike_are_two_files(tool: LedgerMemoryTool, memory: MemoryLedger) -> None:
    """FW-4: each has a document of its own."""
    names = ["/memories/a-b.md", "/memories/a_b.md", "/memories/A-b.md", "/memories/a/b.md", "/memories/äöü"]
    for name in names:
        call(tool, "create", name, file_text=name)
    assert [call(tool, "view", name).split("\t")[1] for name in names] == names
    assert len(list((memory.workspace.place.directory / "memories/anthropic-memory").glob("*.md"))) == len(
        names
    )


def test_a_path_that_two_programs_made_at_once_is_one_file(
    tool: LedgerMemoryTool, memory: MemoryLedger
) -> None:
    """FW-21: the newer one; a rename or a deletion leaves none of them."""
    for new in ("/memories/other", ""):
        call(tool, "create", file_text="older")
        (older,) = memory.load_all()
        memory.store(older.memory.with_changes(body="newer"), By("anthropic-memory", "agent", "library"))
        assert call(tool, "view").endswith("\tnewer")
        if new:
            call(tool, "rename", old_path=NOTES, new_path=new)
            assert call(tool, "view", new).endswith("\tnewer")
            call(tool, "delete", new)
        else:
            call(tool, "delete")
        assert memory.load_all() == []


def test_a_file_is_as_long_as_a_model_reads_it(tool: LedgerMemoryTool, memory: MemoryLedger) -> None:
    """FW-25: a body in several events comes back whole; a longer file is refused with what to do."""
    text = "".join(f"line {n} äöü\r\n" for n in range(9000))
    call(tool, "create", file_text=text)
    call(tool, "str_replace", old_str="line 8999 ", new_str="the end ")
    (entry,) = memory.load_all()
    assert entry.memory.body == text.replace("line 8999 ", "the end ")
    assert "split it into several files" in refused(
        tool, "create", "/memories/b", file_text="x" * (LONGEST + 1)
    )
    assert "split it" in refused(tool, "insert", insert_line=0, insert_text="x" * LONGEST)


def test_a_model_is_told_why_a_write_was_refused(tool: LedgerMemoryTool, memory: MemoryLedger) -> None:
    """FW-1, FW-3: a secret is never signed, and a person's edit is that person's."""
    assert "secret" in refused(tool, "create", file_text=f"token {SECRET}").lower()
    assert memory.load_all() == []
    call(tool, "create", file_text="I like tea\n")
    (document,) = (memory.workspace.place.directory / "memories/anthropic-memory").glob("*.md")
    document.write_text(document.read_text("utf-8").replace("tea", "green tea"), "utf-8")
    memory.documents.adopt()
    assert "green tea" in call(tool, "view")
    assert "a person wrote" in refused(tool, "str_replace", old_str="green", new_str="black")
    assert "a person wrote" in refused(tool, "delete")


def test_it_opens_the_ledger_of_the_folder(memory: MemoryLedger, tmp_path: Path) -> None:
    tool = LedgerMemoryTool()
    call(tool, "create", file_text="x")
    tool.close()
    assert [entry.memory.text for entry in memory.load_all()] == [NOTES]


def test_it_says_which_command_makes_a_ledger(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(NoLedgerError, match="muniment init"):
        call(LedgerMemoryTool(), "view", "/memories")


# --- the SDK's tool runner, with a stand-in for the service on loopback ---


@contextmanager
def service(answers: list[dict[str, Any]], asked: list[dict[str, Any]]) -> Iterator[str]:
    """Answer one request after the other with these messages; note what is asked."""

    def reply(request: Request) -> Reply:
        asked.append(json.loads(request.body))
        content = answers.pop(0)
        message = {
            "id": "m",
            "type": "message",
            "role": "assistant",
            "model": "claude",
            "content": [content],
            "stop_reason": "tool_use" if content["type"] == "tool_use" else "end_turn",
            "usage": {"input_tokens": 1, "output_tokens": 1},
        }
        return 200, json.dumps(message).encode(), {"Content-Type": "application/json"}

    with serving(reply) as address:
        yield address


def test_the_tool_runner_of_the_sdk_runs_it(tool: LedgerMemoryTool, memory: MemoryLedger) -> None:
    """FW-20: what Claude asks for is done, and what is refused is told to it."""
    inputs = [
        {"command": "view", "path": "/memories"},
        {"command": "create", "path": NOTES, "file_text": "- likes tea\n"},
        {"command": "create", "path": "/etc/passwd", "file_text": "x"},
    ]
    uses = [
        {"type": "tool_use", "id": f"t{n}", "name": "memory", "input": each} for n, each in enumerate(inputs)
    ]
    asked: list[dict[str, Any]] = []
    with (
        service([*uses, {"type": "text", "text": "Done"}], asked) as url,
        anthropic.Anthropic(api_key="none", base_url=url, max_retries=0) as client,
    ):
        last = client.beta.messages.tool_runner(
            model="claude", max_tokens=100, messages=[{"role": "user", "content": "Hi"}], tools=[tool]
        ).until_done()
    assert last.content[0].text == "Done"
    assert asked[0]["tools"] == [{"type": "memory_20250818", "name": "memory"}]
    results = [each["messages"][-1]["content"][0] for each in asked[1:]]
    assert [bool(each.get("is_error")) for each in results] == [False, False, True]
    assert "is not a path below /memories" in json.dumps(results[2]["content"])
    assert [entry.memory.body for entry in memory.load_all()] == ["- likes tea\n"]


def test_the_runner_that_awaits_runs_it(memory: MemoryLedger) -> None:
    """FW-26."""
    tool = AsyncLedgerMemoryTool(memory, agent="helper", session="s1")
    inputs = [
        {"command": "create", "path": NOTES, "file_text": "- likes tea\n"},
        {"command": "view", "path": NOTES},
        {"command": "create", "path": NOTES, "file_text": f"token: {SECRET}"},
    ]
    uses = [
        {"type": "tool_use", "id": f"t{n}", "name": "memory", "input": each} for n, each in enumerate(inputs)
    ]
    asked: list[dict[str, Any]] = []

    async def program(url: str) -> None:
        async with anthropic.AsyncAnthropic(api_key="none", base_url=url, max_retries=0) as client:
            await client.beta.messages.tool_runner(
                model="claude", max_tokens=100, messages=[{"role": "user", "content": "Hi"}], tools=[tool]
            ).until_done()

    with service([*uses, {"type": "text", "text": "Done"}], asked) as url:
        asyncio.run(program(url))
    results = [each["messages"][-1]["content"][0] for each in asked[1:]]
    assert [bool(each.get("is_error")) for each in results] == [False, False, True]
    assert "- likes tea" in json.dumps(results[1]["content"])
    (entry,) = memory.load_all()
    assert (entry.memory.body, entry.memory.provenance.agent) == ("- likes tea\n", "helper")
    asyncio.run(tool.clear_all_memory())
    assert memory.load_all() == []
    assert memory.upkeep.verify().sound
