"""The server: layers around its requests, MCP routes for agents, the job queue, and upkeep."""
