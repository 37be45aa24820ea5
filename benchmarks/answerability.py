"""Error rates of the warning "Probably not in these documents": false alarms and missed warnings.

Each corpus is divided into two halves of documents, every other one, with an index of its own. A question is asked of
the index with its document, of the other half of its corpus (unless its answer stands there word for word) and of two
other corpora. Questions about the first half chose the constants of `chunking.retrieval.answers.absence`; what those
about the second half give is what is claimed.
"""

from __future__ import annotations

import csv
import json
import random
import re
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

from benchmarks.report import Row, Table
from chunking import Config, Workspace, add_files, build_index, search
from chunking.config import DEFAULT_MODEL
from chunking.retrieval.answers.absence import BY_SIMILARITY, BY_WORDS, Calibration

DATA = Path(__file__).parent.parent.parent / "shared" / "benchmarks"
CHROMA, OTHERS = ("chatlogs", "state_of_the_union", "wikitexts"), ("drcd", "evidence_inference")
KINDS = ("answerable", "same subject", "another subject")
_PARTS = 12
"""Number of documents into which a single-text corpus without articles is divided."""
_ARTICLE = re.compile(r"^ = [^=;]+ = $", re.MULTILINE)
_END = re.compile(r"\n|\](?= ?\[)|[.!?]['\"]? ")
_TELLING = 25
"""Minimum characters of an answer that cannot occur in another document by chance."""


class Question(NamedTuple):
    text: str
    documents: frozenset[str]
    answers: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Corpus:
    name: str
    texts: Mapping[str, str]
    """Texts by file name."""
    questions: Sequence[Question]

    def half(self, which: int) -> dict[str, str]:
        """Return every other document."""
        return {name: self.texts[name] for name in list(self.texts)[which::2]}


class Asked(NamedTuple):
    """Searched question with the shares and the similarity that decide the warning."""

    half: int
    kind: str
    coverage: float
    similarity: float | None

    def warns(self, by: Calibration) -> bool:
        return by.probability(self.similarity or 0.0, self.coverage) >= by.threshold


def run(names: Sequence[str] = (*CHROMA, *OTHERS)) -> Table:
    """Measure every corpus; takes about ten minutes."""
    title = "Probably not in these documents"
    if not DATA.exists():
        return Table(title, [], ["The corpora and questions are not here."])
    corpora = [_chroma(name) if name in CHROMA else _folder(name) for name in names]
    with tempfile.TemporaryDirectory() as folder:
        questions = list(_ask_questions(corpora, Path(folder)))
    similar = [one for one in questions if one.similarity is not None]
    rows = [*_rows(BY_SIMILARITY[DEFAULT_MODEL], similar), *_rows(BY_WORDS, questions)]
    return Table(
        title, rows, ["The second half is claimed; the first chose the constants. Default settings and model."]
    )


def _rows(by: Calibration, questions: Sequence[Asked]) -> Iterator[Row]:
    for half, name in enumerate(("chosen on", "claimed")):
        for kind in KINDS:
            warnings = [one.warns(by) for one in questions if one.half == half and one.kind == kind]
            share = sum(warnings) / max(len(warnings), 1)
            alarm = kind == KINDS[0] and half == 1
            result = f"{share:.1%}"
            target, met = ("≤ 5%", share <= 0.05) if alarm else ("", None)
            yield Row(
                f"by {by.name}, {name}: {kind}",
                f"{sum(warnings)} of {len(warnings)} got the sign",
                "",
                result,
                target,
                met,
            )


def _ask_questions(corpora: Sequence[Corpus], folder: Path) -> Iterator[Asked]:
    """Search every question in each of its indexes."""
    spaces = {(corpus.name, half): _indexed(folder, corpus, half) for corpus in corpora for half in (0, 1)}
    chance = random.Random(7)
    for corpus in corpora:
        halves = [corpus.half(half) for half in (0, 1)]
        texts = [_squeezed(" ".join(half.values())) for half in halves]
        others = [one.name for one in corpora if one is not corpus]
        for question in corpus.questions:
            kept_halves = [half for half in (0, 1) if question.documents & halves[half].keys()]
            if len(kept_halves) != 1:
                continue
            (own,) = kept_halves
            if any(len(answer) >= _TELLING and _squeezed(answer) in texts[1 - own] for answer in question.answers):
                continue
            places = [(KINDS[0], (corpus.name, own)), (KINDS[1], (corpus.name, 1 - own))]
            places += [(KINDS[2], (name, chance.randint(0, 1))) for name in chance.sample(others, min(2, len(others)))]
            for kind, place in places:
                sign = search(spaces[place], question.text).absence
                if sign is not None:
                    yield Asked(own, kind, sign.coverage, sign.similarity)


def _indexed(folder: Path, corpus: Corpus, half: int) -> Workspace:
    files = folder / "files" / f"{corpus.name}{half}"
    files.mkdir(parents=True)
    for name, text in corpus.half(half).items():
        (files / name).write_text(text, encoding="utf-8")
    workspace = Workspace.open(folder / "workspaces" / f"{corpus.name}{half}")
    add_files(workspace, [files])
    build_index(workspace, Config())
    return workspace


def _chroma(name: str) -> Corpus:
    """Return one of Chroma's corpora as documents."""
    text = (DATA / "chroma" / "corpora" / f"{name}.md").read_bytes().decode()
    spans = list(pairwise([0, *document_cuts(text), len(text)]))
    names = [f"{name}-{number:02}.md" for number in range(len(spans))]
    with (DATA / "chroma" / "questions.csv").open(encoding="utf-8", newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["corpus_id"] == name]
    questions = []
    for row in rows:
        references = json.loads(row["references"])
        places = [(one["start_index"], one["end_index"]) for one in references]
        inside = [
            doc
            for doc, (start, end) in zip(names, spans, strict=True)
            if any(first < end and last > start for first, last in places)
        ]
        questions.append(Question(row["question"], frozenset(inside), tuple(one["content"] for one in references)))
    return Corpus(name, {doc: text[start:end] for doc, (start, end) in zip(names, spans, strict=True)}, questions)


def document_cuts(text: str) -> list[int]:
    """Return the boundaries between documents: at articles, else at ends of lines and sentences."""
    articles = [match.start() for match in _ARTICLE.finditer(text)][1:]
    ends = [_END.search(text, part * len(text) // _PARTS) for part in range(1, _PARTS)]
    return articles or [match.end() for match in ends if match]


def _folder(name: str) -> Corpus:
    """Return a folder of documents with questions in the samples' form as a corpus."""
    texts = {path.name: path.read_text(encoding="utf-8") for path in sorted((DATA / name / "docs").iterdir())}
    rows = map(json.loads, (DATA / name / "questions.jsonl").read_text(encoding="utf-8").splitlines())
    flagged = [
        Question(row["question"], frozenset({row["doc"]}), tuple(one["text"] for one in row["answers"])) for row in rows
    ]
    return Corpus(name, texts, flagged)


def _squeezed(text: str) -> str:
    return "".join(text.split())


if __name__ == "__main__":
    print(run().markdown())
