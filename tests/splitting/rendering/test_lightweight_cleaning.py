"""reStructuredText, AsciiDoc and Org without markup: never more tokens than before, code as it is."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunking.embedding.model_folder import find_model
from chunking.parsing import parse
from chunking.splitting import token_counter
from chunking.splitting.rendering.markup_cleaning import MARKUP, without_markup

_ENDINGS = {"rst": "rst", "asciidoc": "adoc", "org": "org"}
_CODE = {
    "rst": ".. code:: py\n   :linenos:\n\n   x = '*a*'",
    "asciidoc": "[source,py]\n----\nx = '*a*'\n----",
    "org": "#+BEGIN_SRC py\nx = '*a*'\n#+END_SRC",
}
_pieces = st.sampled_from(
    [
        "word ",
        "*b* ",
        "_i_ ",
        "``c`` ",
        "`r <t>`_ ",
        ":ref:`x` ",
        "[[l][d]] ",
        "<<a,b>> ",
        "link:u[t] ",
        "x^2^ ",
        "{a} ",
        "\\* ",
        "|s| ",
        "a[1]_ ",
        "\n",
        "\n\n",
        "== T\n",
        "* T :a:\n",
        "T\n---\n",
        ".. note:: n\n",
        "[NOTE]\n",
        "#+A: b\n",
        "| a | b |\n",
        "+--+\n",
        "|===\n",
        "- i\n",
        "~s~ ",
        "=v= ",
    ]
)


@pytest.mark.parametrize("name", _ENDINGS)
@given(st.lists(_pieces, max_size=20))
def test_never_more_tokens(name: str, pieces: list[str]) -> None:
    """Markup is taken away, never replaced by more."""
    counter = token_counter(find_model("all-MiniLM-L6-v2").path)
    document = parse(f"{''.join(pieces)}word".encode(), f"a.{_ENDINGS[name]}")
    clean = without_markup(name, document.text, document.blocks)
    assert counter.count(clean) <= counter.count(document.text)


@pytest.mark.parametrize("name", _ENDINGS)
def test_code_stays_without_its_fences(name: str) -> None:
    """Without what opens and closes it, in one piece and in parts."""
    document = parse(f"Run *this*:\n\n{_CODE[name]}\n\nThen.\n".encode(), f"a.{_ENDINGS[name]}")
    clean = without_markup(name, document.text, document.blocks)
    assert [line.strip() for line in clean.split("\n") if line.strip()] == ["Run this:", "x = '*a*'", "Then."]
    start = document.text.index("x = ")
    piece = document.text[start : start + 9]
    assert without_markup(name, piece, document.blocks, offset=start) == piece


def test_every_format_with_markup_has_a_cleaner() -> None:
    """By the names of the registry."""
    assert set(MARKUP) == {"markdown", "notebook", *_ENDINGS}
