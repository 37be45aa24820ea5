"""Small workspace with questions, for tests of evaluation without a model."""

from __future__ import annotations

import atexit
import shutil
import tempfile
from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path

from chunking.config import Config
from chunking.evaluation import AnswerSpan, Question, QuestionSet
from chunking.parsing import parse
from chunking.store import Workspace

THINGS = ("pump", "valve", "filter", "motor", "sensor", "cable", "panel", "tank")
ASKED = ("pump", "valve", "cable", "tank")
"""The things that there are questions about."""
WORDS = Config.from_settings(
    {"size": "64", "granularities": "none", "search.mode": "text", "search.retrieval": "chunk"}
)
"""Settings of a full-text search: the fake vectors mean nothing."""


def text_of(name: str, mark: str) -> str:
    """Return a document with one section per thing."""
    sections = (
        f"## The {thing} of {name}\n\nEvery {thing} is checked. The {thing} of {name} is {mark} number {number}.\n\n"
        + f"More about each {thing} stands in the handbook of the plant. " * 4
        for number, thing in enumerate(THINGS)
    )
    return f"# {name}\n\n" + "\n\n".join(sections)


def fill(workspace: Workspace, names: Iterable[str] = ("north", "south"), mark: str = "part") -> None:
    """Save some documents."""
    for name in names:
        workspace.put_document(parse(text_of(name, mark).encode(), f"{name}.md"))


def questions_of(workspace: Workspace, name: str = "things", only: Iterable[str] = ("north", "south")) -> QuestionSet:
    """Return one question per thing and document."""
    documents = []
    for doc_id in only:
        text = workspace.document(doc_id).text
        for thing in ASKED:
            start = text.index(f"The {thing} of {doc_id} is")
            end = text.index(".", start) + 1
            answer = AnswerSpan(doc_id, start, end, text[start:end])
            documents.append(
                Question(f"{doc_id}-{thing}", f"Which number has the {thing} of {doc_id}?", (answer,), language="en")
            )
    return QuestionSet(name, tuple(documents))


def filled(folder: Path) -> Workspace:
    """Return a workspace with two documents."""
    return Workspace.open(shutil.copytree(_filled(), folder))


@lru_cache
def _filled() -> str:
    """Return the template workspace, deleted when the process ends."""
    folder = tempfile.mkdtemp(prefix="plants-")
    atexit.register(shutil.rmtree, folder)
    fill(Workspace.open(folder))
    return folder
