"""Arithmetic of millions of documents: what grows, and how fast."""

from __future__ import annotations

from dataclasses import replace

import pytest

from benchmarks.growth.on_paper import RATES, Assumptions, Estimate, paper_table, rates_table

MILLION = 1e6


def test_embedding_is_tokens_by_speed() -> None:
    """The sum that the page shows: a million chunks of 128 tokens."""
    one = Estimate(MILLION / RATES["chunks"].value)
    assert one.chunks == 1
    assert one.embedding == pytest.approx(MILLION * 128 / 3_400 / 3_600)


def test_only_the_vector_index_grows_faster_than_the_documents() -> None:
    ten, hundred = Estimate(10 * MILLION), Estimate(100 * MILLION)
    assert hundred.spread == pytest.approx(10 * ten.spread)
    assert hundred.disk == pytest.approx(10 * ten.disk)
    assert hundred.training == pytest.approx(10 * ten.training)
    assert hundred.vector_index == pytest.approx(10**1.5 * ten.vector_index)


def test_machines_are_the_fewest_that_end_in_time() -> None:
    one = Estimate(10 * MILLION)
    assert one.hours <= one.chosen.hours < one.hours_on(one.machines - 1)


def test_a_build_that_cannot_end_in_time_has_a_number_of_machines_too() -> None:
    """The indexes alone take longer: eight machines make them, however many there are."""
    one = Estimate(3_000 * MILLION)
    assert one.hours > one.chosen.hours
    assert one.machines > one.chosen.segments


def test_the_price_is_a_factor() -> None:
    cheap, dear = (Estimate(10 * MILLION, replace(Assumptions(), price=price)) for price in (0.02, 0.08))
    assert dear.dollars_an_hour == pytest.approx(4 * cheap.dollars_an_hour)


def test_every_rate_says_where_it_comes_from() -> None:
    lines = rates_table().splitlines()
    assert len(lines) == 2 + len(RATES) + 5
    assert all("**" in line for line in lines[2:])


def test_every_row_has_its_arithmetic_and_a_figure_for_each_number() -> None:
    rows = [line.split("|")[1:-1] for line in paper_table([MILLION, 5 * MILLION, 50 * MILLION]).splitlines()]
    assert {len(row) for row in rows} == {5}
    assert all(cell.strip() for row in rows for cell in row)
