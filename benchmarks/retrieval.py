"""Recall of each retrieval technique, and of Chroma's rebuilt chunkers, on Chroma's questions.

The same model, corpora and questions for all, in one run; three of the comparison's five corpora are at hand (276
questions). Size and granularities of the default were once chosen on the odd questions, so what is claimed of it is
measured on the even ones; `benchmarks.defaults` says how every default was chosen. `benchmarks.quality` measures its
cluster chunker, too; its LLM chunker and its larger models are not rebuilt: nothing is claimed against them.
"""

from __future__ import annotations

import csv
import json
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

import numpy as np

from benchmarks.peers import PEERS as SPLITTERS
from benchmarks.peers import ranking
from benchmarks.report import Row, Table
from benchmarks.spans import Question, Span, occurrences, paired_interval, score
from benchmarks.techniques import NOT_MEASURED, TECHNIQUES
from chunking import Config, Workspace, add_files, build_index, search
from chunking.config import ENGLISH_MODEL, settings
from chunking.embedding.model_folder import find_model
from chunking.evaluation import config_of_loaded, read_chunks, save_chunks, use_loaded
from chunking.model import Chunk, Document
from chunking.splitting import TokenCounter, token_counter

DATA = Path(__file__).parent.parent.parent / "shared" / "benchmarks" / "chroma"
SHOWN = 5
BUDGET = 1_000
_DEEP = 30
"""Number of results: enough for 1,000 tokens at any measured size."""
_AS_COMPARED = {
    "embedding.model": ENGLISH_MODEL,
    "search.k": _DEEP,
    "search.candidates": 100,
    "search.before": 0,
    "search.after": 0,
}
RECALL_PEER, IOU_PEER = "TokenText 250/125", "Recursive 200/0"
PEERS = (RECALL_PEER, IOU_PEER, "Recursive 250/125")
NOT_REBUILT = (
    "Not among them: its cluster and LLM chunkers and its larger models (with text-embedding-3-large the paper prints "
    "up to 91.9 % recall, on all five corpora)."
)

Ranking = list[list[Span]]


class Figures(NamedTuple):
    """Scores by question, (questions,) each, 0 to 1."""

    recall: np.ndarray
    iou: np.ndarray
    recall_tokens: np.ndarray
    """Recall at exactly 1,000 tokens."""
    iou_tokens: np.ndarray
    recall_credited: np.ndarray
    """Recall with repeated text credited at every occurrence."""


@dataclass(frozen=True, slots=True)
class Corpora:
    """Questions with their corpora."""

    folder: Path
    texts: Mapping[str, str]
    questions: tuple[Question, ...]
    places: tuple[list[list[int]], ...]

    @classmethod
    def read(cls) -> Corpora:
        folder = DATA / "corpora"
        texts = {path.stem: path.read_bytes().decode() for path in sorted(folder.glob("*.md"))}
        questions = []
        with (DATA / "questions.csv").open(encoding="utf-8", newline="") as file:
            for row in csv.DictReader(file):
                spans = tuple((one["start_index"], one["end_index"]) for one in json.loads(row["references"]))
                questions.append(Question(row["question"], row["corpus_id"], spans))
        return cls(
            folder, texts, tuple(questions), tuple(occurrences(texts[q.doc_id], q.references) for q in questions)
        )


def run() -> Table:
    """Measure everything; takes about ten minutes."""
    if not DATA.exists():
        return Table("Retrieval", [], ["The corpora and questions are not here."])
    corpora = Corpora.read()
    peers = {
        name: figures(corpora, ranking(corpora.texts, name, [q.text for q in corpora.questions])) for name in PEERS
    }
    with tempfile.TemporaryDirectory() as folder:
        workspace = Workspace.open(folder)
        add_files(workspace, [corpora.folder])
        measured = Measured(workspace, corpora)
        rows = [*_peer_rows(peers), *_technique_rows(measured), *_claims(measured, peers), _late(measured)]
    return Table(f"Retrieval, Chroma's questions, {ENGLISH_MODEL}", rows, _notes(corpora))


