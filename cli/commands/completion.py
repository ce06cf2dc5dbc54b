"""muniment completion: lets a shell complete commands and options.

Implements specs/cli.md (X-65).
"""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class

from cli.app import App, common_options
from cli.options import Verb

SHELLS = {
    "bash": 'add this to ~/.bashrc:  eval "$(muniment completion bash)"',
    "zsh": 'add this to ~/.zshrc, after compinit:  eval "$(muniment completion zsh)"',
    "fish": "run once:  muniment completion fish > ~/.config/fish/completions/muniment.fish",
}
"""The shells, and how each is told."""


@click.command("completion", cls=Verb)
@click.argument("shell", type=click.Choice(list(SHELLS)))
@common_options
def command(app: App, *, shell: str) -> None:
    """Set up completion in your shell.

    Prints the script for SHELL; load it in the shell's startup file.

    \b
    Examples:
      eval "$(muniment completion bash)"
      muniment completion fish > ~/.config/fish/completions/muniment.fish
    """
    source = get_completion_class(shell)
    assert source is not None  # click knows all three
    script = source(click.Group(), {}, "muniment", "_MUNIMENT_COMPLETE").source()
    if app.json:
        app.emit({"shell": shell, "script": script, "how": SHELLS[shell]})
    else:
        app.lines([script.rstrip("\n")], verbatim=True)
    app.note(SHELLS[shell])
