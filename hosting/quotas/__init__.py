"""Quotas of people and of the server, and their usage."""
