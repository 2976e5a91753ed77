"""The MCP gateway: the engine as tools, resources and a prompt."""
