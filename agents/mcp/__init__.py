"""The MCP server: what agents call that speak the Model Context Protocol.

Implements specs/doors.md (G-40…G-49). Nothing outside of this room imports the SDK (muniment[mcp]); only
`cli.commands.mcp` imports the room, when it is called.

    front       answers what a client asks first, while the SDK is loaded
    server      makes the server and runs it on stdio
    serving     the SDK's server with our errors: one line that a model can act on
    faults      that line
    caller      who is at the other end, and where what they say comes from
    ledgers     the ledgers of one call: opened, asked, closed
    tools       the eight tools as a client sees them
    answers     what they return
    saving      save, supersede, confirm
    asking      delete: asks the person, or leaves a wish
    looking     search, get, history, verify
    documents   the documents as an agent may read them
    resources   resources, and the prompt
"""
