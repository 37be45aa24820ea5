"""Whether numbers count on."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunking.parsing.headings.numbered_levels import NumberStep, follows, steps_of
from chunking.parsing.headings.numbering import Numbering, NumberingKind, numbering_of

CHAINS = [
    ("1 A|1.1 B|1.2 C|2 D|2.1 E", "NNNNN"),
    ("1 A|1.1 B|14 Dwarfs|1.2 C|2 D", "NNBNN"),
    ("1 A|2 B|4 C|5 D", "NNGN"),
    ("Article 1|Article 2|Article 1|Article 2|Article 3", "NNRNN"),
    ("2.3.59.1 A|2.3.59.1.1 B|2.3.59.1.2 C|2.3.59.2 D", "NNNN"),
    ("Part I|1 A|Part II|2 B", "NNNN"),
    ("Item 1 A|Item 1A B|Item 2 C", "NNN"),
    ("Title|1 A|Note|2 B", "BNBN"),
    ("3 Methods|3.1 Lenses|4 Results", "GNN"),
]


@pytest.mark.parametrize(("labels", "steps"), CHAINS, ids=[row[0] for row in CHAINS])
def test_numbers_form_chains_with_gaps_and_restarts(labels: str, steps: str) -> None:
    """N: the next; G: after a gap; R: begins anew; B: breaks the order, or has no number."""
    assert "".join(step.name[0] for step in steps_of([numbering_of(one) for one in labels.split("|")])) == steps


numbers = st.lists(st.integers(0, 4), min_size=1, max_size=4).map(tuple)


@given(st.lists(numbers, max_size=30))
def test_a_chain_goes_forward(candidates: list[tuple[int, ...]]) -> None:
    """From one member to the next the numbers grow, unless they begin anew; what is called the next follows on."""
    steps = steps_of([Numbering(NumberingKind.DECIMAL, one, "") for one in candidates])
    before: tuple[int, ...] | None = None
    for one, step in zip(candidates, steps, strict=True):
        if step is NumberStep.BREAK:
            continue
        assert before is None or one > before or step is NumberStep.RESTART
        assert step is not NumberStep.NEXT or (follows(before, one) if before is not None else one[-1] <= 1)
        before = one
    assert not candidates or before is not None


def test_many_numbers_are_compared_with_few() -> None:
    """Ten thousand that all count down: no chain, and no square of comparisons."""

    class Counting(tuple[int, ...]):
        compared = 0

        def __lt__(self, other: tuple[int, ...]) -> bool:
            Counting.compared += 1
            return tuple(self) < tuple(other)

    steps = steps_of([Numbering(NumberingKind.DECIMAL, Counting((n,)), "") for n in range(10_000, 0, -1)])
    assert steps.count(NumberStep.BREAK) == len(steps) - 1
    assert Counting.compared < 100 * len(steps)
