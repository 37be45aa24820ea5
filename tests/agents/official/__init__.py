"""The protocol's own tools from npm, driven against the real server: its conformance suite and its inspector."""
