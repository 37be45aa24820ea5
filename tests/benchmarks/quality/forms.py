"""The same small collection in every form that the quality benchmark reads."""

from __future__ import annotations

import json
from pathlib import Path

TEXTS = {
    "leave": "Employees get 25 days of paid leave a year. Unused days lapse on 31 March.",
    "travel": "The travel desk books flights. Premium seats need the approval of a manager.",
    "pumps": "The pump stops at 40 degrees. A red light shows that its filter is full.",
    "roofs": "The roof of the main building opens in June. Tiles are checked each spring.",
}
ANSWERS = {
    "When do unused days lapse?": ("leave", "Unused days lapse on 31 March."),
    "Who books flights?": ("travel", "The travel desk books flights."),
    "What does a red light show?": ("pumps", "A red light shows that its filter is full."),
    "When does the roof open?": ("roofs", "The roof of the main building opens in June."),
}
"""(document, answer) by question."""


def beir(folder: Path) -> Path:
    """Documents are relevant as a whole; one record has no text, one query no judgement."""
    records = [{"_id": name, "title": name.title(), "text": text} for name, text in TEXTS.items()]
    write_lines(folder / "corpus.jsonl", [*records, {"_id": "empty", "title": "", "text": " "}])
    queries = [{"_id": f"q{number}", "text": question} for number, question in enumerate(ANSWERS)]
    write_lines(folder / "queries.jsonl", [*queries, {"_id": "q9", "text": "Who asks?"}])
    rows = [f"q{number}\t{name}\t1" for number, (name, _) in enumerate(ANSWERS.values())]
    (folder / "qrels").mkdir()
    (folder / "qrels" / "test.tsv").write_text("\n".join(["query-id\tcorpus-id\tscore", *rows]), encoding="utf-8")
    return folder


def squad(folder: Path) -> Path:
    """An article per document, and a question that its paragraph does not answer."""
    articles = []
    for name, text in TEXTS.items():
        questions = [
            {"id": question, "question": question, "answers": [{"text": one, "answer_start": text.index(one)}]}
            for question, (document, one) in ANSWERS.items()
            if document == name
        ]
        nobody = {"id": f"none-{name}", "question": f"Who paid for {name}?", "answers": [], "is_impossible": True}
        articles.append({"title": name, "paragraphs": [{"context": text, "qas": [*questions, nobody]}]})
    path = folder / "dev-v2.0.json"
    path.write_text(json.dumps({"version": "v2.0", "data": articles}), encoding="utf-8")
    return path


def legalbench(folder: Path) -> Path:
    """Files of a corpus beside the folder of the benchmarks; a file that no snippet names is not read."""
    for place in ("corpus/firm", "benchmarks"):
        (folder / place).mkdir(parents=True)
    for name, text in {**TEXTS, "unnamed": "Nobody asks about this."}.items():
        (folder / "corpus" / "firm" / f"{name}.txt").write_text(text, encoding="utf-8")
    tests = [
        {"query": question, "snippets": [{"file_path": f"firm/{name}.txt", "span": span_of(name, one), "answer": one}]}
        for question, (name, one) in ANSWERS.items()
    ]
    path = folder / "benchmarks" / "firm.json"
    path.write_text(json.dumps({"tests": tests}, indent=4), encoding="utf-8")
    return path


def samples(folder: Path) -> Path:
    """Documents in `docs`, and `questions.jsonl` beside it."""
    (folder / "docs").mkdir()
    for name, text in TEXTS.items():
        (folder / "docs" / f"{name}.md").write_text(text, encoding="utf-8")
    rows = [
        {"question": question, "doc": f"{name}.md", "answers": [{"text": one}]}
        for question, (name, one) in ANSWERS.items()
    ]
    write_lines(folder / "questions.jsonl", rows)
    return folder


def span_of(name: str, answer: str) -> list[int]:
    start = TEXTS[name].index(answer)
    return [start, start + len(answer)]


def write_lines(path: Path, rows: list[dict[str, object]]) -> None:
    path.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
