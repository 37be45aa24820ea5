"""Facts about a failed answer, and the setting most likely to help, per question and per run."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

from chunking.config import ChunkConfig, Config, Rerank, Retrieval, SearchMode, Strategy, Unit, remote_name
from chunking.embedding.model_folder import counting_folder
from chunking.errors import ConfigError
from chunking.evaluation.metrics.counted_results import union
from chunking.evaluation.questions.question import AnswerSpan
from chunking.evaluation.runs.answered import Cause
from chunking.evaluation.runs.run import EvaluationRun
from chunking.model import Chunk, Document
from chunking.retrieval.context.context_tokens import counter
from chunking.retrieval.results.search_result import MatchedChild, Result, SearchResult
from chunking.splitting.strategies.strategy_table import STRATEGIES

__all__ = ["Advice", "Case", "advice", "for_cut_off", "for_evidence", "for_ranked_below", "for_split", "missing_of"]

_MOST_RESULTS = 4
"""Suggest more results only up to this multiple of `n`; beyond, they are mostly noise."""
_OVERLAP_PART = 3
"""Suggest overlap for answers up to 1/3 of the size; longer answers need larger chunks."""
_MOST_SHARE = 99
"""Highest suggested semantic break percentile."""
_CLEARLY_LESS = 0.8
"""Suggest a smaller size only below this share of the current size."""
_STEP = 0.2
"""Suggested change of the vector weight."""

Spans = Sequence[tuple[int, int]]


@dataclass(frozen=True, slots=True)
class Advice:
    """A setting suggested for failed questions of a run, with one value for all of them."""

    key: str
    """Key of the setting."""
    value: str
    """Value suggested most often; the median for numbers."""
    questions: int
    """Number of questions it is likely to help."""
    causes: tuple[Cause, ...]
    """Causes of these failures, the most frequent first."""

    @property
    def setting(self) -> str:
        """Setting as a command line argument: `key=value`."""
        return f"{self.key}={self.value}"


def advice(run: EvaluationRun) -> tuple[Advice, ...]:
    """Merge the suggestions of a run's failed questions by setting, the most frequent first."""
    by_setting: dict[str, list[tuple[str, Cause]]] = {}
    for one in run.answered:
        if one.diagnosis is not None and one.diagnosis.help:
            key, _, value = one.diagnosis.help.partition("=")
            by_setting.setdefault(key, []).append((value, one.diagnosis.cause))
    rows = [
        Advice(
            key,
            _usual([value for value, _ in some]),
            len(some),
            tuple(cause for cause, _ in Counter(c for _, c in some).most_common()),
        )
        for key, some in by_setting.items()
    ]
    return tuple(sorted(rows, key=lambda row: (-row.questions, row.key)))


def for_split(case: Case) -> tuple[str, str]:
    """Suggest a setting that keeps a split answer in one chunk, or returns all of its chunks.

    Returns:
        `, at a heading` if a heading splits the answer, else empty; and `key=value`, empty if no setting helps.
    """
    config, level = case.chunk_config, _heading_between(case)
    if level is not None:
        kept = [str(one) for one in config.heading_levels if one < level]
        return ", at a heading", _setting(case, "heading_levels", ",".join(kept)) or _all_parts(case)
    if not _sized(config):
        return "", "" if config.strategy is Strategy.CUSTOM else _setting(case, "strategy", Strategy.STRUCTURE)
    if config.strategy is Strategy.SEMANTIC and config.semantic_share < _MOST_SHARE:
        return "", _setting(case, "semantic_share", min(config.semantic_share + 10, _MOST_SHARE))
    units = _units(case)
    if units * _OVERLAP_PART <= config.size and config.overlap_amount < units:
        return "", _setting(case, "overlap", f"{5 * math.ceil(20 * units / config.size)}%")
    size = _rounded(2 * max(units, config.size))
    if config.unit is Unit.TOKENS:
        size = min(size, counting_folder(case.config.embedding).content_tokens)
    return "", _setting(case, "size", size) if size > max(config.size, units) else _all_parts(case)


