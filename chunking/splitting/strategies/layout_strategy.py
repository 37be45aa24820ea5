"""Chunks as the source lays them out: its pages, or the elements that its parser found."""

from __future__ import annotations

from collections.abc import Sequence

from chunking.model import Block, Location
from chunking.splitting.packing.chunk_columns import ChunkColumns
from chunking.splitting.packing.split_inputs import SplitInputs
from chunking.splitting.strategies.split_at_places import split_at
from chunking.splitting.strategies.splitter_contract import CannotSplitError

__all__ = ["elements", "pages"]


def pages(inputs: SplitInputs) -> ChunkColumns:
    """A chunk a page, slide or sheet; one that is too long is cut as a section is.

    Blocks that stay whole stand on the page on which they begin.
    """
    places = inputs.document.locations
    if not places:
        raise CannotSplitError("it has no pages")
    return split_at(
        inputs,
        _places(inputs, [one for number, one in enumerate(places) if number and one.page != places[number - 1].page]),
    )


def elements(inputs: SplitInputs) -> ChunkColumns:
    """A chunk for each parsed element: what has a box on a page, else each block; cut where it is too long."""
    boxed = [place for place in inputs.document.locations if place.bbox is not None]
    return split_at(inputs, _places(inputs, boxed or inputs.document.blocks))


def _places(inputs: SplitInputs, spans: Sequence[Location | Block]) -> list[int]:
    places: list[int] = inputs.marks.places_of([span.start for span in spans]).tolist()
    return places
