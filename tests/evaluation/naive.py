"""The metrics written down as sets of characters, as slow as they are plain: what the fast ones are held to."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from chunking.evaluation import AnswerSpan, Found, Measure, Score

Character = tuple[str, int]


def characters(doc_id: str, start: int, end: int) -> list[Character]:
    """The characters of a span, in order."""
    return [(doc_id, at) for at in range(start, end)]


def score(answers: Sequence[AnswerSpan], results: Sequence[Found], measure: Measure) -> Score:
    """Every metric from sets."""
    characters_of_answers = {one for answer in answers for one in characters(answer.doc_id, answer.start, answer.end)}
    rows = list(returned(results, measure))
    returned_characters = {one for _, some, _ in rows for one in some}
    size = sum(len(some) for _, some, _ in rows)
    got = characters_of_answers & returned_characters
    ranks = [rank for rank, some, _ in rows if characters_of_answers & set(some)]
    gain, covered = 0.0, set[Character]()
    for rank, some, _ in rows:
        gain += len((characters_of_answers & set(some)) - covered) / math.log2(1 + rank)
        covered |= set(some)
    shares = sorted(
        (
            len([one for one in characters_of_answers if one[0] == doc_id])
            for doc_id in {one[0] for one in characters_of_answers}
        ),
        reverse=True,
    )
    ideal = sum(share / math.log2(1 + rank) for rank, share in enumerate(shares[: measure.n], start=1))
    black = {
        (answer.doc_id, answer.start + at)
        for answer in answers
        for at, letter in enumerate(answer.text)
        if not letter.isspace()
    }
    first = results[: measure.n]
    counting = len(first) if measure.budget is None else max((rank for rank, _, _ in rows), default=0)
    return Score(
        recall=len(got) / len(characters_of_answers),
        precision=len(got) / size if size else 0.0,
        omega=0.0,
        iou=len(got) / (size + len(characters_of_answers - returned_characters)),
        hit=float(bool(got)),
        reciprocal_rank=1 / min(ranks) if ranks else 0.0,
        ndcg=gain / ideal,
        document_recall=len({one[0] for one in got}) / len({one[0] for one in characters_of_answers}),
        whole=float(bool(got) and black <= returned_characters),
        context_tokens=math.nan if counting else 0.0,
        tokens=sum(one.tokens for one in results[:counting])
        if measure.expanded
        else sum(tokens for _, _, tokens in rows),
    )


def returned(results: Sequence[Found], measure: Measure) -> Iterator[tuple[int, list[Character], float]]:
    """(rank, characters in order, tokens) of every run of text that is returned."""
    left, before = math.inf if measure.budget is None else float(measure.budget), set[Character]()
    for rank, one in enumerate(results[: measure.n], start=1):
        runs, each = [characters(one.doc_id or f"summary {rank}", one.start, one.end)], 0.0
        if measure.expanded and one.doc_id:
            runs = list(_fresh(characters(one.doc_id, min(one.first, one.start), max(one.last, one.end)), before))
            each = one.tokens / max(one.end - one.start, 1)
        for run in runs:
            before |= set(run)
            tokens = each * len(run) if measure.expanded and one.doc_id else float(one.tokens)
            if tokens > left:
                kept = run[: int(len(run) * left / tokens)]
                if kept:
                    yield rank, kept, left
                return
            left -= tokens
            yield rank, run, tokens


def _fresh(run: list[Character], before: set[Character]) -> Iterator[list[Character]]:
    """The parts of a passage that were not returned before."""
    part: list[Character] = []
    for one in run:
        if one in before:
            if part:
                yield part
            part = []
        else:
            part.append(one)
    if part:
        yield part


def omega(answers: Sequence[AnswerSpan], chunks: Sequence[tuple[str, int, int]]) -> float:
    """Precision if the chunks that touch an answer were returned."""
    characters_of_answers = {one for answer in answers for one in characters(answer.doc_id, answer.start, answer.end)}
    touching = [some for some in (characters(*chunk) for chunk in chunks) if characters_of_answers & set(some)]
    size = sum(map(len, touching))
    return len(characters_of_answers & {one for some in touching for one in some}) / size if size else 0.0
