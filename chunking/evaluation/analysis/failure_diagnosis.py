"""Cause of a failed question, searched from the parse to the ranking: the first cause that applies.

| cause | condition |
|---|---|
| not in the parse | the document is gone, its text has changed, or no chunk holds the characters |
| dropped as a repeat | a chunk with the answer was deduplicated in favour of a result with the same text |
| split | no chunk holds the entire answer, and not all of its parts were returned |
| cut off | the only chunk with the answer is longer than the model reads, and the answer lies behind that limit |
| too little evidence | a result with the answer was cut (`search.cut`), or the answer trimmed off it |
| ranked below | a chunk holds the answer, but others ranked higher |

If several answers failed, the cause that comes first in this table is reported: nothing later could help.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from chunking.config import Config, EmbeddingMode
from chunking.display import first_names
from chunking.embedding.model_folder import counting_folder
from chunking.evaluation.analysis.suggestions import (
    Case,
    for_cut_off,
    for_evidence,
    for_ranked_below,
    for_split,
    missing_of,
)
from chunking.evaluation.questions.question import Question
from chunking.evaluation.runs.answered import Cause, Diagnosis
from chunking.evaluation.runs.run import EvaluationRun
from chunking.model import Chunk, Document, Flag
from chunking.retrieval.context.context_tokens import counter
from chunking.retrieval.modes.retrieval_modes import MODES
from chunking.retrieval.results.search_result import SearchResult

__all__ = ["causes", "diagnose"]

_MOST_HIGHER = 5
_MOST_RANKS = 4
_LEGS = {"vector": "by vector search", "text": "by full-text search"}


def causes(run: EvaluationRun) -> Mapping[Cause, int]:
    """Count the failed questions by cause, the most frequent first; absent causes are left out."""
    counts = Counter(one.diagnosis.cause for one in run.answered if one.diagnosis is not None)
    order = list(Cause)
    return dict(sorted(counts.items(), key=lambda row: (-row[1], order.index(row[0]))))


def diagnose(
    question: Question,
    result: SearchResult,
    document_of: Callable[[str], Document | None],
    chunks_of: Callable[[str], Sequence[Chunk]],
    n: int,
    config: Config | None = None,
) -> Diagnosis | None:
    """Diagnose why the first `n` results lack part of an answer; None if they hold every answer.

    Of several failed answers, the one with the earliest cause of the pipeline is reported. White space is ignored.

    Args:
        result: of a search whose candidates were those of `n` results; it may have more results.
        document_of: the document of an id as it was indexed; None if it no longer exists.
        chunks_of: its chunks (level chunk) in reading order; called only if an answer failed.
        config: configuration of the index and the search (default: the defaults); the suggestion is derived from it.
    """
    shown = [(one.chunk.doc_id, one.part.start, one.part.end) for one in result.results[:n] if one.chunk.content]
    failed = [(number, answer) for number, answer in enumerate(question.answers, start=1) if missing_of(answer, shown)]
    diagnoses = []
    for number, answer in failed:
        document = document_of(answer.doc_id)
        chunks = chunks_of(answer.doc_id) if document is not None else ()
        why = _why(Case(answer, document, chunks, result, n, config or Config()))
        diagnoses.append((_ORDER.index(why.cause), number, why))
    if not diagnoses:
        return None
    _, number, why = min(diagnoses, key=lambda row: row[:2])
    several = len(question.answers)
    return why if several == 1 else replace(why, sentence=f"Answer {number} of {several}: {why.sentence}")


def _why(case: Case) -> Diagnosis:
    return next(why for _, check in _CHECKS if (why := check(case)) is not None)


def _not_in_parse(case: Case) -> Diagnosis | None:
    answer, document = case.answer, case.document
    if document is None:
        return Diagnosis(Cause.NOT_IN_PARSE, f"Its document ({answer.doc_id}) is no longer in the index.")
    if answer.start >= len(document.text):
        return Diagnosis(Cause.NOT_IN_PARSE, f"The text that the parser found in {document.source} lacks the answer.")
    if document.text[answer.start : answer.end] != answer.text:
        sentence = (
            f"Characters {answer.start:,} to {answer.end:,} of {document.source} no longer contain the answer: "
            f"the file has changed."
        )
        return Diagnosis(Cause.NOT_IN_PARSE, sentence)
    missing = missing_of(answer, [(chunk.doc_id, chunk.start, chunk.end) for chunk in case.touching])
    if not missing:
        return None
    reasons = [out.reason for out in document.omitted if out.start < answer.end and answer.start < out.end]
    because = f" ({', '.join(dict.fromkeys(reasons))})" if reasons else ""
    letters = len("".join(answer.text.split()))
    if missing == letters:
        return Diagnosis(
            Cause.NOT_IN_PARSE,
            f"No chunk contains any part of the answer ({case.length:,} characters): it was left out{because}.",
        )
    sentence = f"{missing:,} of the answer's {letters:,} letters are in no chunk: they were left out{because}."
    return Diagnosis(Cause.NOT_IN_PARSE, sentence)


def _repeat(case: Case) -> Diagnosis | None:
    for chunk in case.holders:
        stays = case.repeated_by(chunk)
        if stays is not None:
            sentence = (
                f"The chunk with the answer was deduplicated: result {stays.rank} has the same text from another "
                f"place, so a reader still finds the answer."
            )
            return _ranked(
                case,
                chunk,
                Cause.REPEAT,
                sentence,
                "" if not case.config.search.deduplicate else "search.deduplicate=false",
            )
    return None


def _split(case: Case) -> Diagnosis | None:
    if case.holders or case.judged:
        return None
    ranks = [case.rank(chunk) for chunk in case.touching]
    places = first_names(["not found" if rank is None else f"rank {rank}" for rank in ranks], _MOST_RANKS)
    place, setting = for_split(case)
    cut = f"Chunk boundaries split the answer ({case.length:,} characters) into {len(ranks)} chunks{place}"
    sentence = f"{cut}. In reading order: {places}; {_counted(case)}."
    worst = max(case.touching, key=lambda chunk: case.rank(chunk) or len(case.result.candidates) + 1)
    return _ranked(case, worst, Cause.SPLIT, sentence, setting)


def _cut_off(case: Case) -> Diagnosis | None:
    """Diagnose truncation by the embedding model, which only matters if vector search was used.

    Full-text search reads a chunk to its end.
    """
    if case.judged:  # it was found
        return None
    best = case.holders[0]
    late = case.config.embedding.mode is EmbeddingMode.LATE
    if Flag.OVER_MODEL_LIMIT not in best.flags or late or "vector" not in case.result.weights:
        return None
    limit = counting_folder(case.config.embedding).content_tokens
    before = best.content[: case.span[0] - best.start]
    ahead = counter(case.config.embedding).count(f"{best.prefix}\n\n{before}" if best.prefix else before)
    if ahead < limit:
        return None
    sentence = (
        f"The model reads the first {limit:,} tokens of a chunk. The chunk with the answer has {best.token_count:,}, "
        f"and the answer begins after token {ahead:,}, so it is truncated. It {_place(case, best)}; {_counted(case)}."
    )
    return _ranked(case, best, Cause.CUT_OFF, sentence, for_cut_off(case, limit))


def _too_little_evidence(case: Case) -> Diagnosis | None:
    result = case.judged
    if result is None or result.evidence is None:
        return None
    own = result.evidence
    if result.trimmed:
        sentence = f"The answer was trimmed off result {result.rank}. {own.explanation}"
    else:
        sentence = f"Result {result.rank}, which contains the answer, was left out. {own.explanation}"
    rank = next((case.rank(chunk) for chunk in case.holders), None)
    legs = _legs(case, case.holders[0]) if case.holders else dict.fromkeys(case.result.weights)
    higher = tuple(one.chunk.chunk_id for one in case.shown[:_MOST_HIGHER])
    return Diagnosis(Cause.EVIDENCE, sentence, rank, legs, higher, for_evidence(case, result))


def _ranked_below(case: Case) -> Diagnosis:
    best = case.holders[0]
    sentence = f"The chunk with the answer {_place(case, best)}; {_counted(case)}."
    return _ranked(case, best, Cause.RANKED_BELOW, sentence, for_ranked_below(case, best))


def _counted(case: Case) -> str:
    """Return the clause that says how many results count: parents if the retrieval returns parents."""
    what = "parent" if MODES[case.result.retrieval].whole_parents else "result"
    return f"the first {case.n} {what}s count" if case.n > 1 else f"only the first {what} counts"


def _place(case: Case, chunk: Chunk) -> str:
    """Describe the rank of a chunk, overall and in each leg."""
    candidate, legs = case.candidate(chunk), _legs(case, chunk)
    if candidate is None:
        words = (
            f", neither {' nor '.join(_LEGS[name] for name in legs)}"
            if len(legs) > 1
            else f" {_LEGS[next(iter(legs))]}"
        )
        count = len(case.result.candidates)
        return f"is not among the {count:,} candidates{words}" if count != 1 else f"is not the one candidate{words}"
    each = [f"{_LEGS[name]} {'not found' if rank is None else rank}" for name, rank in legs.items()]
    return f"is at rank {candidate.rank} of {len(case.result.candidates)}" + (
        f" ({', '.join(each)})" if len(each) > 1 else ""
    )


def _legs(case: Case, chunk: Chunk) -> dict[str, int | None]:
    candidate = case.candidate(chunk)
    if candidate is None:
        return dict.fromkeys(case.result.weights)
    return {name: leg.rank for name, leg in candidate.legs.items()}


def _ranked(case: Case, chunk: Chunk, cause: Cause, sentence: str, setting: str) -> Diagnosis:
    higher = tuple(one.chunk.chunk_id for one in case.shown[:_MOST_HIGHER])
    return Diagnosis(cause, sentence, case.rank(chunk), _legs(case, chunk), higher, setting)


_CHECKS: tuple[tuple[Cause, Callable[[Case], Diagnosis | None]], ...] = (
    (Cause.NOT_IN_PARSE, _not_in_parse),
    (Cause.REPEAT, _repeat),
    (Cause.SPLIT, _split),
    (Cause.CUT_OFF, _cut_off),
    (Cause.EVIDENCE, _too_little_evidence),
    (Cause.RANKED_BELOW, _ranked_below),
)
"""In pipeline order, from the file to the result; the last check always applies."""
_ORDER = [cause for cause, _ in _CHECKS]
