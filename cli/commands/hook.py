"""muniment hook: what an agent's program calls at the events of a session.

Implements specs/doors.md (G-1…G-12). Here is the help; an event itself is answered by `agents.hooks.dispatch` before any of this is
imported.
"""

from __future__ import annotations

import click


@click.command("hook", context_settings={"ignore_unknown_options": True})
@click.argument("program", default="", metavar="claude|codex|openclaw")
@click.argument("rest", nargs=-1, type=click.UNPROCESSED, metavar="")
def command(program: str, rest: tuple[str, ...]) -> None:
    """Answer one event of an agent's program, given as JSON on standard input.

    Programs call this; people have no need to. It prints one JSON object that the program takes, or nothing, and
    exits with 0 whatever happens: an agent never waits for muniment and never breaks because of it. What goes
    wrong is told by muniment doctor.

    At the start of a session the agent is told your memories, with a prompt the topics that match it. What you ask
    to remember or to forget is done at once; all else is learned from the transcript by a process of its own, behind
    the agent's back.

    \b
    Examples:
      muniment hook claude < event.json
      muniment hook codex < event.json
      echo '{"hook_event_name": "SessionStart", "cwd": "'$PWD'"}' | muniment hook claude
    """
    from agents.hooks import dispatch

    _ = rest
    dispatch.main(program)
