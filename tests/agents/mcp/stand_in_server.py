"""A small memory server for tests, in plain lines: `python stand_in_server.py NAME`.

Its tools: `write` answers what it got, `look` only reads and says so, `get_memory` does not say so, `refuse` is an error,
`fill` answers with as many words as it is told, `hang` never answers, `die` ends it at once. To any other method it says
that it has none; what is no request it repeats.
"""

from __future__ import annotations

import json
import os
import sys
from typing import Any

TOOLS = [
    {
        "name": "write",
        "inputSchema": {"type": "object"},
        "annotations": {"readOnlyHint": False, "title": "W"},
    },
    {"name": "look", "inputSchema": {"type": "object"}, "annotations": {"readOnlyHint": True}},
    {"name": "get_memory", "inputSchema": {"type": "object"}},
    {"name": "refuse", "inputSchema": {"type": "object"}},
]


def _called(name: str, arguments: Any) -> dict[str, Any] | None:
    if name == "die":
        os._exit(7)
    if name == "hang":
        return None
    if name == "fill":
        text = "umbrella " * arguments["words"]
        return {"content": [{"type": "text", "text": text + arguments["end"]}], "isError": arguments["fails"]}
    if name == "refuse":
        return {"content": [{"type": "text", "text": "no such\nentity"}], "isError": True}
    return {"content": [{"type": "text", "text": f"{name} done"}], "structuredContent": {"got": arguments}}


def _result(method: str, params: dict[str, Any]) -> dict[str, Any] | None:
    if method == "initialize":
        return {"protocolVersion": "2025-06-18", "capabilities": {}, "serverInfo": {"name": sys.argv[1]}}
    if method == "tools/list":
        return {"tools": TOOLS}
    return _called(params["name"], params.get("arguments"))


def main() -> None:
    """Answer line by line until stdin ends."""
    for line in sys.stdin:
        try:
            asked = json.loads(line)
        except (ValueError, RecursionError):
            asked = None
        if not isinstance(asked, dict) or "id" not in asked:
            answer = line
        elif asked["method"] not in ("initialize", "tools/list", "tools/call"):
            answer = json.dumps({"id": asked["id"], "error": {"code": -32601, "message": "no such method"}})
        elif (result := _result(asked["method"], asked.get("params", {}))) is None:
            continue
        else:
            answer = json.dumps({"jsonrpc": "2.0", "id": asked["id"], "result": result})
        print(answer.rstrip("\n"), flush=True)


if __name__ == "__main__":
    main()
