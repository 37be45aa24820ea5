"""Text drawn as what it is keeps its exact characters: code in colours, rows in columns, words from right to left."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from chunking.splitting.rendering.table_text import split_row
from chunking.viewing.messages.code_tokens import KINDS, block_tokens, code_blocks
from tests.browser.app import settled, sound_tab
from tests.components.apps.made_documents import drawn_document, fields_document
from tests.components.kit.viewer.viewer_tab import COPY, ROOT, SELECT, ready

pytestmark = pytest.mark.browser

_PARTS = f"""() => [...{ROOT}.querySelectorAll('.part')].map((part) => ({{
    text: part.textContent, unit: part.unit, names: part.className,
    direction: getComputedStyle(part.closest('.line')).unicodeBidi,
    left: part.getBoundingClientRect().left, right: part.getBoundingClientRect().right }}))"""
_CELLS = """([rows, delimiter]) => rows.map((row) => {
    const { cellsOf, piecesOf } = window.chunkscope.tableRows, pieces = piecesOf(row, delimiter);
    const text = (some) => some.map(([from, to]) => row.slice(from, to)).join('');
    const cells = cellsOf(row, delimiter).map((_, at) =>
        text(pieces.filter(([, , cell, hidden]) => cell === at && !hidden)));
    return { whole: text(pieces), cells }; })"""
_ROWS = f"""() => {{
    const text = (cell) => [...cell.querySelectorAll('.part:not(.hush)')].map((part) => part.textContent).join('');
    return [...{ROOT}.querySelectorAll('.line.row')].map((row) => [...row.querySelectorAll('.cell')].map(text)); }}"""
_GOTO = """(at) => window.dispatchEvent(new CustomEvent('chunkscope:goto', {
    detail: { doc: [...window.chunkscope.texts.keys()].at(-1), at } }))"""
_LEFTS = f"""() => [...{ROOT}.querySelectorAll('.line.row')].slice(0, 5).map((row) =>
    [...row.querySelectorAll('.cell')].map((cell) => Math.round(cell.getBoundingClientRect().left)))"""


@pytest.fixture(scope="module")
def drawn(scene_address: str, browser: Browser) -> Iterator[Page]:
    """The page of drawn_app.py."""
    with sound_tab(browser) as page:
        ready(page, f"{scene_address}/?app=drawn_app")
        yield page


def units(offset: int) -> int:
    """A character's place as browsers count it."""
    return len(drawn_document().text[:offset].encode("utf-16-le")) // 2


def test_hostile_rows_do_not_stop_the_tab(drawn: Page) -> None:
    """Long cells that are nearly numbers, nearly rules, or hold line ends: time that grew with their square was
    minutes.
    """
    digits, blanks, ends = "1" * 300_000 + "x", " " * 300_000, "\n" * 300_000
    find = "([rows, delimiter]) => window.chunkscope.tableRows.columnsOf(rows, 2, delimiter).sides"
    assert drawn.evaluate(find, [["a,b", "c,d", f"{digits},2", f'"{ends}x",3'], ","]) == ["start", "end"]
    assert drawn.evaluate(find, [["|a|b|", f"|-{blanks}x|-:|", "|1|2|"], None]) == ["end", "end"]


def test_every_character_is_there_once(drawn: Page) -> None:
    """Whatever is drawn, the parts one after the other are the text."""
    parts = drawn.evaluate(_PARTS)
    assert "".join(part["text"] for part in parts) == drawn_document().text
    assert [part["unit"] for part in parts] == sorted(part["unit"] for part in parts)


