"""What a snapshot holds on the disk: a copy of the workspace where documents are shown, else reports without texts."""

from __future__ import annotations

import json
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from chunking.errors import QuestionError
from chunking.store import Workspace
from chunking.store.access import EVERYTHING
from chunking.store.copies.home_folder import COPY
from chunking.store.copies.linked_copy import linked_copy
from chunking.store.named_configurations import forget_authors

__all__ = ["SHOWN", "Report", "Shows", "freeze", "reports_in"]

_REPORTS, _LIST = "reports", "reports.json"


class Shows(StrEnum):
    """What the owner of a snapshot shows of it."""

    DOCUMENTS = "documents"
    """All that can be read: texts, chunks, search, questions, results, exports."""
    REPORT = "report"
    """Results and the report, without a word of the documents."""


SHOWN = {Shows.DOCUMENTS: "full", Shows.REPORT: "results-only"}
"""Before the word snapshot, and its name."""


@dataclass(frozen=True, slots=True)
class Report:
    """Results on one question set, as they were."""

    title: str
    """Name of the question set."""
    headline: str
    subline: str
    file: Path
    """HTML."""


def freeze(source: Workspace, folder: Path, shows: Shows) -> None:
    """Put into a snapshot's folder what it shows.

    Raises:
        QuestionError: only results are to be shown, and there are none.
        StoreError: it cannot be written.
    """
    if shows is Shows.DOCUMENTS:
        linked_copy(source, folder / COPY, queries=False)
        forget_authors(Workspace.open(folder / COPY, create=False, access=EVERYTHING))
        return
    from chunking.export.report import reports_without_texts

    frozen = reports_without_texts(source)
    if not frozen:
        raise QuestionError(
            "There are no results to show yet: evaluate the settings on a question set first, or show the documents."
        )
    reports = folder / _REPORTS
    reports.mkdir()
    for place, one in enumerate(frozen):
        (reports / f"{place}.html").write_text(one.html, encoding="utf-8")
    lines = [{"title": one.title, "headline": one.headline, "subline": one.subline} for one in frozen]
    (reports / _LIST).write_text(json.dumps(lines, ensure_ascii=False), encoding="utf-8")


def reports_in(folder: Path) -> list[Report]:
    """The reports of a snapshot's folder; none where documents are shown, or it was deleted."""
    reports = folder / _REPORTS
    try:
        lines = json.loads((reports / _LIST).read_text(encoding="utf-8"))
    except FileNotFoundError:
        return []
    return [Report(**line, file=reports / f"{place}.html") for place, line in enumerate(lines)]
