"""Pooling from sums: any span, also parts of units, and as bytes."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunking.embedding import Encoding
from chunking.embedding.late.document_encoding import unit_length

WIDTH = 6


def encoding_of(units: int = 20, *, edge_tokens: float = 2.0, seed: int = 1) -> Encoding:
    """Units of 10 characters with a space between, one token a character."""
    chance = np.random.default_rng(seed)
    starts = np.arange(units, dtype=np.int32) * 11
    means = (chance.normal(size=(units, WIDTH)) + 3).astype(np.float16)
    edge = chance.normal(size=WIDTH).astype(np.float32)
    return Encoding(starts, starts + 10, np.full(units, 10, np.int32), means, edge, edge_tokens)


def exactly(encoding: Encoding, start: int, end: int) -> np.ndarray:
    """The same, character by character."""
    total = encoding.edge * encoding.edge_tokens
    for first, after, mean in zip(encoding.starts, encoding.ends, encoding.means.astype(np.float32), strict=True):
        total = total + mean * max(min(end, after) - max(start, first), 0)
    return total / np.linalg.norm(total)


def span(encoding: Encoding, start: int, end: int) -> np.ndarray:
    return encoding.pool(np.array([start]), np.array([end]))[0]


@given(st.integers(0, 225), st.integers(0, 225))
def test_any_span_is_the_mean_of_its_tokens(start: int, end: int) -> None:
    """Units as a whole, and parts of units by their share."""
    start, end = min(start, end), max(start, end)
    encoding = encoding_of()
    assert np.allclose(span(encoding, start, end), exactly(encoding, start, end), atol=1e-5)


def test_spans_are_pooled_together_as_alone() -> None:
    """Chunks that overlap, of several sizes, in one call."""
    encoding = encoding_of()
    spans = np.array([(0, 50), (0, 219), (30, 80), (45, 46)])
    together = encoding.pool(spans[:, 0], spans[:, 1])
    assert together.shape == (4, WIDTH)
    assert together.dtype == np.float32
    assert np.allclose(together, [span(encoding, *one) for one in spans.tolist()], atol=1e-6)
    assert np.allclose(np.linalg.norm(together, axis=1), 1.0, atol=1e-5)


def test_running_sums_stay_exact_in_a_long_document() -> None:
    """The last of 200,000 units, whose running sum would be in the millions without the mean taken out."""
    encoding = encoding_of(200_000, edge_tokens=0.0)
    last = int(encoding.ends[-1])
    assert np.allclose(span(encoding, last - 10, last), exactly(made_tail(encoding), last - 10, last), atol=1e-3)


def made_tail(encoding: Encoding) -> Encoding:
    """Only its last two units."""
    parts = (part[-2:] for part in (encoding.starts, encoding.ends, encoding.tokens, encoding.means))
    return Encoding(*parts, encoding.edge, encoding.edge_tokens)


def test_large_states_do_not_overflow() -> None:
    """32 states of 5,000: their sum is beyond float16, their mean is not."""
    means = np.full((1, WIDTH), 5000, np.float16)
    ends = np.array([40], np.int32)
    encoding = Encoding(ends - 40, ends, np.array([32], np.int32), means, np.zeros(WIDTH, np.float32), 0.0)
    assert np.allclose(span(encoding, 0, 40), np.full(WIDTH, WIDTH**-0.5), atol=1e-5)


def test_a_span_without_tokens_has_the_vector_of_what_stands_around_it() -> None:
    """Nothing is divided by nothing, also in an empty document."""
    encoding, nothing = encoding_of(), np.zeros(0, np.int32)
    empty = Encoding(nothing, nothing, nothing, np.zeros((0, WIDTH), np.float16), encoding.edge, 2.0)
    edge = unit_length(encoding.edge[None])[0]
    assert np.allclose(span(encoding, 10, 11), edge, atol=1e-5)
    assert np.allclose(span(empty, 0, 0), edge, atol=1e-6)
    assert encoding.pool(nothing, nothing).shape == (0, WIDTH)


@pytest.mark.parametrize("units", [0, 1, 20])
def test_bytes_and_back(units: int) -> None:
    """Everything, to the last bit."""
    encoding = encoding_of(units)
    again = Encoding.from_bytes(encoding.to_bytes())
    for name in ("starts", "ends", "tokens", "means", "edge"):
        assert np.array_equal(getattr(encoding, name), getattr(again, name)), name
    assert again.edge_tokens == encoding.edge_tokens
    assert np.array_equal(span(again, 3, 40), span(encoding, 3, 40))


@pytest.mark.parametrize(
    "data", [b"", b"CSLE1\n", b"something else", encoding_of().to_bytes()[:-1], encoding_of().to_bytes() + b"x"]
)
def test_bytes_that_are_no_encoding_are_refused(data: bytes) -> None:
    """A row that was cut short is not taken for vectors."""
    with pytest.raises(ValueError, match="encode the document again"):
        Encoding.from_bytes(data)
