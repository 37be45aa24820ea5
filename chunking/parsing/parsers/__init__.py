"""Parsers besides the built-in one: `unstructured`, and those that packages add.

parser_table            the rows, and how a chosen one reads a file
unstructured_reader     a file as elements of `unstructured`, or as a document made of them
comparison              what `unstructured` reads in a file beside what a document has
"""