class Measured:
    """Cache of measured configurations; configurations that differ only in search share an index."""

    def __init__(self, workspace: Workspace, corpora: Corpora) -> None:
        self.workspace, self.corpora = workspace, corpora
        self._done: dict[tuple[tuple[str, str], ...], Figures] = {}

    def of(self, settings: Mapping[str, str]) -> Figures:
        key = tuple(sorted(settings.items()))
        if key not in self._done:
            self._done[key] = figures(self.corpora, self._ranking(settings))
        return self._done[key]

    def _ranking(self, settings: Mapping[str, str]) -> Ranking:
        config = Config.from_settings({**settings, **_AS_COMPARED})
        return self.ranking(config)

    def ranking(self, config: Config) -> Ranking:
        """Return a configuration's results for each question."""
        name = config.fingerprint()
        if name not in {row.name for row in self.workspace.indexes()}:
            build_index(self.workspace, config, name=name)
        spans = (
            search(self.workspace, question.text, config.search, index=name).results
            for question in self.corpora.questions
        )
        return [[_span(hit.chunk) for hit in hits] for hits in spans]


def _span(chunk: Chunk) -> Span:
    """Return a result's span; a summary has only its length, and no characters of the text."""
    return Span("", 0, len(chunk.summary)) if chunk.summary else Span(chunk.doc_id, chunk.start, chunk.end)


def figures(corpora: Corpora, ranked: Ranking) -> Figures:
    """Return all measures of a ranking."""

    def each(rank: Callable[[list[Span]], list[Span]], *, credited: bool = False) -> np.ndarray:
        rows = zip(corpora.questions, ranked, corpora.places, strict=True)
        return np.array(
            [score(question, rank(spans), places if credited else None) for question, spans, places in rows]
        )

    first, budgeted = each(lambda spans: spans[:SHOWN]), each(lambda spans: within_budget(corpora.texts, spans, BUDGET))
    credited = each(lambda spans: spans[:SHOWN], credited=True)
    return Figures(first[:, 0], first[:, 1], budgeted[:, 0], budgeted[:, 1], credited[:, 0])


def within_budget(texts: Mapping[str, str], spans: Sequence[Span], budget: int) -> list[Span]:
    """Return the first spans with exactly `budget` tokens; the last one is cut."""
    kept: list[Span] = []
    for span in spans:
        tokens = _tokens(texts[span.doc_id][span.start : span.end]) if span.doc_id else (span.end - span.start) // 4
        if tokens >= budget:
            return [*kept, _cut(texts, span, budget)] if span.doc_id else kept
        kept.append(span)
        budget -= tokens
    return kept


def _cut(texts: Mapping[str, str], span: Span, tokens: int) -> Span:
    """Return the longest start of a span within a number of tokens."""
    low, high = span.start, span.end
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if _tokens(texts[span.doc_id][span.start : middle]) <= tokens else (low, middle - 1)
    return span._replace(end=low)


@lru_cache(maxsize=100_000)
def _tokens(text: str) -> int:
    return _counter().count(text)


@lru_cache
def _counter() -> TokenCounter:
    return token_counter(find_model(ENGLISH_MODEL).path)


def _words(figures: Figures, which: slice | np.ndarray = slice(None)) -> str:
    return f"recall {_percent(figures.recall[which])}, IoU {_percent(figures.iou[which])}"


def _percent(values: np.ndarray) -> str:
    return f"{100 * values.mean():.1f}"


def _budgeted(figures: Figures) -> str:
    return (
        f"at 1,000 tokens {_percent(figures.recall_tokens)}, {_percent(figures.iou_tokens)}; "
        f"repeats credited {_percent(figures.recall_credited)}"
    )


def _interval(ours: np.ndarray, theirs: np.ndarray) -> str:
    mean, low, high = paired_interval(ours, theirs)
    return f"{100 * mean:+.1f} ({100 * low:+.1f} to {100 * high:+.1f})"


def _peer_rows(peers: Mapping[str, Figures]) -> Iterator[Row]:
    for name, one in peers.items():
        yield Row(f"{name}, rebuilt, vectors only", _words(one), _budgeted(one), "")


def _technique_rows(measured: Measured) -> Iterator[Row]:
    """Yield each technique against its base, on all questions."""
    for technique in TECHNIQUES:
        one, base = measured.of(technique.settings), measured.of(technique.base)
        change = "" if technique.settings == technique.base else f"recall {_interval(one.recall, base.recall)}"
        yield Row(technique.words, _words(one), _budgeted(one), change)
    for name, why in NOT_MEASURED:
        yield Row(name, "not measured here", why, "")


