"""The MCP server: what agents call that speak the Model Context Protocol.

Implements specs/doors.md (G-40…G-49, G-92…G-97). Nothing outside of this room imports the SDK (muniment[mcp]); only
`cli.commands.mcp` imports the room, when it is called. `front` answers what a client asks first, `server` runs the server
of `serving` on stdio, `tools` and `resources` are its interface. `relay` runs in front of another server, without the SDK.
"""
