"""An answer that a language model writes from the context of a search, sentence by sentence as it comes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from chunking.errors import QueryError
from chunking.retrieval.answers.answer_prompt import ANSWER_TOKENS, SYSTEM, user_prompt
from chunking.retrieval.answers.citation_check import Check, check_sentence
from chunking.retrieval.answers.cited_sentences import CitedSentence, cited_sentences
from chunking.retrieval.results.search_result import ContextSource, SearchResult

if TYPE_CHECKING:
    from chunking.llm import Client

__all__ = ["CheckedSentence", "GeneratedAnswer", "checked", "stream_answer"]


@dataclass(frozen=True, slots=True)
class CheckedSentence:
    """A sentence of an answer."""

    sentence: CitedSentence
    check: Check | None
    """None while it is still coming."""


@dataclass(frozen=True, slots=True)
class GeneratedAnswer:
    """An answer, or as much of it as has come."""

    text: str
    """As the model wrote it. It is data: shown as text, never as markup."""
    sentences: tuple[CheckedSentence, ...]
    done: bool
    cut: bool = False
    """It ended at the most tokens that an answer may have."""


def stream_answer(found: SearchResult, client: Client, *, max_tokens: int = ANSWER_TOKENS) -> Iterator[GeneratedAnswer]:
    """Ask a language model the query of a search, with its context and nothing else; give the answer so far with each
    piece that comes.

    Nothing is asked before the first step; closing the iterator ends the request. The last answer is `done`. Sentences
    are checked
    (`check_sentence`) as soon as the next one has begun.

    Raises:
        QueryError: the search found nothing to answer from.
        EndpointError, Cancelled: as `Client.stream`; what came before stays as it was given.
    """
    sources = found.context.sources
    if not sources:
        raise QueryError(
            "The context holds no passage to answer from; search for something else, or raise the context budget."
        )
    done: dict[CitedSentence, Check] = {}
    text, cut = "", False
    for written in client.stream(SYSTEM, user_prompt(found.query, found.context), max_tokens=max_tokens):
        if written.text != text:
            text = written.text
            yield GeneratedAnswer(text, _checked(text, sources, done, open_end=True), done=False)
        cut = cut or written.cut
    yield GeneratedAnswer(text, _checked(text, sources, done), done=True, cut=cut)


def checked(text: str, sources: tuple[ContextSource, ...]) -> tuple[CheckedSentence, ...]:
    """The sentences of a whole answer, each held against the passages that it cites."""
    return _checked(text, sources, {})


def _checked(
    text: str, sources: tuple[ContextSource, ...], known: dict[CitedSentence, Check], *, open_end: bool = False
) -> tuple[CheckedSentence, ...]:
    """
    Args:
        known: checks that were made; those of this text are added.
        open_end: the last sentence is still coming, and is not checked.
    """
    sentences = cited_sentences(text)
    ready = sentences[:-1] if open_end else sentences
    for one in ready:
        if one not in known:
            known[one] = check_sentence(one, sources)
    return tuple(
        CheckedSentence(one, known[one] if place < len(ready) else None) for place, one in enumerate(sentences)
    )
