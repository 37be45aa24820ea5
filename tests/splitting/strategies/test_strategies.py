"""What each strategy does with headings, kept blocks, tables, overlap and small chunks."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise

import pytest

from chunking.config import ChunkConfig, Strategy
from chunking.model import Chunk, Flag, LeftOut
from chunking.splitting import STRATEGIES, Chunker, TokenCounter
from chunking.splitting.strategies.strategy_table import WHOLE_DOCUMENT
from tests.splitting.inline import Cut, read

Measure = Callable[..., Chunker]

SENTENCE = "The measure of a chunk is what it holds. "


def contents(chunks: list[Chunk]) -> list[str]:
    return [chunk.content for chunk in chunks]


def table(rows: int) -> str:
    return "\n".join(
        ["| name | value |", "|---|---|", *(f"| row{number} | what row {number} says |" for number in range(rows))]
    )


def test_structure_starts_a_chunk_at_each_heading(cut: Cut) -> None:
    """Though both sections would fit into one chunk."""
    assert contents(cut("# A\n\nOne.\n\n## B\n\nTwo.")) == ["# A\n\nOne.", "## B\n\nTwo."]


def test_only_the_chosen_levels_split(cut: Cut) -> None:
    """Other headings are text like any other."""
    text = "# A\n\nOne.\n\n## B\n\nTwo.\n\n### C\n\nThree."
    assert contents(cut(text, heading_levels="1,2")) == ["# A\n\nOne.", "## B\n\nTwo.\n\n### C\n\nThree."]


def test_a_heading_with_nothing_under_it_joins_the_next_of_its_subtree(cut: Cut) -> None:
    """The chunk stands in the section that has the text; a bare heading at the same level does not join."""
    first, second, third = cut("# A\n\n## B\n\n### C\n\nText.\n\n## D\n\n## E\n\nMore.")
    assert first.content == "# A\n\n## B\n\n### C\n\nText."
    assert first.title_path == ("A", "B", "C")
    assert (second.content, third.content) == ("## D", "## E\n\nMore.")


def test_a_bare_heading_of_a_level_that_does_not_split_joins_too(cut: Cut) -> None:
    """The region of a splitting heading begins at the bare heading above it."""
    assert contents(cut("# A\n\nOne.\n\n## B\n\n### C\n\nText.", heading_levels="1,3")) == [
        "# A\n\nOne.",
        "## B\n\n### C\n\nText.",
    ]


def test_a_small_section_joins_the_sibling_before_it(cut: Cut) -> None:
    """Under the same parent heading; the title path is then the parent's."""
    text = "# P\n\n" + SENTENCE * 3 + "\n\n## A\n\n" + SENTENCE * 3 + "\n\n## B\n\nTiny.\n\n## C\n\nTiny too."
    intro, joined = cut(text, size=60, min_size=12)
    assert intro.title_path == ("P",)
    assert joined.content.endswith("## B\n\nTiny.\n\n## C\n\nTiny too.")
    assert joined.title_path == ("P",)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("# A\n\nOne two three.\n\n# B\n\nTiny.", "no parent heading"),
        (
            "# P\n\n## A\n\nOne two three.\n\n### A1\n\nFour five six.\n\n## B\n\nTiny.",
            "the chunk before is no sibling",
        ),
    ],
)
def test_a_small_section_stays_where_there_is_no_sibling(cut: Cut, text: str, why: str) -> None:
    """Titles matter more than the minimum size."""
    assert cut(text, size=60, min_size=8)[-1].content.endswith("# B\n\nTiny."), why
    assert cut(text, size=60, min_size=8)[-1].content.startswith("#")
    assert len(cut(text, size=60, min_size=8)[-1].content) < 16


def test_minimum_size_yields_to_size(cut: Cut) -> None:
    """A small chunk that does not fit beside its neighbour stays."""
    text = "# P\n\n## A\n\n" + SENTENCE * 3 + "\n\n## B\n\nTiny."
    assert len(cut(text, size=34, min_size=30)) == 2


@pytest.mark.parametrize("strategy", [Strategy.RECURSIVE, Strategy.SENTENCE, Strategy.FIXED])
def test_the_others_are_blind_to_headings(cut: Cut, strategy: Strategy) -> None:
    """A document that fits is one chunk."""
    assert len(cut("# A\n\nOne.\n\n## B\n\nTwo.", strategy=strategy)) == 1


