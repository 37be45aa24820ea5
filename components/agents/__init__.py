"""The Agents page: connecting a client, trying each tool, and the latest calls."""
