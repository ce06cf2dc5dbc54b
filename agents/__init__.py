"""The doors for agents: hooks, the MCP server, installers and schedules."""
