"""Two ways of splitting one text: which boundaries both have."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from chunking.config import ChunkConfig
from chunking.parsing import parse
from chunking.splitting import Chunker, TokenCounter, compare_boundaries, new_text

TEXT = "One two. Three four.\n\nFive 😀 six. 第七句。"


@dataclass(frozen=True)
class Cut:
    """Chunks by hand."""

    starts: NDArray[np.int32]
    ends: NDArray[np.int32]


def cut(*pieces: tuple[str, str]) -> Cut:
    """Chunks of TEXT from one word to the end of another."""
    spans = [(TEXT.index(first), TEXT.index(last) + len(last)) for first, last in pieces]
    return Cut(*np.array(spans, np.int32).reshape(-1, 2).T)


def words(offsets: NDArray[np.int32]) -> list[str]:
    """What begins there."""
    return [TEXT[at:].split()[0] for at in offsets.tolist()]


def test_an_overlap_moves_no_boundary() -> None:
    """Nor does white space, as a splitter leaves it at the end of a chunk."""
    plain = cut(("One", "two."), ("Three", "four."), ("Five", "six."))
    overlapping = cut(("One", "two. "), ("two.", "four.\n"), ("Three", "six."))
    assert words(new_text(TEXT, plain)) == words(new_text(TEXT, overlapping)) == ["One", "Three", "Five"]
    compared = compare_boundaries(new_text(TEXT, plain), new_text(TEXT, overlapping))
    assert words(compared.shared) == ["Three", "Five"]
    assert not len(compared.only_a)
    assert not len(compared.only_b)


def test_each_boundary_is_told_to_whom_it_belongs() -> None:
    """The beginning of the text is none, and text in no chunk makes none of its own."""
    a, b = cut(("One", "two."), ("Three", "four."), ("Five", "six.")), cut(("One", "four."), ("six", "。"))
    compared = compare_boundaries(new_text(TEXT, a), new_text(TEXT, b))
    assert (words(compared.shared), words(compared.only_a), words(compared.only_b)) == ([], ["Three", "Five"], ["six."])


def test_no_chunk_has_no_boundary() -> None:
    nothing = new_text(TEXT, cut())
    compared = compare_boundaries(nothing, new_text(TEXT, cut(("One", "six."))))
    assert [len(some) for some in (nothing, compared.shared, compared.only_a, compared.only_b)] == [0, 0, 0, 0]


@given(size=st.integers(16, 60), other=st.integers(16, 60), overlap=st.integers(0, 15))
def test_the_boundaries_are_those_of_both(counter: TokenCounter, size: int, other: int, overlap: int) -> None:
    """Whatever the settings: shared and own ones add up to each side's, as sets do."""
    text = "\n\n".join(
        f"## Part {n}\n\nA sentence of part {n}, which is short. And one more. 中文句子。" for n in range(8)
    )
    chunker = Chunker(parse(text.encode(), "a.md"), counter)
    cuts = [
        chunker.boundaries(ChunkConfig(size=size, overlap=str(overlap))),
        chunker.boundaries(ChunkConfig(size=other)),
    ]
    a, b = (new_text(text, one) for one in cuts)
    compared = compare_boundaries(a, b)
    assert set(compared.shared.tolist()) == set(a[1:].tolist()) & set(b[1:].tolist())
    assert sorted([*compared.shared.tolist(), *compared.only_a.tolist()]) == a[1:].tolist()
    assert sorted([*compared.shared.tolist(), *compared.only_b.tolist()]) == b[1:].tolist()
    for mine, one in ((a, cuts[0]), (b, cuts[1])):
        assert len(mine) == len(one)
        assert (np.diff(mine) > 0).all()
        assert all(not text[at].isspace() for at in mine.tolist())