def for_cut_off(case: Case, limit: int) -> str:
    """Suggest the `size=` at which the model reads a chunk entirely; empty if none helps.

    Args:
        limit: tokens of a chunk that the model reads.
    """
    config = case.chunk_config
    if not _sized(config):
        return ""
    if config.unit is Unit.TOKENS:
        return _setting(case, "size", min(limit, config.size))
    tokens = max((chunk.token_count for chunk in case.holders), default=limit)
    return _setting(case, "size", max(config.size * limit // max(tokens, 1), 1))


def for_evidence(case: Case, result: Result) -> str:
    """Suggest the `search.cut=` that keeps a result which was left out; for a trimmed one, no trimming."""
    own = result.evidence
    if own is None or result.trimmed:
        return _setting(case, "search.trim", 0.0)
    return _setting(case, "search.cut", math.floor(100 * own.score) / 100)


def for_ranked_below(case: Case, chunk: Chunk) -> str:
    """Suggest a setting that ranks a chunk higher or returns it: the first that fits its ranks.

    More results for a rank up to 2 `n`; hybrid search if it is off; else more weight for the leg that has the chunk
    among its first `n`, a reranker, more results for a rank up to 4 `n`, or smaller chunks.

    Returns:
        `key=value`; empty if no setting helps.
    """
    search, candidate = case.config.search, case.candidate(chunk)
    if search.mode is not SearchMode.HYBRID and (candidate is None or candidate.rank > 2 * case.n):
        return "search.mode=hybrid"
    if candidate is None:
        return _smaller(case)
    if candidate.rank <= 2 * case.n:
        return _results(candidate.rank)
    ranks = {name: leg.rank for name, leg in candidate.legs.items()}
    for name, step in (("vector", _STEP), ("text", -_STEP)):
        rank, weight = ranks.get(name), round(min(max(search.vector_weight + step, 0.0), 1.0), 2)
        if len(ranks) > 1 and rank is not None and rank <= case.n and weight != search.vector_weight:
            return f"search.vector_weight={weight:g}"
    if candidate.rank <= search.rerank_depth and not search.rerank:
        remote = remote_name(case.config.embedding.model) is not None
        return f"search.rerank={Rerank.TITLE if remote else Rerank.LATE_INTERACTION}"
    if candidate.rank <= _MOST_RESULTS * case.n:
        return _results(candidate.rank)
    return _smaller(case)


def _smaller(case: Case) -> str:
    """Suggest a smaller size, which makes chunks more specific, as long as the answer fits twice."""
    config = case.chunk_config
    size = max(_rounded(config.size / 2), _rounded(2 * _units(case)))
    return _setting(case, "size", size) if _sized(config) and size < _CLEARLY_LESS * config.size else ""


def _all_parts(case: Case) -> str:
    """Suggest enough results for every part of a split answer, or auto-merging if the ranks are too high."""
    ranks = [case.rank(chunk) for chunk in case.touching]
    worst = max((rank for rank in ranks if rank is not None), default=0)
    if None not in ranks and worst <= _MOST_RESULTS * case.n:
        return _results(worst)
    return "" if case.config.search.retrieval is Retrieval.MERGE else "search.retrieval=merge"


def _results(rank: int) -> str:
    return f"search.k={5 * math.ceil(rank / 5)}"


def _setting(case: Case, key: str, value: object) -> str:
    """Return a setting as `key=value`, or "" if it is invalid or changes nothing.

    It is the document's category's setting if the category overrides it.
    """
    category = case.document.category if case.document is not None else ""
    own = dict(dict(case.config.categories).get(category, ()))
    key = f"category.{category}.{key}" if key in own else key
    try:
        changed = Config.from_settings({key: value}, case.config)
    except ConfigError:
        return ""
    return "" if changed == case.config else f"{key}={value}"


def _sized(config: ChunkConfig) -> bool:
    """True if the size setting decides where chunks end; false for chunks loaded from elsewhere."""
    if config.strategy is Strategy.CUSTOM:
        return ":" in config.splitter
    return STRATEGIES[config.strategy].sized


def _heading_between(case: Case) -> int | None:
    """Return the level of a splitting heading between two parts of the answer; None without one."""
    config = case.chunk_config
    if not STRATEGIES[config.strategy].at_headings or case.document is None:
        return None
    gaps = [(before.end, after.start) for before, after in pairwise(case.touching)]
    levels = [one.level for one in case.document.sections if any(start <= one.start <= end for start, end in gaps)]
    return min((level for level in levels if level in config.heading_levels), default=None)


def _units(case: Case) -> float:
    """Return the length of the answer in the unit of the size."""
    if case.chunk_config.unit is Unit.CHARACTERS:
        return float(case.length)
    texts, count = [chunk.counted_text for chunk in case.touching], counter(case.config.embedding).count
    return case.length * sum(map(count, texts)) / max(sum(map(len, texts)), 1)


def _rounded(amount: float) -> int:
    return 10 * math.ceil(amount / 10)


def _usual(values: list[str]) -> str:
    """Return the median of numbers (one of the values), else the most frequent value."""
    try:
        return sorted(values, key=lambda value: float(value.rstrip("%")))[len(values) // 2]
    except ValueError:
        return Counter(values).most_common(1)[0][0]


def first_to_last(text: str, start: int, end: int) -> tuple[int, int]:
    """Return a span without surrounding white space: no chunk begins or ends with any.

    The span must hold something else: of white space alone, the start would be behind the end.

    >>> first_to_last("a  b ", 1, 5)
    (3, 4)
    """
    piece = text[start:end]
    return start + len(piece) - len(piece.lstrip()), start + len(piece.rstrip())


def missing_of(answer: AnswerSpan, spans: Iterable[tuple[str, int, int]]) -> int:
    """Count the characters of an answer outside all spans, not counting white space."""
    covered = union(
        (start - answer.start, end - answer.start) for doc_id, start, end in spans if doc_id == answer.doc_id
    )
    missing, at = 0, 0
    for start, end in [*covered, (len(answer.text), len(answer.text))]:
        missing += len("".join(answer.text[at : max(start, at)].split()))
        at = max(at, end)
    return missing


@dataclass(frozen=True)
class Case:
    """A failed answer: an answer, and a search whose counted results lack part of it or all."""

    answer: AnswerSpan
    document: Document | None
    chunks: Sequence[Chunk]
    """Chunks of the answer's document, in reading order."""
    result: SearchResult
    n: int
    """Number of results that count."""
    config: Config

    @cached_property
    def touching(self) -> list[Chunk]:
        """Chunks that hold part of the answer other than white space, in reading order."""
        start, end = self.span
        return [chunk for chunk in self.chunks if chunk.start < end and start < chunk.end]

    @cached_property
    def holders(self) -> list[Chunk]:
        """Chunks that hold the entire answer, the highest ranked first."""
        start, end = self.span
        holders = [chunk for chunk in self.touching if chunk.start <= start and chunk.end >= end]
        return sorted(holders, key=lambda chunk: (self.rank(chunk) or len(self.result.candidates) + 1, chunk.start))

    @cached_property
    def span(self) -> tuple[int, int]:
        """Start and end of the answer in the document, without surrounding white space."""
        text = self.answer.text
        start, end = first_to_last(text, 0, len(text))
        return self.answer.start + start, self.answer.start + end

    @property
    def length(self) -> int:
        """Length of the answer in characters, surrounding white space included."""
        return self.answer.end - self.answer.start

    @property
    def shown(self) -> Sequence[Result]:
        """The first `n` results: those that count."""
        return self.result.results[: self.n]

    @cached_property
    def judged(self) -> Result | None:
        """The result that held the entire answer until it was trimmed or left out for too little evidence."""
        start, end = self.span
        lost = (*(one for one in self.shown if one.trimmed), *self.result.left_out)
        return next(
            (
                one
                for one in lost
                if one.chunk.doc_id == self.answer.doc_id and one.chunk.start <= start and end <= one.chunk.end
            ),
            None,
        )

    @cached_property
    def chunk_config(self) -> ChunkConfig:
        """Chunk settings of the answer's document."""
        return (
            self.config.for_category(self.document.category).chunk if self.document is not None else self.config.chunk
        )

    def candidate(self, chunk: Chunk) -> MatchedChild | None:
        """Return a chunk's candidate, else that of the duplicate kept instead; None if neither."""
        return self._candidates.get(chunk.chunk_id) or self._candidates.get(self._stands_for.get(chunk.chunk_id, ""))

    def rank(self, chunk: Chunk) -> int | None:
        """Return the rank of a chunk's `candidate` among all candidates, from 1; None without."""
        candidate = self.candidate(chunk)
        return candidate.rank if candidate is not None else None

    def repeated_by(self, chunk: Chunk) -> Result | None:
        """Return the counted result in whose favour a chunk was deduplicated; None if it wasn't."""
        return next((one for one in self.shown if any(place.chunk_id == chunk.chunk_id for place in one.repeats)), None)

    @cached_property
    def _candidates(self) -> Mapping[str, MatchedChild]:
        return {one.chunk.chunk_id: one for one in self.result.candidates}

    @cached_property
    def _stands_for(self) -> Mapping[str, str]:
        """Ids of the candidates with the same text, by the id of the deduplicated chunk.

        Candidates are compared, since a result may be the parent.
        """
        if not self.config.search.deduplicate:
            return {}
        by_hash = {one.chunk.hash: one.chunk.chunk_id for one in reversed(self.result.candidates)}
        return {chunk.chunk_id: by_hash[chunk.hash] for chunk in self.chunks if chunk.hash in by_hash}