def test_recursive_prefers_blocks_to_lines_to_sentences(cut: Cut) -> None:
    """The best place in the second half of what fits."""
    text = "One two three four five six. Seven eight.\n\nNine ten eleven. Twelve thirteen fourteen fifteen sixteen"
    assert contents(cut(text, "a.txt", strategy="recursive", size=16))[0] == "One two three four five six. Seven eight."


def test_a_line_that_goes_on_with_a_small_letter_is_no_good_place_in_prose(chunker: Measure) -> None:
    """A wrapped paragraph is cut at its sentences; code at its lines."""
    from chunking.splitting.measure.cut_places import Rank

    marks = chunker("One two\nthree four. Five\nSix\n\n```\none\ntwo\n```").measured.marks
    ranks = dict(zip(marks.places.first.tolist(), marks.rank.tolist(), strict=True))
    assert [ranks[offset] for offset in (8, 20, 25)] == [Rank.WORD, Rank.SENTENCE, Rank.LINE]
    assert [ranks[offset] for offset in (34, 38)] == [Rank.LINE, Rank.LINE]


def test_sentence_takes_as_many_whole_sentences_as_fit(cut: Cut) -> None:
    """And only breaks one that is too long by itself."""
    text = "One two. Three four. Five six seven eight nine ten. Word" + " word" * 30
    chunks = contents(cut(text, "a.txt", strategy="sentence", size=16))
    assert chunks[0] == "One two. Three four. Five six seven eight nine ten."
    assert all(chunk.lower().startswith("word") for chunk in chunks[1:])


def test_fixed_fills_every_window(cut: Cut) -> None:
    """One-token words: all chunks but the last have exactly the size."""
    chunks = cut("word " * 100, "a.txt", strategy="fixed", size=16)
    assert [chunk.token_count for chunk in chunks] == [16] * 6 + [4]


def test_overlap_starts_at_a_sentence(cut: Cut) -> None:
    """The first sentence within the amount asked for."""
    chunks = cut(SENTENCE * 12, "a.txt", size=40, overlap="15")
    assert all(chunk.content.startswith("The measure") for chunk in chunks)
    assert all(before.end - after.start == len(SENTENCE) - 1 for before, after in pairwise(chunks))


def test_overlap_starts_at_a_word_where_no_sentence_does(cut: Cut) -> None:
    """And never exceeds the amount."""
    chunks = cut("word " * 100, "a.txt", size=20, overlap="5")
    assert {before.end - after.start for before, after in pairwise(chunks)} == {len("word " * 5) - 1}


def test_overlap_does_not_cross_a_heading_that_splits(cut: Cut) -> None:
    """The first chunk of each section starts at its heading."""
    text = "# A\n\n" + SENTENCE * 9 + "\n\n# B\n\n" + SENTENCE * 9
    starts = [chunk.start for chunk in cut(text, size=40, overlap="20")]
    assert text.index("# B") in starts


def test_no_overlap_is_none(cut: Cut) -> None:
    """Requested 0 is 0."""
    chunks = cut(SENTENCE * 12, "a.txt", size=40)
    assert all(before.end <= after.start for before, after in pairwise(chunks))


@pytest.mark.parametrize("strategy", list(Strategy))
def test_a_fence_stays_whole_where_it_fits(cut: Cut, strategy: Strategy) -> None:
    """A chunk ends early rather than inside it, also when its lines would make better places."""
    fence = "```python\n" + "value = call(1)\n" * 5 + "```"
    chunks = cut(SENTENCE * 2 + "\n\n" + fence + "\n\n" + SENTENCE * 3, strategy=strategy, size=44)
    assert sum(fence in chunk.content for chunk in chunks) == 1
    assert not any(Flag.CODE_CUT in chunk.flags for chunk in chunks)


def test_a_fence_that_cannot_fit_is_cut_at_lines_and_flagged(cut: Cut) -> None:
    """Every part says so."""
    fence = "```python\n" + "value = call(1)\n" * 40 + "```"
    chunks = cut(fence, size=40)
    assert all(Flag.CODE_CUT in chunk.flags for chunk in chunks)
    assert all(chunk.content.splitlines()[0] in ("```python", "value = call(1)") for chunk in chunks)


def test_what_need_not_stay_whole_does_not(cut: Cut) -> None:
    """Without `code` in keep_whole the chunk is filled."""
    fence = "```python\n" + "value = call(1)\n" * 5 + "```"
    text = SENTENCE * 2 + "\n\n" + fence + "\n\n" + SENTENCE * 3
    assert len(cut(text, size=44, keep_whole="none")) <= len(cut(text, size=44))
    assert any(Flag.CODE_CUT in chunk.flags for chunk in cut(text, size=30, keep_whole="none"))


