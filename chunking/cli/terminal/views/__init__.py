"""Table of the functions that draw each command's records as lines.

The functions are pure and imported only when something is drawn.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from chunking.cli.terminal.look import TerminalLook

    Draw = Callable[[Sequence[dict[str, Any]], TerminalLook], Iterator[str]]

__all__ = ["VIEWS", "View", "find_view"]


@dataclass(frozen=True, slots=True)
class View:
    """Command and the function that draws its records."""

    command: str
    load: Callable[[], Draw]
    """Imports the function that turns sanitised records into lines without line ends."""
    key: str = ""
    """Field by which consecutive records are grouped into one drawing; empty: one drawing per record."""


def _document() -> Draw:
    from chunking.cli.terminal.views.document_views import draw_documents

    return draw_documents


def _chunks() -> Draw:
    from chunking.cli.terminal.views.document_views import draw_chunks

    return draw_chunks


def _hits() -> Draw:
    from chunking.cli.terminal.views.hits import draw_hits

    return draw_hits


def _evaluation() -> Draw:
    from chunking.cli.terminal.views.evaluation import draw_evaluation

    return draw_evaluation


def _leaderboard() -> Draw:
    from chunking.cli.terminal.views.evaluation import draw_leaderboard

    return draw_leaderboard


def _comparison() -> Draw:
    from chunking.cli.terminal.views.evaluation import draw_comparison

    return draw_comparison


def _step() -> Draw:
    from chunking.cli.terminal.views.demo_steps import draw_step

    return draw_step


def _snapshots() -> Draw:
    from chunking.cli.terminal.views.listings import draw_snapshots

    return draw_snapshots


def _listing(command: str) -> Draw:
    from chunking.cli.terminal.views.listings import LISTINGS, draw_listing

    return draw_listing(LISTINGS[command])


def _outcome(command: str) -> Draw:
    from chunking.cli.terminal.views.outcomes import OUTCOMES, draw_outcome

    return draw_outcome(OUTCOMES[command])


VIEWS: tuple[View, ...] = (
    View("parse", _document),
    View("chunk", _chunks, key="doc_id"),
    View("search", _hits),
    View("evaluate", _evaluation),
    View("sweep", _leaderboard),
    View("compare", _comparison),
    View("demo", _step),
    View("snapshot", _snapshots),
    *(View(name, partial(_listing, name)) for name in ("documents", "indexes", "models", "configurations", "users")),
    *(View(name, partial(_outcome, name)) for name in ("index", "delete", "save", "open", "backup", "restore")),
    *(View(name, partial(_outcome, name)) for name in ("compact", "export", "write", "candidate", "sample")),
)
"""Commands without a view print text for people in any case."""


def find_view(command: str) -> View | None:
    """Return the view of a command; None if it has none."""
    return next((view for view in VIEWS if view.command == command), None)
