"""JSON, JSON Lines and YAML: each path is a section, and each value follows its key.

The text is built, not the source: escapes are resolved (`\\u00e9`, `\\n`), a file on one line gets lines, and brackets
mean nothing to a model.
"""
