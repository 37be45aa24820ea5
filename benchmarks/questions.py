"""Share of the sample questions answered by the first five chunks, by language.

A question is answered where one of the five chunks holds a whole answer span. Default settings, real model, real index.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from benchmarks.report import Row, Table
from chunking import Config, Workspace, add_files, build_index, search

SAMPLES = Path(__file__).parent.parent / "sample_data"
SHOWN = 5
LANGUAGES = {"en": "English", "zh": "Chinese"}


def run() -> Table:
    """Index the samples with the default settings and search every question."""
    questions = list(read_questions())
    config = Config()
    with tempfile.TemporaryDirectory() as folder:
        workspace = Workspace.open(folder)
        add_files(workspace, [SAMPLES])
        build_index(workspace, config)
        answered = {question["id"]: rank_of_answer(workspace, question) for question in questions}
    rows = [
        _row(name, [answered[q["id"]] for q in questions if q["language"] == code]) for code, name in LANGUAGES.items()
    ]
    everything = _row("both languages", list(answered.values()), target=0.85)
    lost = [q["id"] for q in questions if answered[q["id"]] is None]
    return Table(
        "Sample questions answered in the first five chunks",
        [everything, *rows],
        [f"Not answered: {', '.join(lost) or 'none'}."],
    )


def read_questions() -> Iterator[dict[str, Any]]:
    """Read the rows of sample_data/questions.jsonl."""
    for line in (SAMPLES / "questions.jsonl").read_text(encoding="utf-8").splitlines():
        yield json.loads(line)


def rank_of_answer(workspace: Workspace, question: Mapping[str, Any]) -> int | None:
    """Return the rank, from 1, of the first of five chunks with a whole answer; None without one."""
    found = search(workspace, question["question"])
    for result in found.results[:SHOWN]:
        chunk = result.chunk
        there = [
            answer
            for answer in question["answers"]
            if chunk.metadata["relative_path"] == answer.get("doc", question["doc"])
        ]
        if any(chunk.start <= answer["start"] and answer["end"] <= chunk.end for answer in there):
            return result.rank
    return None


def _row(name: str, ranks: list[int | None], target: float | None = None) -> Row:
    ranked = sum(rank is not None for rank in ranks)
    first = sum(rank == 1 for rank in ranks)
    share = ranked / len(ranks) if ranks else 0.0
    return Row(
        what=name,
        ours=f"{ranked} of {len(ranks)} questions",
        against=f"{first} at rank 1",
        result=f"{share:.0%}",
        target="" if target is None else f"≥ {target:.0%}",
        met=None if target is None else share >= target,
    )


if __name__ == "__main__":
    print(run().markdown())