def test_a_big_table_is_split_between_rows_and_repeats_its_header(cut: Cut) -> None:
    """The header row is prefix, never part of the span."""
    chunks = cut("# A\n\nBefore.\n\n" + table(30) + "\n\nAfter.", size=80, prefix="title_path", table_rows_limit=100)
    parts = [chunk for chunk in chunks if chunk.content_type == "table"]
    assert len(parts) > 2
    assert parts[0].prefix == "A"
    assert all(part.prefix == "A\n\n| name | value |\n|---|---|" for part in parts[1:])
    assert all(part.content.startswith("| row") and part.content.endswith("|") for part in parts[1:])
    assert all(Flag.TABLE_CUT in part.flags for part in parts)
    assert "Before." not in parts[0].content
    assert "After." not in parts[-1].content


@pytest.mark.parametrize(("limit", "alone"), [(9, True), (10, False)])
def test_a_long_table_stands_alone(cut: Cut, limit: int, alone: bool) -> None:
    """Over the limit of rows it ends the running chunk though it fits."""
    chunks = cut("# A\n\nBefore.\n\n" + table(10) + "\n\nAfter.", size=400, table_rows_limit=limit)
    assert (len(chunks) == 3) is alone


def test_a_long_table_takes_its_heading_along(cut: Cut) -> None:
    """Rather than leave a chunk that is a heading only."""
    chunks = cut("# A\n\n" + table(30), size=80, table_rows_limit=5)
    assert chunks[0].content.startswith("# A\n\n| name |")


def test_own_chunk_stands_strictly_alone(cut: Cut) -> None:
    """With a hint of what it is."""
    text = "# Web\n\nServe it.\n\n```nginx\nlisten 80;\n```\n\nDone.\n\nQ: Why?\nA: Because."
    chunks = cut(text, own_chunk="code,qa", size=200)
    assert contents(chunks) == ["# Web\n\nServe it.", "```nginx\nlisten 80;\n```", "Done.", "Q: Why?\nA: Because."]
    assert [chunk.source_hint for chunk in chunks] == ["", "[Code] nginx", "", "[Q&A] Q: Why?"]


@pytest.mark.parametrize("strategy", [one for one in Strategy if one is not Strategy.ELEMENTS])
def test_what_stands_alone_takes_the_heading_right_above_it(cut: Cut, strategy: Strategy) -> None:
    """And the headings above that one in the tree; a heading beside it stays with the text before."""
    text = "Intro.\n\n# D\n\n# A\n\n## B\n\n```nginx\nlisten 80;\n```\n\nDone."
    chunks = contents(cut(text, own_chunk="code", strategy=strategy))
    assert "# A\n\n## B\n\n```nginx\nlisten 80;\n```" in chunks
    assert chunks[-1] == "Done."


def test_a_heading_does_not_break_what_is_to_be_whole(cut: Cut) -> None:
    """A table that fits by itself only; where it need not be whole, the heading goes with its first part."""
    text = "# A heading of some words\n\n" + table(3)
    size = 46
    chunks = cut(text, size=size, own_chunk="table", strategy="structure")
    assert contents(chunks) == ["# A heading of some words", table(3)]
    parted = cut(text, size=size, own_chunk="table", keep_whole="none")
    assert parted[0].content.startswith("# A heading of some words\n\n| name")


@pytest.mark.parametrize("keep", ["code", "code,table"])
@pytest.mark.parametrize("size", [24, 30, 36])
def test_the_header_of_a_table_and_the_rule_under_it_stay_together(cut: Cut, keep: str, size: int) -> None:
    """Wherever both fit into a chunk, whatever stands before them."""
    for words in range(12):
        chunks = cut("word " * words + "\n\n" + table(12), keep_whole=keep, size=size)
        assert sum("| name | value |\n|---|---|" in chunk.content for chunk in chunks) == 1


def test_a_header_that_does_not_fit_with_its_rule_is_parted_from_it(cut: Cut) -> None:
    """Between the two lines, not inside of one."""
    header, rule = "| " + " | ".join(f"name{n}" for n in range(6)) + " |", "|" + "-----|" * 6
    chunks = cut(f"{header}\n{rule}\n" + "| a | b | c | d | e | f |\n" * 3, size=26)
    assert contents(chunks)[0] == header


def test_overlap_does_not_begin_inside_a_heading(cut: Cut) -> None:
    """Behind it rather, or at it."""
    text = SENTENCE * 2 + "\n\n## Is it 1. A title? Or two? Yes\n\n" + SENTENCE * 6
    for overlap in range(1, 24):
        for chunk in cut(text, size=36, overlap=str(overlap), strategy="recursive"):
            inside = text.index("## Is") < chunk.start < text.index("Yes") + 3
            assert not inside, (overlap, chunk.content)


