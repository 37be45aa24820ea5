"""Markup goes, words stay."""

from __future__ import annotations

import pytest
from hypothesis import example, given, reject
from hypothesis import strategies as st

from chunking.embedding.model_folder import find_model
from chunking.errors import ParseError
from chunking.model import Block, BlockType
from chunking.parsing import parse
from chunking.splitting import token_counter
from chunking.splitting.rendering import markup_cleaning
from chunking.splitting.rendering.markup_cleaning import clean_for_embedding
from tests.support.examples import law
from tests.support.strategies import markdown


@pytest.mark.parametrize(
    ("text", "clean"),
    [
        ("Plain words, nothing else.", "Plain words, nothing else."),
        ("## Set *up* {#setup}", "Set up"),
        ("## Closed ##", "Closed"),
        ("Title\n=====\n\nText", "Title\n\nText"),
        ('See [the guide](https://example.org/a_(b) "t") now', "See the guide now"),
        ("![alt text](img.png) and [![badge](b.svg)](https://x.y)", "alt text and badge"),
        ("[a][ref] b\n\n[ref]: https://example.org", "a b"),
        ("<https://example.org/x> <b>bold</b><br> <!-- hidden -->text", "https://example.org/x bold text"),
        ("**bold** __too__ *em* _em_ ~~gone~~ `code`", "bold too em em gone code"),
        ("- [x] done\n- open\n  * deep\n1. one", "done\nopen\n  deep\n1. one"),
        ("> quoted\n> > twice", "quoted\ntwice"),
        ("| a | b |\n|---|:-:|\n| 1 | 2 |", "a | b\n\n1 | 2"),
        ("snake_case and 2 * 3 * 4 and C# and a_b_c", "snake_case and 2 * 3 * 4 and C# and a_b_c"),
        ("H<sub>2</sub>O", "H2O"),
        ("**组件**的`ref`状态", "组件 的 ref 状态"),
    ],
)
def test_markup_is_taken_out(text: str, clean: str) -> None:
    """What a reader would see."""
    assert clean_for_embedding(text) == clean


def test_code_stays_as_it_is_but_for_its_fence() -> None:
    """Brackets, stars and hashes mean something in code."""
    text = "Run **this**:\n\n```py\nx = a[0](1) * b  # **not** bold\n```\n\nand `that`."
    document = parse(text.encode(), "a.md")
    assert clean_for_embedding(text, document.blocks) == "Run this:\n\nx = a[0](1) * b  # **not** bold\n\nand that."


def test_a_part_of_a_fence_keeps_all_its_lines() -> None:
    """A chunk may hold the middle of a code block only."""
    text = "```py\none = [1](2)\ntwo\n```"
    document = parse(text.encode(), "a.md")
    start = text.index("one")
    assert clean_for_embedding(text[start : start + 12], document.blocks, offset=start) == "one = [1](2)"


def test_something_is_always_left() -> None:
    """A chunk of nothing but markup is embedded as it stands."""
    assert clean_for_embedding("<br>") == "<br>"


@law(60)
@given(markdown())
@example("a**b**c `d`e [f](g)h")
def test_never_more_tokens(text: str) -> None:
    """The size that was kept for the original holds for what is embedded."""
    try:
        document = parse(text.encode(), "a.md")
    except ParseError:
        reject()
    counter = token_counter(find_model("all-MiniLM-L6-v2").path)
    assert counter.count(clean_for_embedding(document.text, document.blocks)) <= counter.count(document.text)


def test_hostile_markup_takes_no_time() -> None:
    """Unclosed brackets by the thousand: no pattern goes over them again and again."""
    for piece in ("[", "![", "<a ", "**", "`", "[a](", "{#", "| ", "_a", "> ", "<!--", "    "):
        clean_for_embedding(piece * 4000)


@pytest.mark.parametrize("cells", ["|:" * 400, "|   " * 400, "| - " * 400])
def test_a_row_that_looks_like_a_rule_takes_no_time(cells: str) -> None:
    """A row of a table may say `---` in its first cell and nothing in the next ones: not a rule, and read once."""
    assert clean_for_embedding(f"--- {cells} | n/a") == f"--- {cells} | n/a"


@pytest.mark.parametrize("gap", [" ", "\t", "> ", "<!--"])
def test_a_long_gap_takes_no_time(gap: str) -> None:
    """White space costs no tokens, so a chunk of any size may hold megabytes of it, in text and in code."""
    text = f"*a* {gap * 300_000} b"
    clean_for_embedding(text)
    assert clean_for_embedding(text, [Block(BlockType.CODE, 0, len(text))]) == text


def test_a_fence_inside_a_fence_is_code() -> None:
    """Only the first and the last line are the fence."""
    text = "````md\n```py\nx\n```\n````"
    document = parse(text.encode(), "a.md")
    assert clean_for_embedding(text, document.blocks) == "```py\nx\n```"
    middle = text[7:-5]
    assert clean_for_embedding(middle, document.blocks, offset=7) == middle


def test_what_stood_apart_by_markup_stays_apart() -> None:
    """Two words joined may be more tokens than both and the markup between them."""
    assert clean_for_embedding("one{#a}two<!-- b -->three") == "one two three"


def test_angle_brackets_in_code_are_no_tags() -> None:
    """A placeholder in code stays; a tag around code goes."""
    assert clean_for_embedding("Use `mqtt.<region>.example` in <b>`host`</b>.") == "Use mqtt.<region>.example in host."


_PIECES = [*"[]()<>*_`~#{}|-+=:! \n\t\\'a", "](", "][", "]:", "~~", "---", "- ", "{#a}", "</b>", "http://a", "a b"]


@law(200)
@given(st.lists(st.sampled_from(_PIECES), max_size=30).map("".join))
def test_what_is_skipped_has_no_match(text: str) -> None:
    """Patterns whose signs a text lacks are not tried: none of them would match."""
    for markup in (*markup_cleaning._LINES, *markup_cleaning._INLINE):
        assert markup.remove(text) == markup.pattern.sub(markup.replacement, text)
