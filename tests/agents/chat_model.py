"""Stands in for a model behind OpenAI's API of chat completions, for real programs of agents."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.loopback import Reply, Request, serving

ANSWER = "I have understood all of it."
HELPER = {"description": "help", "prompt": "Remember: I use tcsh", "subagent_type": "general"}


class ChatModel:
    """Stands in for the model at `address`: it calls the tool that a prompt asks for, and answers in one sentence."""

    def __init__(self) -> None:
        self.address = ""
        self.asked: list[dict[str, Any]] = []

    def reply(self, request: Request) -> Reply:
        """Stream the answer to a request."""
        message, reason = self.answer(json.loads(request.body))
        head = {"id": "x", "object": "chat.completion.chunk", "created": 1, "model": "m"}
        usage = {"prompt_tokens": 5, "completion_tokens": 5, "total_tokens": 10}
        first = {**head, "choices": [{"index": 0, "delta": message, "finish_reason": None}]}
        last = {**head, "choices": [{"index": 0, "delta": {}, "finish_reason": reason}], "usage": usage}
        events = "".join(f"data: {each}\n\n" for each in (json.dumps(first), json.dumps(last), "[DONE]"))
        return 200, events.encode(), {"Content-Type": "text/event-stream"}

    def answer(self, request: dict[str, Any]) -> tuple[dict[str, Any], str]:
        """Return the message that the model answers to a request, and why it ends there."""
        self.asked.append(request)
        called = any(message["role"] == "tool" for message in request["messages"])
        for asks, tool, arguments in (
            ("Run the tests", "bash", {"command": "echo broken; exit 3", "description": "tests"}),
            ("Write it down", "create", {"path": str(Path.cwd() / "MEMORY.md"), "file_text": "- Use yarn\n"}),
            (
                "Put it on paper",
                "write",
                {"filePath": str(Path.cwd() / "MEMORY.md"), "content": "- Use yarn\n"},
            ),
            ("Ask a helper", "task", HELPER),
        ):
            if asks in self.said() and not called:
                call = {"name": tool, "arguments": json.dumps(arguments)}
                calls = [{"index": 0, "id": "c1", "type": "function", "function": call}]
                return {"role": "assistant", "tool_calls": calls}, "tool_calls"
        return {"role": "assistant", "content": ANSWER}, "stop"

    def said(self) -> str:
        """Return what the last request tells the model of the conversation."""
        messages = [each for each in self.asked[-1]["messages"] if each["role"] != "system"]
        return json.dumps(messages, ensure_ascii=False)

    def tools(self) -> set[str]:
        """Return the names of the tools that the last request offers."""
        return {tool["function"]["name"] for tool in self.asked[-1]["tools"]}

    def rules(self) -> str:
        """Return what the last request tells the model before the conversation."""
        return "\n".join(
            str(each["content"]) for each in self.asked[-1]["messages"] if each["role"] == "system"
        )


@contextmanager
def answering() -> Iterator[ChatModel]:
    """Give a model that answers."""
    model = ChatModel()
    with serving(model.reply) as base:
        model.address = f"{base}/v1"
        yield model
