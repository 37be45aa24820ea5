"""What tests share: fakes, makers of files and workspaces, Hypothesis strategies, laws as functions; one idea a module.

Fixtures stand in the `conftest.py` of the folder that uses them. Nothing is imported from a `conftest.py` or from
another test.
"""
