"""The one place that holds the product's sentences and labels: what has changed in them is shown, and taken over by
`make wording`.
"""

from __future__ import annotations

import difflib
import json

from tests.support.wording import SNAPSHOT, literals, quotations, runs, wording


def lines(texts: dict[str, list[str]]) -> list[str]:
    """A line a text, under its module."""
    return [line for module, rows in texts.items() for line in (module, *(f"    {text!r}" for text in rows))]


def test_the_wording_is_that_of_the_snapshot() -> None:
    """A change of wording is seen in review as a change of wording, and breaks no other test."""
    kept = json.loads(SNAPSHOT.read_text(encoding="utf-8"))
    changes = "\n".join(difflib.unified_diff(lines(kept), lines(wording()), "snapshot", "product", lineterm="", n=1))
    assert not changes, f"The wording has changed; look at it, then run `make wording`:\n{changes}"


def test_literals_are_read_in_order() -> None:
    """No docstring, no format of a number, no list of words; an f-string is one text with holes."""
    source = (
        '"""Doc."""\ndef f(x):\n    """Doc."""\n    return f"Has {x:,.2f} of" " them", "b c".split(), g("one", '
        "more=['two'])\n"
    )
    assert [text for text, _ in literals(source)] == ["Has {} of them", "one", "two"]


def test_a_quotation_is_five_words_on_end() -> None:
    """Marks between words do not hide it; a hole, a number, a path or another word does."""
    fixed = frozenset(runs("{} grey birds sing: hear them from far away."))
    assert quotations('x = r"grey birds sing\\: hear them"', fixed)
    assert quotations('x = "Page 3 GREY birds sing; hear them"', fixed)
    assert not quotations('x = "grey birds sing: hear"', fixed)
    assert not quotations('x = "grey birds sing: .*hear them from far"', fixed)
    assert not runs_of("urn:one:two:three:four:five:six")
    assert not runs_of("one two 3 three four {} five six")


def runs_of(text: str) -> list[tuple[str, ...]]:
    """All at once."""
    return list(runs(text))