def test_rows_stand_in_columns_and_bars_are_there_unseen(drawn: Page) -> None:
    """The same columns on every row, a header row, no row of dashes; markup stays text."""
    rows = drawn.evaluate(_ROWS)
    assert rows[0] == ["Tree 😀", "Grows", "Height (m)", "Where"]
    assert ["<b>Oak</b>", "", "24", "hill"] in rows
    assert ["Mill", "90"] in rows
    assert drawn.locator(".view .line.header").count() == 2
    assert drawn.locator(".view .cell b").count() == 0
    lefts = drawn.evaluate(_LEFTS)
    full_rows = [row for row in lefts if len(row) == 4]
    assert len(full_rows) >= 3
    assert all(row == full_rows[0] for row in full_rows)
    hushed = [part for part in drawn.evaluate(_PARTS) if "hush" in part["names"]]
    assert {letter for part in hushed for letter in part["text"]} <= set("| \n\\:-#")
    assert all(part["right"] - part["left"] < 1 for part in hushed)


def test_a_selection_over_cells_has_the_characters_of_the_text(drawn: Page) -> None:
    """Asked about and copied, the same as in the raw text; so are the places of the highlighted word."""
    text = drawn_document().text
    start, end = text.index("river"), text.index("24 | hill") + 2
    drawn.evaluate(SELECT, [units(start), units(end)])
    drawn.locator(".ask").wait_for()
    assert drawn.evaluate(COPY) == text[start:end]
    drawn.locator(".ask").click()
    settled(drawn)
    expect(drawn.get_by_text(f"asked: ({start}, {end})")).to_be_visible()
    marked = [part for part in drawn.evaluate(_PARTS) if "word" in part["names"].split()]
    assert [(part["text"], part["unit"]) for part in marked] == [
        ("Elm", units(place.start())) for place in re.finditer("Elm", text)
    ]


def test_the_raw_text_is_one_key_away_and_stays(drawn: Page) -> None:
    """A button that keys reach; what is shown then is the text, bars and all, after a reload too."""
    switch = drawn.get_by_role("button", name=re.compile("raw", re.IGNORECASE))
    switch.focus()
    drawn.keyboard.press("Enter")
    expect(drawn.locator(".view .line.row")).to_have_count(0)
    expect(drawn.locator(".view .line.code", has_text="|:--|")).to_be_visible()
    drawn.reload()
    drawn.locator(".view[data-rev]").wait_for()
    settled(drawn)
    expect(switch).to_have_attribute("aria-pressed", "true")
    assert "".join(part["text"] for part in drawn.evaluate(_PARTS)) == drawn_document().text
    switch.click()
    expect(drawn.locator(".view .line.header")).to_have_count(2)


def test_a_long_csv_file_is_drawn_row_by_row(scene_address: str, tab: Page) -> None:
    """A field over two lines stays in its row; the rest of 4,000 rows is not in the page; its end is reached by a
    click.
    """
    ready(tab, f"{scene_address}/?app=drawn_app&case=fields")
    text = fields_document().text
    assert tab.evaluate(_ROWS)[:3] == [
        ["name", "note", "height, m", "seen"],
        ["Finch", '3 cm, "or so"', "12", "2024"],
        ["Great\ntit", "two\nlines", "14", ""],
    ]
    parts = "".join(part["text"] for part in tab.evaluate(_PARTS))
    assert text.startswith(parts)
    assert len(parts) < 6000
    box = tab.locator(".ruler").bounding_box()
    assert box
    tab.mouse.click(box["x"] + 5, box["y"] + box["height"] - 1)
    expect(tab.locator(".view .line.row").last).to_contain_text("bird 3999")
    assert tab.evaluate(
        f"{ROOT}.querySelector('.scroller').scrollWidth <= {ROOT}.querySelector('.scroller').clientWidth"
    )


