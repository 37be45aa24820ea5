"""Source code: classes and functions become sections, and each function stays in one block."""
