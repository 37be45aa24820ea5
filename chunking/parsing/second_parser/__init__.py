"""Read a file with `unstructured` as well, to show what each reader misses.

Loaded only where used: its readers take seconds to import.
"""
