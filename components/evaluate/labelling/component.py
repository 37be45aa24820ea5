"""Browser component that shows a query with its pooled passages and returns the verdict."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from chunking.evaluation import AnswerSpan, PooledPassage, sentence_spans
from chunking.model import Document, Span
from components.kit.browser import component

__all__ = ["LabelVerdict", "ShownPassage", "labelling_board", "shown_passages"]

_board = component("labelling")


@dataclass(frozen=True, slots=True)
class ShownPassage:
    """A pooled passage with the sentences that can be marked."""

    passage: PooledPassage
    title: str
    """Document title and headings; never the configuration that retrieved the passage."""
    text: str
    sentences: tuple[Span, ...]
    """Offsets in characters of the document."""

    def pieces(self) -> list[list[Any]]:
        """Return [text, sentence number] pairs in order; the number is None between sentences."""
        at, pieces = self.passage.start, list[list[Any]]()
        for number, span in enumerate(self.sentences):
            if at < span.start:
                pieces.append([self._slice(at, span.start), None])
            pieces.append([self._slice(span.start, span.end), number])
            at = span.end
        return pieces

    def _slice(self, start: int, end: int) -> str:
        return self.text[start - self.passage.start : end - self.passage.start]


@dataclass(frozen=True, slots=True)
class LabelVerdict:
    """The user's verdict on a query: marked sentences, accepted proposals, dismissed passages.

    Numbers that are out of range are already removed.
    """

    marks: tuple[tuple[int, int], ...] = ()
    """(passage, sentence) of each mark."""
    accepted: tuple[int, ...] = ()
    """Numbers of the accepted proposals."""
    dismissed: tuple[int, ...] = ()
    """Numbers of the passages marked as not relevant."""


def shown_passages(passages: Sequence[PooledPassage], document_of: Callable[[str], Document]) -> list[ShownPassage]:
    """Add to each passage its title (of document and headings), its text and its sentence spans.

    Args:
        document_of: returns a document by id; its errors are passed on.
    """
    shown = []
    for one in passages:
        of = document_of(one.doc_id)
        inside = [section for section in of.sections if section.start <= one.start < section.end]
        path = max(inside, key=lambda section: section.start).title_path if inside else ()
        title = " › ".join(dict.fromkeys([of.title, *path]))
        shown.append(
            ShownPassage(one, title, of.text[one.start : one.end], tuple(sentence_spans(of, one.start, one.end)))
        )
    return shown


def labelling_board(
    *,
    key: str,
    turn: int,
    query: str,
    facts: str,
    shown: Sequence[ShownPassage],
    proposals: Sequence[tuple[int, AnswerSpan]],
    note: str,
    can_undo: bool,
    can_propose: bool,
    height: int,
    on: Mapping[str, Callable[[LabelVerdict], None]],
) -> None:
    """Draw the query with its passages; a key or click calls one of `on` before the page reruns.

    Args:
        turn: number of this query; verdicts sent for an earlier turn are ignored.
        facts: line under the query.
        proposals: (passage number, quote) of each proposal.
        note: sentence in the status line.
        on: action, such as `saved` or `skipped`, to its callback.
    """

    def handler(act: Callable[[LabelVerdict], None]) -> Callable[[Any], None]:
        def handle(said: Any) -> None:
            if isinstance(said, dict) and said.get("turn") == turn:
                act(_verdict(said, shown, len(proposals)))

        return handle

    data = {
        "turn": turn,
        "query": query,
        "facts": facts,
        "passages": [{"title": one.title, "pieces": one.pieces()} for one in shown],
        "proposals": [{"passage": place, "quote": " ".join(answer.text.split())} for place, answer in proposals],
        "note": note,
        "canUndo": can_undo,
        "canPropose": can_propose,
        "height": height,
    }
    _board(key=key, data=data, on={kind: handler(act) for kind, act in on.items()})


def _verdict(said: Mapping[str, Any], shown: Sequence[ShownPassage], proposals: int) -> LabelVerdict:
    marks = {
        (one[0], one[1])
        for one in _listed(said.get("marks"))
        if isinstance(one, list) and len(one) == 2 and all(map(_is_integer, one))
    }
    return LabelVerdict(
        tuple(
            sorted(
                (place, number)
                for place, number in marks
                if 0 <= place < len(shown) and 0 <= number < len(shown[place].sentences)
            )
        ),
        tuple(sorted({one for one in _listed(said.get("accepted")) if _is_integer(one) and 0 <= one < proposals})),
        tuple(sorted({one for one in _listed(said.get("dismissed")) if _is_integer(one) and 0 <= one < len(shown)})),
    )


def _listed(said: Any) -> list[Any]:
    return said if isinstance(said, list) else []


def _is_integer(said: Any) -> bool:
    return isinstance(said, int) and not isinstance(said, bool)
