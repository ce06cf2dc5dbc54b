"""What muniment writes into other programs' folders, and takes out again: one module a host.

Implements specs/doors.md (G-20…G-24, G-27, G-28, G-84…G-89). `hosts` is the table; `host` says what each has in common; `settings_json`,
`settings_toml` and `marked_block` put something into a file of somebody else's and keep the rest to the byte.
"""
