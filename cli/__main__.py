"""Lets `python -m cli` replace the installed command `muniment`."""

from __future__ import annotations

from cli.program import main

if __name__ == "__main__":
    main()
