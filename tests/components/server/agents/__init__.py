"""Agents at the app's own address."""
