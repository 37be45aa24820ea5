"""Source code by its ending: classes and functions are sections, each a block that can stay whole."""