def test_a_jump_into_a_wide_table_shows_the_cell(scene_address: str, tab: Page) -> None:
    """On a phone it is wider than the text; the page itself never is. L and H scroll it by keys."""
    tab.set_viewport_size({"width": 390, "height": 800})
    ready(tab, f"{scene_address}/?app=drawn_app")
    unit = units(drawn_document().text.index("hill |"))
    tab.evaluate(_GOTO, drawn_document().text.index("hill |"))
    frame = tab.locator(".view .scroller").bounding_box()
    cell = next(part for part in tab.evaluate(_PARTS) if part["unit"] == unit)
    assert frame
    assert frame["x"] <= cell["left"] < cell["right"] <= frame["x"] + frame["width"]
    scroller = tab.locator(".view .scroller")
    scroller.press("h")
    scroller.press("h")
    assert scroller.evaluate("one => one.scrollLeft") == 0
    scroller.press("l")
    assert scroller.evaluate("one => one.scrollLeft") > 0
    assert tab.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_rows_are_read_as_the_chunker_reads_them(drawn: Page) -> None:
    """Pipe rows and fields, odd ones too: the cells of `table_cells.split_row`; the pieces of a row are the row."""
    bars = [
        "| a | b |",
        "a | b",
        "  > | a \\| b || c",
        "|",
        "||",
        "| a",
        "a|",
        "|a|  ",
        "| 😀 |\r",
        "| `x\\|y` | <b> |",
    ]
    fields = [
        'a,"b, c",d',
        '"a ""b"" c",',
        '"open, a',
        ",,",
        '" a" ,b',
        'a "quoted" b,c',
        '"x"y,z',
        "",
        '"é😀",""',
        '"a,b"  ,c',
    ]
    for delimiter, rows in (
        (None, bars),
        (",", fields),
        (";", [row.replace(",", ";") for row in fields]),
        ("\t", [row.replace(",", "\t") for row in fields]),
    ):
        columns = drawn.evaluate(_CELLS, [rows, delimiter])
        assert [(row, one["whole"]) for row, one in zip(rows, columns, strict=True)] == [(row, row) for row in rows]
        cells = [[" ".join(cell.split()) for cell in one["cells"]] for one in columns]
        assert list(zip(rows, cells, strict=True)) == [(row, split_row(row, delimiter)) for row in rows]


def test_words_of_code_have_their_kind(drawn: Page) -> None:
    """The same spans as the lexer's; nothing else has a colour."""
    document = drawn_document()
    expected = [
        (document.text[start:end], f"k-{KINDS[kind]}")
        for start, end, kind in block_tokens(document.text, code_blocks(document))
    ]
    parts = [
        (part["text"], name)
        for part in drawn.evaluate(_PARTS)
        for name in part["names"].split()
        if name.startswith("k-")
    ]
    assert "".join(text for text, _ in parts) == "".join(text for text, _ in expected)
    assert {name for _, name in parts} == {name for _, name in expected}


def test_a_hebrew_sentence_is_read_from_right_to_left_and_asked_about_by_its_characters(drawn: Page) -> None:
    """It begins at the right; a selection is its characters in reading order, numbers and names too."""
    text = drawn_document().text
    start, end = text.index("Shutoff valve"), text.index(" מטר")
    parts = drawn.evaluate(_PARTS)
    line = [
        part
        for part in parts
        if units(text.index("המים")) <= part["unit"] < units(text.index("مرحبا") - 1) and part["text"].strip()
    ]
    latin = next(part for part in parts if part["text"].startswith("A file"))
    frame = drawn.locator(".view .shown").bounding_box()
    assert frame
    assert max(part["right"] for part in line) > frame["x"] + frame["width"] - 40  # at the right edge
    assert latin["left"] < frame["x"] + 100
    drawn.evaluate(SELECT, [units(start), units(end)])
    drawn.locator(".ask").click()
    settled(drawn)
    expect(drawn.get_by_text(f"asked: ({start}, {end})")).to_be_visible()


def test_a_mark_that_turns_the_direction_is_seen_and_turns_nothing(drawn: Page) -> None:
    """The letters behind it stay where they are, in the text as in the outline."""
    parts = drawn.evaluate(_PARTS)
    place = next(number for number, part in enumerate(parts) if "turn" in part["names"])
    before, mark, after = parts[place - 1 : place + 2]
    assert mark["text"] == "\u202e"
    assert before["right"] <= mark["right"] <= after["left"] + 1
    assert mark["right"] - mark["left"] > 5  # its sign
    expect(drawn.locator(".outline .title", has_text="שלום")).to_have_css("direction", "rtl")
