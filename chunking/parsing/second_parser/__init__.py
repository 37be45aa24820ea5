"""The library `unstructured`, which reads a file a second time so that one can see what each of the two readers misses.

It is loaded where it is used and nowhere else: its readers take seconds to import.
"""
