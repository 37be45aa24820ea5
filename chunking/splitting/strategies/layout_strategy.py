"""Chunks as the source lays them out: its pages, or the elements that its parser found."""

from __future__ import annotations

from collections.abc import Sequence

from chunking.model import Block, Location
from chunking.splitting.packing.chunk_columns import ChunkColumns
from chunking.splitting.packing.split_inputs import SplitInputs
from chunking.splitting.strategies.split_at_places import split_at
from chunking.splitting.strategies.splitter_contract import CannotSplitError

__all__ = ["elements", "pages"]


def pages(job: SplitInputs) -> ChunkColumns:
    """A chunk a page, slide or sheet; one that is too long is cut as a section is.

    Blocks that stay whole stand on the page on which they begin.
    """
    places = job.document.locations
    if not places:
        raise CannotSplitError("it has no pages")
    return split_at(
        job, _places(job, [one for number, one in enumerate(places) if number and one.page != places[number - 1].page])
    )


def elements(job: SplitInputs) -> ChunkColumns:
    """A chunk for each parsed element: what has a box on a page, else each block; cut where it is too long."""
    boxed = [place for place in job.document.locations if place.bbox is not None]
    return split_at(job, _places(job, boxed or job.document.blocks))


def _places(job: SplitInputs, spans: Sequence[Location | Block]) -> list[int]:
    places: list[int] = job.marks.places_of([span.start for span in spans]).tolist()
    return places
