"""Golden results of each stage on the sample documents, in `tests/golden` with their version.

`make golden` (`python -m tests.support.golden`) updates results whose version (`chunking.versions`) was raised.
"""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cache, wraps
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from chunking import versions
from chunking.config import ENGLISH_MODEL, Config, Prefix, Rerank, Retrieval, SearchConfig, Strategy, TableText
from chunking.evaluation import EvaluationOptions, evaluate, read_questions, score_run
from chunking.indexing import build_index
from chunking.model import Chunk, Document
from chunking.parsing import parse
from chunking.retrieval import search
from chunking.splitting import MeasureCache, split_document, with_measure_cache
from chunking.store import Workspace
from tests.support.stand_in_model import stand_in_model
from tests.support.strategies import meaning

__all__ = ["STAGES", "Stage", "differences", "is_right"]

ROOT = Path(__file__).parents[2]
SAMPLES = ROOT / "sample_data"
FORMATS = ROOT / "tests" / "data" / "formats"
GOLDEN = ROOT / "tests" / "golden"
QUESTIONS = SAMPLES / "questions.jsonl"
ASKED = 4
"""Questions whose first results are held."""
RANKS = 5
"""Results stored per query."""
FEW = ("api", "datasheet", "faq", "handbook", "manual-zh")
"""Sample folders with stored results, so that a new sample changes none of them."""

Values = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Stage:
    """Stage with its golden file."""

    name: str
    version: str
    """Name of the stage's number in `chunking.versions`."""
    values: Callable[[], Values]
    """Returns the stage's current results."""

    @property
    def file(self) -> Path:
        return GOLDEN / f"{self.name}.json"

    @property
    def number(self) -> int:
        """Current version."""
        return int(getattr(versions, self.version))

    def kept(self) -> tuple[int, Values]:
        """Return version and results of the file; (0, nothing) if it is missing."""
        if not self.file.exists():
            return 0, {}
        tree = json.loads(self.file.read_text(encoding="utf-8"))
        return tree["version"], tree["results"]

    def keep(self, values: Values) -> None:
        """Rewrite the file."""
        rows = ",\n".join(f" {_plain(name)}: {_plain(value)}" for name, value in values.items())
        self.file.write_text(f'{{"version": {self.number}, "results": {{\n{rows}\n}}}}\n', encoding="utf-8")


def _plain(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def differences(kept: Mapping[str, Any], now: Mapping[str, Any]) -> list[str]:
    """Return the differing results, one line each."""
    return [
        f"{name}: {kept.get(name)} -> {now.get(name)}"
        for name in sorted({*kept, *now})
        if kept.get(name) != now.get(name)
    ]


def is_right(kept: tuple[int, Mapping[str, Any]], number: int, now: Mapping[str, Any]) -> bool:
    """True if the results equal those stored for the version."""
    return kept[0] == number and kept[1] == dict(now)


def digest(facts: object) -> str:
    """Return 12 hex digits of a hash over plain data."""
    text = json.dumps(facts, ensure_ascii=False, default=str)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:12]


@cache
def samples() -> tuple[Document, ...]:
    """Return the sample documents, and the project's own file of each format."""
    offsets = [
        path for name in FEW for path in sorted((SAMPLES / name).rglob("*")) if path.suffix in (".md", ".txt", ".pdf")
    ]
    own = [path for path in sorted(FORMATS.iterdir()) if path.is_file() and path.name != "README.md"]
    return tuple(
        parse(path.read_bytes(), path.relative_to(of).as_posix())
        for of, paths in ((SAMPLES, offsets), (FORMATS, own))
        for path in paths
    )


def documents() -> Values:
    """Return characters, blocks, sections and a digest of each parsed file."""
    return {one.source: [len(one.text), len(one.blocks), len(one.sections), digest(_read(one))] for one in samples()}


def _read(one: Document) -> list[object]:
    blocks = [(block.type, block.start, block.end, block.level, sorted(block.meta.items())) for block in one.blocks]
    sections = [(section.start, section.end, section.title_path) for section in one.sections]
    places = [
        (place.start, place.end, place.page, place.bbox and [round(edge, 1) for edge in place.bbox])
        for place in one.locations
    ]
    return [
        one.text,
        one.title,
        one.format,
        blocks,
        sections,
        places,
        [(span.start, span.end) for span in one.left_out],
    ]


def measured_once(values: Callable[[], Values]) -> Callable[[], Values]:
    """Decorate a function to measure each document once, which saves half of the time."""

    @wraps(values)
    def measured_once() -> Values:
        with with_measure_cache(MeasureCache()):
            return values()

    return measured_once


_BASE = {"embedding.model": ENGLISH_MODEL, "size": "150"}
"""Model and size of the stored results, whatever the defaults are."""
_SIZES = (
    {},
    {"size": "96", "overlap": "24", "parent_size": "400"},
    {"unit": "characters", "size": "300", "overlap": "0"},
)


@measured_once
def offsets() -> Values:
    """Return counts and digests of chunks, parents and larger chunks by strategy, size and document."""
    values = {}
    for strategy in (one for one in Strategy if one is not Strategy.CUSTOM):
        for number, sizes in enumerate(_SIZES):
            config = Config.from_settings({**_BASE, "strategy": strategy.value, **sizes})
            for one in samples()[: None if not sizes else len(FEW)]:
                levels = split_document(one, config, sentences=meaning)
                groups: list[list[Chunk]] = [levels.chunks, levels.parents, *levels.larger.values()]
                spans = [[(row.start, row.end) for row in rows] for rows in groups]
                values[f"{strategy} {number} {one.source}"] = [len(levels.chunks), digest(spans)]
    return values


