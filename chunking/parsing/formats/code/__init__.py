"""Source code: classes and functions become sections, each a block that can stay whole."""
