"""Presentations (PPTX): a section per slide, with the place of each text.

Parts are read as XML with lxml alone. python-pptx loses SmartArt, WordArt and comments, counts no automatic numbers and
reads groups in their inner coordinates; unstructured, built on it, also loses 43 % of a deck with a chart, a shape over
the slide's edge and notes (`tests/parsing/parsers/test_unstructured.py` builds it) and takes twice the time.
"""
