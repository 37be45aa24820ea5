"""Packing against a plain, slow statement of what it does; and how little it looks at."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from chunking.splitting.measure.cut_places import Rank
from chunking.splitting.measure.token_positions import last_of_rank
from chunking.splitting.packing.size_and_overlap import CutPreference, Packer


class Watched(Sequence[int]):
    """A sequence that counts how often it is read."""

    def __init__(self, numbers: list[int]) -> None:
        self.numbers, self.reads = numbers, 0

    def __len__(self) -> int:
        return len(self.numbers)

    def __getitem__(self, at: int) -> int:  # type: ignore[override]
        self.reads += 1
        return self.numbers[at]


def packer(at: Sequence[int], ranks: list[int], room: int, overlap: int = 0) -> Packer:
    n = len(at)
    return Packer(
        at, at, [0] * n, [room], last_of_rank(np.array(ranks, np.int8)), overlap, [-1] * n, [], [], [], range(n)
    )


def slow(at: list[int], ranks: list[int], room: int, preference: CutPreference) -> list[int]:
    """The same, by looking at every place: no overlap, nothing kept whole."""
    ends, begin = [], 0
    while begin < len(at) - 1:
        fitting = [place for place in range(begin + 1, len(at)) if at[place] - at[begin] <= room] or [begin + 1]
        end = fitting[-1]
        if end < len(at) - 1:
            full = [place for place in fitting if at[place] - at[begin] >= int(room * preference.fill)]
            for rank in preference.ranks:
                good = [place for place in full if ranks[place] >= rank]
                if good:
                    end = good[-1]
                    break
        ends.append(end)
        begin = end
    return ends


steps = st.lists(st.tuples(st.integers(1, 12), st.sampled_from([int(rank) for rank in Rank])), min_size=1, max_size=60)


@settings(deadline=None)
@given(steps, st.integers(8, 60), st.sampled_from([0.0, 0.5]))
def test_packing_is_what_it_says(pieces: list[tuple[int, int]], room: int, fill: float) -> None:
    """Greedy, with the best-ranked place in the last part of what fits."""
    at = [0, *np.cumsum([length for length, _ in pieces]).tolist()]
    ranks = [*(rank for _, rank in pieces), int(Rank.SECTION)]
    preference = CutPreference((Rank.BLOCK, Rank.LINE, Rank.SENTENCE, Rank.WORD), fill)
    assert packer(at, ranks, room).pack([(0, len(at) - 1)], preference).after == slow(at, ranks, room, preference)


@settings(deadline=None)
@given(steps, st.integers(8, 60), st.integers(0, 59))
def test_overlap_is_an_upper_bound(pieces: list[tuple[int, int]], room: int, overlap: int) -> None:
    """Starts and ends strictly increase, nothing is left out, and no chunk shares more than was asked for."""
    at = [0, *np.cumsum([length for length, _ in pieces]).tolist()]
    ranks = [*(rank for _, rank in pieces), int(Rank.SECTION)]
    packed = packer(at, ranks, room, overlap).pack([(0, len(at) - 1)], CutPreference((Rank.SENTENCE,), 0.5))
    assert (packed.first[0], packed.after[-1]) == (0, len(at) - 1)
    assert packed.first == sorted(set(packed.first))
    assert packed.after == sorted(set(packed.after))
    for end, first in zip(packed.after, packed.first[1:], strict=False):
        assert 0 <= at[end] - at[first] <= overlap


def test_work_grows_with_chunks_not_with_text() -> None:
    """A hundred chunks of a text of 100,000 places are found by looking at a few thousand numbers."""
    at = Watched(list(range(100_001)))
    packed = packer(at, [int(Rank.WORD)] * 100_001, 1000).pack(
        [(0, 100_000)], CutPreference((Rank.BLOCK, Rank.WORD), 0.5)
    )
    assert len(packed.first) == 100
    assert at.reads < 100 * 30
