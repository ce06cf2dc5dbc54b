"""What an agent's program calls at the events of a session: `muniment hook claude`, `muniment hook codex`.

Implements specs/doors.md (G-1…G-9, G-11). `dispatch` reads one event from stdin and gives it to the room of its
name. No room makes the agent wait for the ledger, and whatever goes wrong the process exits with 0. What takes time is
handed over to a process of its own (`handover`, `worker`). `dispatch`, `fault_log`, `user_folders` and `handover` import
nothing of ours beside each other, since every hook pays for it.
"""