@measured_once
def contexts() -> Values:
    """Return digests of the embedded texts and their tokens, by prefix and table text."""
    kinds = [{"prefix": one.value} for one in Prefix if one is not Prefix.CONTEXT] + [
        {"table_text": one.value} for one in TableText
    ]
    values = {}
    for kind in kinds:
        for one in samples()[: len(FEW)]:
            rows = split_document(one, Config.from_settings({**_BASE, "size": "128", **kind}), sentences=meaning).chunks
            facts = [(row.embedding_content, row.token_count, sorted(row.flags)) for row in rows]
            values[f"{next(iter(kind.values()))} {one.source}"] = [sum(row.token_count for row in rows), digest(facts)]
    return values


_LEVELS = {**_BASE, "size": "100", "parent_size": "400", "granularities": "2", "enrich.summaries": "true"}


def shelved() -> list[Document]:
    """Return the documents to search: two in English, one in Chinese."""
    return [one for one in samples() if one.source.split("/")[0] in ("handbook", "manual-zh", "faq")]


@contextmanager
def _shelf() -> Iterator[Workspace]:
    """Open a workspace with the samples and a stand-in model, whose vectors are equal on every machine."""
    with TemporaryDirectory() as folder, stand_in_model():
        workspace = Workspace.open(Path(folder) / "workspace")
        workspace.put_documents(shelved())
        yield workspace


def _question_lines() -> list[str]:
    """Return the sample questions on the stored documents."""
    lines = QUESTIONS.read_text(encoding="utf-8").splitlines()
    return [line for line in lines if json.loads(line)["doc"].split("/")[0] in FEW]


def _golden_queries() -> Iterable[str]:
    rows = [json.loads(line) for line in _question_lines()]
    answerable = [row["question"] for row in rows if not row["doc"].startswith(("api", "datasheet"))]
    return answerable[:: 2 * max(1, len(rows) // (2 * ASKED))][:ASKED]


_SEARCHES: dict[str, Mapping[str, Any]] = {
    **{f"mode {mode}": {"mode": mode} for mode in ("hybrid", "vector", "text")},
    **{
        f"retrieval {retrieval}": {"retrieval": retrieval}
        for retrieval in Retrieval
        if retrieval is not Retrieval.CHUNK
    },
    "fusion reciprocal_rank": {"fusion": "reciprocal_rank"},
    **{f"rerank {rerank}": {"rerank": [rerank]} for rerank in Rerank if rerank is not Rerank.CROSS_ENCODER},
}
"""Searches with stored results; a cross-encoder has no stand-in."""
_LATE = {**_BASE, "embedding.mode": "late", "search.mode": "vector"}


def ranks() -> Values:
    """Return the first results by search and query, also of late-pooled vectors."""
    with _shelf() as workspace:
        build_index(workspace, Config.from_settings(_LEVELS))
        results = {
            f"{name} {query}": _results(workspace, query, SearchConfig(**how))
            for name, how in _SEARCHES.items()
            for query in _golden_queries()
        }
    with _shelf() as workspace:
        late = Config.from_settings(_LATE)
        build_index(workspace, late)
        return {
            **results,
            **{f"embedding late {query}": _results(workspace, query, late.search) for query in _golden_queries()},
        }


def _results(workspace: Workspace, question: str, how: SearchConfig) -> list[str]:
    return [_describe(hit.chunk) for hit in search(workspace, question, how).results[:RANKS]]


def _describe(chunk: Chunk) -> str:
    return f"{chunk.doc_id} {chunk.start}-{chunk.end}"


def scores() -> Values:
    """Return the scores of every ninth sample question by metric."""
    with _shelf() as workspace:
        question_set = read_questions("\n".join(_question_lines()).encode(), QUESTIONS.name, shelved()).questions
        questions = replace(question_set, questions=question_set.questions[::9])
        run = evaluate(workspace, questions, Config.from_settings(_BASE), EvaluationOptions(keep=False))
        scored = score_run(run, questions)
    return {
        one: {name: round(value, 6) for name, value in scored.at(place)._asdict().items()}
        for place, one in enumerate(scored.ids)
    }


STAGES = (
    Stage("documents", "PARSING_VERSION", documents),
    Stage("offsets", "SPLITTING_VERSION", offsets),
    Stage("contexts", "CONTEXT_VERSION", contexts),
    Stage("ranks", "RETRIEVAL_VERSION", ranks),
    Stage("scores", "SCORING_VERSION", scores),
)


def main() -> int:
    """Update the changed results; report a change without a raised version, and keep its file."""
    wrong = 0
    for stage in STAGES:
        kept, now = stage.kept(), stage.values()
        if is_right(kept, stage.number, now):
            continue
        if kept[0] == stage.number:
            wrong += 1
            print(
                f"{stage.name}: other results, and {stage.version} is still {stage.number}. Raise it in "
                f"chunking/versions.py."
            )
            print(*(f"  {line}" for line in differences(kept[1], now)[:10]), sep="\n")
            continue
        stage.keep(now)
        print(f"{stage.name}: written for {stage.version} {stage.number}")
    return wrong


if __name__ == "__main__":
    sys.exit(main())
