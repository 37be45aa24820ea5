"""The setting most likely to help where a question failed, and over a whole run."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass

from chunking.config import Rerank, Retrieval, SearchMode, Unit
from chunking.evaluation.cases import Case
from chunking.evaluation.runs import Cause, Run
from chunking.model import Chunk
from chunking.model_folder import counting_folder, remote_name

__all__ = ["Advice", "advice", "for_cut_off", "for_ranked_below", "for_split"]

_MOST_RESULTS = 4
"""More results help up to this many times `n`; beyond, they are mostly noise to read."""
_OVERLAP_PART = 3
"""An answer of at most this part of the size is helped by overlap; a longer one needs larger chunks."""
_STEP = 0.2
"""Of the weight of meaning."""


@dataclass(frozen=True, slots=True)
class Advice:
    """A setting that is likely to help some of the questions that failed."""

    key: str
    """Of the setting."""
    value: str
    """That most of them asked for; of numbers the middle one."""
    questions: int
    """That it is likely to help."""
    causes: tuple[Cause, ...]
    """By which they failed, the most frequent first."""

    @property
    def setting(self) -> str:
        """As the command line takes it: `key=value`."""
        return f"{self.key}={self.value}"


def advice(run: Run) -> tuple[Advice, ...]:
    """Settings likely to help a run, the one for the most questions first."""
    asked: dict[str, list[tuple[str, Cause]]] = {}
    for one in run.answered:
        if one.diagnosis is not None and one.diagnosis.help:
            key, _, value = one.diagnosis.help.partition("=")
            asked.setdefault(key, []).append((value, one.diagnosis.cause))
    rows = [
        Advice(key, _usual([value for value, _ in some]), len(some), tuple(cause for cause, _ in Counter(c for _, c in some).most_common()))
        for key, some in asked.items()
    ]
    return tuple(sorted(rows, key=lambda row: (-row.questions, row.key)))


def for_split(case: Case) -> tuple[str, str]:
    """What stands between the parts, as a few words, and the setting."""
    config, touching = case.chunk_config, case.touching
    if len({chunk.section_id for chunk in touching}) > 1:
        levels = [_level(case, chunk) for chunk in touching[1:] if chunk.section_id != touching[0].section_id]
        kept = [level for level in config.heading_levels if level < min(levels, default=1)]
        return ", at a heading", f"heading_levels={','.join(map(str, kept))}" if kept and len(kept) < len(config.heading_levels) else ""
    units = _units(case)
    if units * _OVERLAP_PART <= config.size and config.overlap_amount < units:
        return "", f"overlap={5 * math.ceil(20 * units / config.size)}%"
    size = _rounded(max(2 * units, 1.5 * config.size))
    limit = counting_folder(case.config.embedding).content_tokens
    if config.unit is Unit.TOKENS:
        size = min(size, limit)
    if size > max(config.size, units):
        return "", f"size={size}"
    return "", "" if case.config.search.retrieval is Retrieval.MERGE else "search.retrieval=merge"


def for_cut_off(case: Case, limit: int) -> str:
    """A size that the model reads whole."""
    config = case.chunk_config
    if config.unit is Unit.TOKENS:
        return f"size={min(limit, config.size)}"
    tokens = max((chunk.token_count for chunk in case.holders), default=limit)
    return f"size={max(config.size * limit // max(tokens, 1), 1)}"


def for_ranked_below(case: Case, chunk: Chunk) -> str:
    """More results where it is near; else the leg that knows better, a second look, or smaller chunks."""
    search, found = case.config.search, case.candidate(chunk)
    if search.mode is not SearchMode.HYBRID and (found is None or found.rank > 2 * case.n):
        return "search.mode=hybrid"
    if found is None:
        return _smaller(case)
    if found.rank <= 2 * case.n:
        return f"search.k={5 * math.ceil(found.rank / 5)}"
    ranks = {name: leg.rank for name, leg in found.legs.items()}
    for name, step in (("vector", _STEP), ("text", -_STEP)):
        rank, weight = ranks.get(name), round(min(max(search.vector_weight + step, 0.0), 1.0), 2)
        if len(ranks) > 1 and rank is not None and rank <= case.n and weight != search.vector_weight:
            return f"search.vector_weight={weight:g}"
    if found.rank <= search.rerank_depth and not search.rerank:
        remote = remote_name(case.config.embedding.model) is not None
        return f"search.rerank={Rerank.TITLE if remote else Rerank.LATE_INTERACTION}"
    if found.rank <= _MOST_RESULTS * case.n:
        return f"search.k={5 * math.ceil(found.rank / 5)}"
    return _smaller(case)


def _smaller(case: Case) -> str:
    """Smaller chunks are about less, and nearer to a question about it; as long as the answer fits twice."""
    config = case.chunk_config
    size = max(_rounded(config.size / 2), _rounded(2 * _units(case)))
    return f"size={size}" if size < 0.8 * config.size else ""


def _units(case: Case) -> float:
    """How long the answer is, in the unit of the size."""
    if case.chunk_config.unit is Unit.CHARACTERS:
        return float(case.length)
    characters = sum(len(chunk.counted_text) for chunk in case.touching)
    return case.length * sum(chunk.token_count for chunk in case.touching) / max(characters, 1)


def _level(case: Case, chunk: Chunk) -> int:
    """Of the heading that a chunk's section begins with."""
    sections = case.document.sections if case.document is not None else ()
    return next((one.level for one in sections if one.section_id == chunk.section_id), 1)


def _rounded(amount: float) -> int:
    return 10 * math.ceil(amount / 10)


def _usual(values: list[str]) -> str:
    """The middle one of numbers, a value that was asked for; else the most frequent."""
    try:
        return sorted(values, key=lambda value: float(value.rstrip("%")))[len(values) // 2]
    except ValueError:
        return Counter(values).most_common(1)[0][0]
