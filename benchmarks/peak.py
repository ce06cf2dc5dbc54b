"""The most memory that a process took, as it says at its own end."""

from __future__ import annotations

PEAK = """
import resource, sys
from pathlib import Path

def peak():
    status = Path("/proc/self/status")
    if status.exists():  # ru_maxrss would count what the parent of this process took before the exec
        own = next(int(line.split()[1]) for line in status.read_text().splitlines() if line.startswith("VmHWM:"))
    else:
        own = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    return own
"""
"""The beginning of a program for `python -c`: `peak()` gives KiB."""