def _claims(measured: Measured, peers: Mapping[str, Figures]) -> Iterator[Row]:
    """Yield the default's results on the even questions, on which nothing was chosen."""
    even = np.arange(len(measured.corpora.questions)) % 2 == 0
    ours = measured.of({})
    for name, measure, theirs in ((RECALL_PEER, "recall", peers[RECALL_PEER]), (IOU_PEER, "iou", peers[IOU_PEER])):
        mean, low, high = paired_interval(getattr(ours, measure)[even], getattr(theirs, measure)[even])
        yield Row(
            f"default on the even questions: {'IoU' if measure == 'iou' else measure}",
            _percent(getattr(ours, measure)[even]),
            f"{name} {_percent(getattr(theirs, measure)[even])}",
            f"{100 * mean:+.1f} ({100 * low:+.1f} to {100 * high:+.1f})",
            "interval above 0",
            low > 0,
        )
    yield from _like_with_like(measured, peers[RECALL_PEER], even)


def _like_with_like(measured: Measured, peer: Figures, which: np.ndarray) -> Iterator[Row]:
    """Yield default and peer with equal search: both by vectors, and both hybrid."""
    alone, hybrid = measured.of({"search.mode": "vector"}), figures(measured.corpora, _peer_by_hybrid(measured))
    for name, ours, theirs in (
        ("both by vectors only", alone, peer),
        ("both by hybrid search", measured.of({}), hybrid),
    ):
        yield Row(
            f"… {name}",
            f"{_words(ours, which)}; at 1,000 tokens {_percent(ours.recall_tokens[which])}",
            f"{RECALL_PEER}: {_words(theirs, which)}; at 1,000 tokens {_percent(theirs.recall_tokens[which])}",
            f"recall {_interval(ours.recall[which], theirs.recall[which])}, at 1,000 tokens "
            f"{_interval(ours.recall_tokens[which], theirs.recall_tokens[which])}",
        )


def _peer_by_hybrid(measured: Measured) -> Ranking:
    """Search the peer's very chunks as the default searches."""
    documents = {row.source: measured.workspace.document(row.doc_id) for row in measured.workspace.documents()}
    lines = peer_lines(RECALL_PEER, documents.values(), measured.corpora.texts)
    loaded = read_chunks(lines, "peer.jsonl", list(documents.values()))
    save_chunks(measured.workspace, loaded)
    use_loaded(measured.workspace)
    plain = Config.from_settings(
        {"prefix": "none", "granularities": "none", "search.retrieval": "chunk", **_AS_COMPARED}
    )
    return measured.ranking(config_of_loaded(loaded, plain))


def peer_lines(name: str, documents: Iterable[Document], texts: Mapping[str, str]) -> bytes:
    """Return a rebuilt method's chunks as JSON Lines."""
    rows = []
    for document in documents:
        stem = document.source.rpartition("/")[2].rpartition(".")[0]
        rows += [{"doc": document.source, "start": start, "end": end} for start, end in SPLITTERS[name](texts[stem])]
    return "\n".join(map(json.dumps, rows)).encode()


def _late(measured: Measured) -> Row:
    """Measure late chunking in the default configuration, on all questions."""
    late, base = measured.of({"embedding.mode": "late"}), measured.of({})
    low = paired_interval(late.recall, base.recall)[1]
    warned = "finds a little less" in next(setting.help for setting in settings() if setting.key == "embedding.mode")
    return Row(
        "late mode: recall" + (" (its setting warns of this)" if warned else ""),
        _percent(late.recall),
        f"the default {_percent(base.recall)}",
        _interval(late.recall, base.recall),
        "lower bound above -3, else a warning",
        low > -0.03 or warned,
    )


def _notes(corpora: Corpora) -> tuple[str, ...]:
    return (
        f"{len(corpora.questions)} questions; recall and IoU in percent at n = {SHOWN} chunks, in the comparison's "
        "arithmetic unless said; intervals: paired bootstrap over the questions, 95 %. Recall of each technique "
        "against the line that it changes.",
        "Rebuilt, vectors only: fixed and recursive chunkers of Chroma's comparison (2024), made with "
        f"langchain-text-splitters and token windows and scored here, on three of its five corpora. {NOT_REBUILT} A "
        "summary among the results costs its length and counts as nothing found.",
    )


if __name__ == "__main__":
    print(run().markdown())
