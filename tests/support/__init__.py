"""Shared test support, one idea per module: fakes, factories, Hypothesis strategies, laws.

Fixtures stand in the `conftest.py` of the folder that uses them. Nothing is imported from a `conftest.py` or from
another test.
"""
