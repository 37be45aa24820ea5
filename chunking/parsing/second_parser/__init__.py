"""Read a file a second time with `unstructured`, to show what each reader misses.

Loaded only where used: its readers take seconds to import.
"""
