"""Table of retrieval modes: ranking, results, and texts about each.

| mode | searches | shows |
|---|---|---|
| chunk | chunks | the chunks |
| parent | chunks | their parents, with the best child's score |
| merge | chunks | parents if enough of their chunks are hits, else the chunks |
| hierarchical | chunks and summaries together, or summaries first and then the chunks under the best | the hits |
| multi_granularity | chunks of every size | the smallest, with a share of their larger chunks' scores |

A row has all texts and functions of a mode; its name and label are in `config.choices`, where the setting reads them.
Search, form, live recall, failure analysis and export read the row. Each mode takes the same number of storage calls
for one result as for two hundred (law 8).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from chunking.config import Retrieval, SearchConfig
from chunking.config.choices import TreeSearch
from chunking.model import PARENT, larger_level
from chunking.plugins import RETRIEVAL_MODES, installed_rows
from chunking.retrieval.modes.mode_ranking import SUMMARIES, rank_chunks, rank_levels, rank_sizes
from chunking.retrieval.modes.mode_results import merged_results, own_results, parent_results

if TYPE_CHECKING:
    from chunking.retrieval.leg_search import LegSearch
    from chunking.retrieval.query.query import Query
    from chunking.retrieval.ranking.ranked import Ranked
    from chunking.retrieval.ranking.readability import Weighing
    from chunking.retrieval.results.result_items import ShownResult
    from chunking.retrieval.search_trace import Trace
    from chunking.store import Neighbours

__all__ = ["MODES", "RetrievalMode", "register_mode", "setting_applies"]


def _never(_config: SearchConfig) -> bool:
    return False


def _always(_config: SearchConfig) -> bool:
    return True


@dataclass(frozen=True, slots=True, kw_only=True)
class RetrievalMode:
    """A retrieval mode: how it ranks and what it shows, its settings, levels and texts about it."""

    name: Retrieval
    """Name, with its label and its line in the help text of the setting."""
    good_for: str
    """Line about the results of the mode and the questions it suits."""
    rank: Callable[[LegSearch, Weighing], Ranked]
    """Function that searches and returns the candidates, best first."""
    show: Callable[[Query, Trace, Ranked], tuple[list[ShownResult], Neighbours]]
    """Function that makes results of the candidates and reads their neighbours, in one storage call."""
    live_gap: str
    """Sentence about what live recall does not simulate; empty if it simulates the mode."""
    export_gap: str
    """What the exported script shows instead; empty if it implements the mode."""
    settings: tuple[str, ...] = ()
    """Names of search settings that apply only to modes that list them."""
    depends_on_k: Callable[[SearchConfig], bool] = _never
    """Function that returns True if the first results depend on the number requested."""
    larger_scores: bool = False
    """True if a chunk's score includes a share of the scores of larger chunks that contain it."""
    whole_parents: bool = False
    """True if every result is a parent."""
    levels: frozenset[str] = frozenset()
    """Levels of which an index needs at least one; empty: any index is suitable."""
    lacking: str = ""
    """Message for the screen if the index has none of the levels.

    It names the substitute, and what to set before building again.
    """
    instead: str = ""
    """Note of a search that used chunks because the index has none of the levels; may be empty."""

    @property
    def label(self) -> str:
        """Name of the mode on screen."""
        return self.name.label

    def lacks(self, levels: Collection[str]) -> str:
        """Return the message for an index without any of the mode's levels; empty if it has one.

        Empty, too, for a mode that needs no level of its own.

        >>> MODES[Retrieval.CHUNK].lacks({"chunk"}), MODES[Retrieval.MULTI_GRANULARITY].lacks({"chunk", "x2"})
        ('', '')
        >>> MODES[Retrieval.HIERARCHICAL].lacks({"chunk"})[:18]
        'holds no summaries'
        """
        return "" if not self.levels or self.levels & set(levels) else self.lacking


_NO_PARENTS = (
    "has no parents, so whole sections are used: set a Parent size on the Chunks page (600, say) and build it "
    "again for smaller ones"
)

