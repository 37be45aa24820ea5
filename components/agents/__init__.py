"""The Agents page: how to connect a client, each tool to try, and the last calls."""
