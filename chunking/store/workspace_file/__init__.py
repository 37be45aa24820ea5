"""A workspace as one file: saved to it, and opened from it, also from a stranger's."""
