"""The command as people on a terminal see it."""
