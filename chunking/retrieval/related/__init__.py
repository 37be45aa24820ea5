"""Related documents: siblings in a folder, and documents about the same."""
