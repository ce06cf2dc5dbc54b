"""What memledger writes into other programs' folders: one module a host.

Implements specs/doors.md. `schedules` writes the three jobs as systemd timers, a crontab block and OpenClaw automations.
"""
