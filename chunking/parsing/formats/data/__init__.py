"""JSON, JSON Lines and YAML: the path to a value is its section, and its key stands before it.

The text is built, not the source: escapes are read (`\\u00e9`, `\\n`), a file on one line gets lines,
and brackets say nothing to a model.
"""