@pytest.mark.parametrize(
    ("text", "hint"), [("# Ports\n\n{}", "[Table] Ports"), ("{}", "[Table]"), ("Ports:\n\n{}", "[Table]")]
)
def test_a_made_up_title_is_no_hint(cut: Cut, text: str, hint: str) -> None:
    """The heading, a caption or nothing."""
    chunks = cut(text.format(table(4)), own_chunk="table")
    assert chunks[-1].source_hint == hint


def test_a_pair_stays_whole(cut: Cut) -> None:
    """Question and answer are one."""
    pair = "Q: What is the size?\nA: " + SENTENCE * 2
    chunks = cut(SENTENCE * 3 + "\n\n" + pair.strip() + "\n\n" + SENTENCE * 2, "a.txt", size=44)
    assert sum(pair.strip() in chunk.content for chunk in chunks) == 1


def test_a_word_of_5000_letters_does_not_count_as_one_token_to_fill(cut: Cut) -> None:
    """The tokenizer makes it one unknown token; it is cut by its letters all the same."""
    chunks = cut("start " + "ab1" * 1667 + " end", "a.txt", size=64)
    assert len(chunks) > 10
    assert max(len(chunk.content) for chunk in chunks) < 400


def test_a_zero_width_joiner_or_accent_is_not_parted(cut: Cut) -> None:
    """Families, flags and letters with accents stay in one piece."""
    text = "👩‍👩‍👧‍👦" * 30 + " " + "e\u0301" * 60
    for chunk in cut(text, "a.txt", unit="characters", size=24):
        assert chunk.content[0] not in "\u200d\u0301"
        assert chunk.content[-1] != "\u200d"


@pytest.mark.parametrize("failing", [(Strategy.STRUCTURE,), (Strategy.STRUCTURE, Strategy.RECURSIVE), tuple(Strategy)])
def test_a_strategy_that_fails_falls_back_and_says_so(
    chunker: Measure, monkeypatch: pytest.MonkeyPatch, failing: tuple[Strategy, ...]
) -> None:
    """One step at a time, in the end to one chunk; nothing is lost."""

    def fail(job: object) -> None:
        raise ValueError("no such place")

    for name in failing:
        monkeypatch.setitem(STRATEGIES, name, replace(STRATEGIES[name], cut=fail))
    measured = chunker("# A\n\n" + SENTENCE * 30)
    boundaries = measured.boundaries(ChunkConfig(size=40))
    chunks = measured.chunks(ChunkConfig(size=40))
    expected = [Strategy.RECURSIVE, Strategy.FIXED, WHOLE_DOCUMENT][len(failing) - 1 if len(failing) < 4 else 2]
    assert boundaries.strategy_used == expected
    assert "The strategy structure failed on guide/notes.md (ValueError: no such place)" in boundaries.warnings[0]
    assert all(Flag.FALLBACK in chunk.flags for chunk in chunks)
    assert (chunks[0].start, chunks[-1].end) == (0, len(measured.document.text.rstrip()))


def test_every_strategy_has_a_row() -> None:
    """The table is complete, and a fallback never goes round."""
    assert set(STRATEGIES) == set(Strategy)
    for name in STRATEGIES:
        visited = [name]
        while (simpler := STRATEGIES[visited[-1]].simpler) is not None:
            assert simpler not in visited
            visited.append(simpler)


@pytest.mark.parametrize("strategy", list(Strategy))
@pytest.mark.parametrize("unit", ["tokens", "characters"])
def test_a_left_out_span_is_in_no_chunk(counter: TokenCounter, strategy: Strategy, unit: str) -> None:
    """Running headers at the end of a paged text, or in the middle of one."""
    document = read("Body of the page.\n\nPage 7 of 9\n\nIt goes on.\n\nPage 8\n\nPage 9", "a.txt")
    spans = [(document.text.index(text), text) for text in ("Page 7 of 9", "Page 8", "Page 9")]
    left_out = tuple(LeftOut(start, start + len(text), "page footer") for start, text in spans)
    blocks = tuple(block for block in document.blocks if block.start not in {start for start, _ in spans})
    document = replace(document, left_out=left_out, blocks=blocks)
    chunks = Chunker(document, counter).chunks(
        ChunkConfig.model_validate({"strategy": strategy, "unit": unit, "size": 64, "overlap": "8"})
    )
    assert contents(chunks) == ["Body of the page.", "It goes on."]
