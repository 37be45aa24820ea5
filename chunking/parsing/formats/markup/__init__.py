"""Lightweight markup besides Markdown: the canonical text is the source itself.

Each reader passes over the lines once and returns blocks with exact spans. Lists, quotes and admonitions are one block
each, except that code, tables and equations in them are blocks of their own, because splitting keeps these whole.
"""
