"""JSON, JSON Lines and YAML: the path to a value is its section, and its key precedes it.

The text is built, not the source: escapes are resolved (`\\u00e9`, `\\n`), a file on one line gets lines, and brackets
mean nothing to a model.
"""
