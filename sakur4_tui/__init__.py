"""The front ends: terminal interface, MCP server, command line, hooks, proxy."""
