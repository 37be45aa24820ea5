"""Documents that question files are about, and how a file of questions about them is read."""

from __future__ import annotations

from chunking.evaluation import Imported, Problem, read_questions
from chunking.model import Document

__all__ = ["GUIDE", "NOTES", "only", "read"]

NOTES = (
    "# Notes\n\nThe pump moves ninety litres a minute.\nClose the red valve first.\n\nThe pump is blue.\n\nClose "
    "the red valve first.\n"
)
GUIDE = "# 手册\n\n传感器每十分钟读一次数。请先关闭电源，\n再打开盖子。\n"


def read(text: str | bytes, documents: list[Document], name: str = "mine.csv") -> Imported:
    return read_questions(text if isinstance(text, bytes) else text.encode(), name, documents)


def only(imported: Imported) -> Problem:
    (problem,) = imported.problems
    return problem
