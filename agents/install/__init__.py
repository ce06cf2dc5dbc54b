"""Writes muniment's parts into other programs' folders, and removes them: one module per host.

Implements specs/doors.md (G-20…G-24, G-27, G-28, G-84…G-89). `hosts` is the table; `host` says what each has in common; `settings_json`,
`settings_toml` and `marked_block` insert into other programs' files and keep the rest to the byte.
"""
