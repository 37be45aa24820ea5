"""Presentations (PPTX): a section a slide, each text at its place on the slide.

The parts are read as XML, with nothing but lxml. Measured against the characters in the slides, charts, diagrams and
notes:
unstructured 0.27.32 (python-pptx) loses none of the five real files and 43 % of a deck with a chart, a shape over the
slide's
edge and notes (`tests/parsing/second_parser/test_unstructured.py` builds it); it reads groups in the order of their
inner coordinates and
gives no places. This reader loses nothing of either, in under half the time, and loads no language model.
"""

from __future__ import annotations

from chunking.parsing.formats.office.pptx.reader import read_slides

__all__ = ["read_slides"]
