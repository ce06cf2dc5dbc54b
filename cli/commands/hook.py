"""muniment hook: what an agent's program calls at the events of a session.

Implements specs/doors.md (G-1…G-9, G-11). Here is the help; an event itself is answered by `agents.hooks.dispatch` before
any of this is imported.
"""

from __future__ import annotations

import click

from agents.hooks import dispatch
from cli.options import Verb


@click.command("hook", cls=Verb, context_settings={"ignore_unknown_options": True})
@click.argument("program", default="", metavar="claude|codex|copilot|cursor|gemini|openclaw|opencode")
@click.argument("rest", nargs=-1, type=click.UNPROCESSED, metavar="")
def command(program: str, rest: tuple[str, ...]) -> None:
    """Answer a hook event of an agent.

    Reads the event as JSON on standard input. Agents' programs run this, not people. Prints one JSON object for
    the program, or nothing, and always exits with 0: an agent never waits for muniment and never breaks because
    of it. muniment doctor reports what went wrong.

    A session starts with your memories; a prompt adds the topics that match it. Requests to remember or forget
    are handled at once; a background process learns the rest from the transcript.

    \b
    Examples:
      muniment hook claude < event.json
      muniment hook codex < event.json
      echo '{"hook_event_name": "SessionStart", "cwd": "'$PWD'"}' | muniment hook claude
    """
    _ = rest
    dispatch.main(program)