_ROWS: Sequence[RetrievalMode] = (
    RetrievalMode(
        name=Retrieval.CHUNK,
        good_for=("The found chunks as they are: exact and short. For questions with one short answer."),
        rank=rank_chunks,
        show=own_results,
        live_gap="",
        export_gap="",
    ),
    RetrievalMode(
        name=Retrieval.PARENT,
        good_for=(
            "Searches small chunks and returns the parents around them: small pieces are easy to find, larger "
            "ones good to read."
        ),
        rank=rank_chunks,
        show=parent_results,
        live_gap="",
        export_gap="chunks are shown",
        depends_on_k=_always,
        whole_parents=True,
        levels=frozenset({PARENT}),
        lacking=_NO_PARENTS,
    ),
    RetrievalMode(
        name=Retrieval.MERGE,
        good_for=("A parent replaces its chunks once enough of them were found: for answers that span several chunks."),
        rank=rank_chunks,
        show=merged_results,
        live_gap="Auto-merging is not simulated: live results are the chunks before it.",
        export_gap="chunks are shown",
        settings=("merge_share",),
        depends_on_k=_always,
        levels=frozenset({PARENT}),
        lacking=_NO_PARENTS,
    ),
    RetrievalMode(
        name=Retrieval.HIERARCHICAL,
        good_for=(
            "Searches the summary tree along with the chunks (summaries of sections, documents and clusters): "
            "for broad questions."
        ),
        rank=rank_levels,
        show=own_results,
        live_gap="Summaries are not simulated: live results are chunks.",
        export_gap="chunks are shown",
        settings=("tree",),
        depends_on_k=lambda config: config.tree is TreeSearch.TOP_DOWN,
        levels=frozenset(SUMMARIES),
        lacking=(
            "holds no summaries, so only chunks are searched: turn on Summaries or RAPTOR summary tree on "
            "the Index page and build it again"
        ),
        instead=(
            "This index has no summaries, so chunks were searched; build it with enrich.summaries or "
            "enrich.raptor to search them."
        ),
    ),
    RetrievalMode(
        name=Retrieval.MULTI_GRANULARITY,
        good_for=(
            "A chunk also scores through the larger chunks that contain it (small-to-big): for facts that only "
            "make sense in context."
        ),
        rank=rank_sizes,
        show=own_results,
        live_gap="",
        export_gap="",
        settings=("granularity_weight",),
        larger_scores=True,
        levels=frozenset(map(larger_level, range(2, 9))),
        lacking=(
            "holds one granularity, so only chunks are searched: choose Granularities on the Chunks page (2 "
            "and 4, say) and build it again"
        ),
        instead=(
            "This index has one granularity only, so chunks were searched; build it with chunk.granularities=2,4 "
            "to search several."
        ),
    ),
)
_BY_NAME = {row.name: row for row in _ROWS}
_registered: dict[Retrieval, RetrievalMode] = {}


class _Modes(Mapping[Retrieval, RetrievalMode]):
    """Mapping over all rows that loads those of installed packages on demand, as they import this module."""

    def __getitem__(self, name: Retrieval) -> RetrievalMode:
        return _BY_NAME.get(name) or _all_rows()[name]

    def __iter__(self) -> Iterator[Retrieval]:
        return iter(_all_rows())

    def __len__(self) -> int:
        return len(_all_rows())


def _all_rows() -> dict[Retrieval, RetrievalMode]:
    return {**_BY_NAME, **{row.name: row for row in installed_rows(RETRIEVAL_MODES)}, **_registered}


MODES: Mapping[Retrieval, RetrievalMode] = _Modes()
"""Retrieval modes by name.

Modes of the library, of installed packages (entry points of `chunkscope.retrieval_modes`), and of `register_mode`.

Raises:
    ConfigError: a row of an installed package cannot be loaded.
"""


def register_mode(row: RetrievalMode) -> Callable[[], None]:
    """Add a retrieval mode to this process; returns a function that removes it.

    Its name is made with `Retrieval.outside(name, label, line)`; the setting `search.retrieval` then accepts it.
    Evaluation runs and sweeps are processes of their own: a mode for them is named by an entry point of
    `chunkscope.retrieval_modes`.
    """
    forget = row.name.add()
    _registered[row.name] = row

    def undo() -> None:
        _registered.pop(row.name, None)
        forget()

    return undo


def setting_applies(name: str, config: SearchConfig) -> bool:
    """True if a search setting applies in the configured mode; settings no mode lists always do.

    >>> setting_applies("tree", SearchConfig()), setting_applies("tree", SearchConfig(retrieval="hierarchical"))
    (False, True)
    """
    return name in MODES[config.retrieval].settings or not any(name in row.settings for row in MODES.values())
