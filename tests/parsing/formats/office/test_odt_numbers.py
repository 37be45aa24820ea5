"""Numbers of an OpenDocument text: levels of lists, lists that go on, and the outline of headings."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chunking.model import Document
from chunking.parsing import parse
from tests.parsing.formats.office.odt_texts import DECLARED, blocks, paragraph, read
from tests.parsing.safe_input.archive_files import zipped
from tests.support.laws_documents import check

LOEXT = 'xmlns:loext="urn:org:documentfoundation:names:experimental:office:xmlns:loext:1.0"'


def level(
    number: int, form: str = "1", more: str = 'style:num-suffix="."', kind: str = "list-level-style-number"
) -> str:
    """A level of a list style, from 1."""
    return f'<text:{kind} text:level="{number}" style:num-format="{form}" {more}/>'


def styled(*levels: str, name: str = "L") -> str:
    return f'<text:list-style style:name="{name}">{"".join(levels)}</text:list-style>'


def items(*inside: str, more: str = 'text:style-name="L"') -> str:
    """A list."""
    return f"<text:list {more}>{''.join(f'<text:list-item>{one}</text:list-item>' for one in inside)}</text:list>"


def heading(text: str, depth: int = 1, style: str = "H", more: str = "") -> str:
    return f'<text:h text:style-name="{style}" text:outline-level="{depth}" {more}>{text}</text:h>'


def document(body: str, automatic: str, styles: str = "") -> Document:
    """A text with styles of its own, and more in the part for styles."""
    content = (
        f"<office:automatic-styles>{automatic}</office:automatic-styles>"
        f"<office:body><office:text>{body}</office:text></office:body>"
    )
    parts = {
        "mimetype": "application/vnd.oasis.opendocument.text",
        "content.xml": f"<office:document-content {DECLARED} {LOEXT}>{content}</office:document-content>",
        "styles.xml": f"<office:document-styles {DECLARED}><office:styles>{styles}</office:styles>"
        "</office:document-styles>",
    }
    parsed = parse(zipped(parts), "a.odt")
    check(parsed)
    return parsed


def lines(body: str, automatic: str, styles: str = "") -> list[str]:
    return [line.strip() for line in document(body, automatic, styles).text.split("\n") if line.strip()]


P = [paragraph(text) for text in "abcdefgh"]


@pytest.mark.parametrize(
    ("form", "more", "third"),
    [
        ("1", 'style:num-suffix="."', "3."),
        ("1", "", "3"),
        ("a", 'style:num-prefix="(" style:num-suffix=")"', "(c)"),
        ("I", 'style:num-prefix="Part "', "Part III"),
        ("i", 'style:num-suffix=")"', "iii)"),
        ("一, 二, 三, ...", 'style:num-prefix="第" style:num-suffix="条"', "第三条"),
        ("甲, 乙, 丙, ...", 'style:num-suffix="、"', "丙、"),
        ("①, ②, ③, ...", "", "③"),
        ("ア, イ, ウ, ...", "", "ウ"),
        ("イ, ロ, ハ, ...", "", "ハ"),
        ("가, 나, 다, ...", "", "다"),
        ("א, י, ק, ...", "", "ג"),
        ("1st", "", "3rd"),
        ("unheard of", "", "3"),
        ("", 'style:num-prefix="Note"', "Note"),
        ("", "", "-"),
    ],
)
def test_every_number_format_is_shown_as_in_libreoffice(form: str, more: str, third: str) -> None:
    """Each as LibreOffice shows it."""
    assert lines(items(*P[:3]), styled(level(1, form, more)))[-1] == f"{third} c"


def test_letters_past_the_alphabet() -> None:
    """aa, ab or aa, bb, as the style says."""
    body = items(*[paragraph("x")] * 28)
    assert lines(body, styled(level(1, "a", "")))[-1] == "ab x"
    assert lines(body, styled(level(1, "a", 'style:num-letter-sync="true"')))[-1] == "bb x"


def test_levels_that_are_shown() -> None:
    """Numbers of the levels above, each in its own format; a pattern of LibreOffice's own comes first."""
    deeper = level(2, "a", 'text:display-levels="2" style:num-suffix=")"') + level(3, "I", 'text:display-levels="2"')
    body = items(P[0] + items(P[1] + items(P[2], more="")), P[3] + items(P[4], P[5], more=""))
    expected = ["1. a", "1.a) b", "a.I c", "2. d", "2.a) e", "2.b) f"]
    assert lines(body, styled(level(1), deeper)) == expected
    pattern = level(2, "1", 'loext:num-list-format="§%1%-%2%:" text:display-levels="2"')
    assert lines(items(P[0] + items(P[1], P[2], more="")), styled(level(1), pattern)) == ["1. a", "§1-1: b", "§1-2: c"]


def test_a_list_starts_at_its_level_or_items_number() -> None:
    """Of a level, and of an item."""
    body = (
        f'<text:list text:style-name="L"><text:list-item>{P[0]}</text:list-item><text:list-item '
        f'text:start-value="9">{P[1]}'
    )
    body += f"</text:list-item><text:list-item>{P[2]}</text:list-item></text:list>"
    assert lines(body, styled(level(1, "1", 'text:start-value="4"'))) == ["4 a", "9 b", "10 c"]


def test_lists_that_go_on() -> None:
    """After a paragraph: by style, by name, inside an item that holds nothing else; a list that does not say so starts
    anew.
    """
    by_style, by_name = (
        'text:style-name="L" text:continue-numbering="true"',
        'text:style-name="L" text:continue-list="one"',
    )
    first = items(P[0] + items(P[1], more=""), more='text:style-name="L" xml:id="one"')
    body = (
        first
        + paragraph("x")
        + items(items(P[2], more="") + "", more=by_style)
        + items(P[3])
        + items(P[4], more=by_name)
    )
    assert lines(body, styled(level(1), level(2, "a", 'style:num-suffix=")"'))) == [
        "1. a",
        "a) b",
        "x",
        "b) c",
        "1. d",
        "2. e",
    ]


def test_paragraphs_without_numbers() -> None:
    """The second of an item, one of a list's header, and one with a bullet."""
    bullet = '<text:list-level-style-bullet text:level="2" text:bullet-char="x"/>'
    header = (
        f"<text:list "
        f'text:style-name="L"><text:list-header>{P[0]}</text:list-header>'
        f"<text:list-item>{P[1]}{P[2]}{items(P[3], more='')}"
    )
    assert blocks(document(f"{header}</text:list-item></text:list>", styled(level(1), bullet))) == [
        ("list", "a\n1. b\n   c\n   - d")
    ]


def outline(*levels: str) -> str:
    return f'<text:outline-style style:name="Outline">{"".join(levels)}</text:outline-style>'


def outlined(number: int, form: str = "1", more: str = "") -> str:
    return level(number, form, more, "outline-level-style")


def test_headings_of_the_outline() -> None:
    """Counted level by level; not where the style has no list, the heading says so, or its level has no number."""
    styles = outline(
        outlined(1, "I", 'style:num-suffix="."'), outlined(2, "1", 'text:display-levels="2"'), outlined(3, "")
    )
    plain = (
        '<style:style style:name="N" style:parent-style-name="H" style:list-style-name=""/><style:style '
        'style:name="H"/>'
    )
    body = heading("One") + heading("Two", 2) + heading("Three", 3) + heading("Preface", 1, "N")
    body += heading("Not", 1, more='text:is-list-header="true"') + heading("Four") + heading("Five", 2)
    again = heading("Six", 2, more='text:restart-numbering="true" text:start-value="8"') + heading("Seven", 2)
    parsed = document(body + again, plain, styles)
    assert [text for _, text in blocks(parsed)] == [
        *("I. One", "I.1 Two", "Three", "Preface", "Not", "II. Four", "II.1 Five", "II.8 Six", "II.9 Seven"),
    ]
    assert parsed.sections[0].title == "I. One"


def test_headings_with_their_number_in_the_file() -> None:
    """It is taken as it stands, once."""
    body = heading("<text:number>7.1</text:number>One") + heading("Two")
    assert lines(body, "", outline(outlined(1, "1", 'style:num-suffix="."'))) == ["7.1 One", "2. Two"]


def test_headings_in_lists() -> None:
    """As programs write what they took over from Word."""
    body = items(heading("One") + items(heading("Two", 2), more=""), heading("Three"))
    assert lines(body, styled(level(1), level(2, "1", 'text:display-levels="2"'))) == ["1. One", "1.1 Two", "2. Three"]


def test_lists_in_cells() -> None:
    """An item in a cell has its number, one that only holds a list has none."""
    cell = f"<table:table-cell>{items(P[0], items(P[1], more=''))}</table:table-cell>"
    body = f"<table:table>{2 * f'<table:table-row>{cell}{cell}</table:table-row>'}</table:table>"
    assert lines(body, styled(level(1), level(2, "a", 'style:num-suffix=")"')))[0] == "| 1. a a) b | 1. a a) b |"


_NUMBERS = st.sampled_from(["1", "0", "10", "-3", "x", "9" * 30])


@settings(max_examples=50)
@given(
    st.lists(
        st.tuples(
            _NUMBERS, st.sampled_from(["1", "a", "I", "", "一, 二", "?"]), _NUMBERS, st.sampled_from(["", "x" * 400])
        ),
        max_size=5,
    ),
    st.recursive(st.none(), lambda inside: st.lists(inside, max_size=3), max_leaves=10),
)
def test_anything_is_read(levels: list[tuple[str, str, str, str]], tree: object) -> None:
    """Whatever levels, starts and shown levels say, no item is lost and no number is long."""
    rows = []
    for place, (depth, form, start, prefix) in enumerate(levels, 1):
        more = f'text:display-levels="{depth}" text:start-value="{start}" style:num-prefix="{prefix}"'
        rows.append(level(1, form, more).replace('text:level="1"', f'text:level="{place}"'))
    body = _nested(tree)
    parsed = document(body + paragraph("end"), styled(*rows))
    assert parsed.text.count("thing") == body.count("thing")
    assert all(len(line) < 400 for line in parsed.text.split("\n"))


def _nested(tree: object) -> str:
    return items(paragraph("thing"), *(_nested(one) for one in tree)) if isinstance(tree, list) else paragraph("thing")


def test_plain_file_is_read_as_before() -> None:
    """Without styles of lists there are bullets, and headings without numbers."""
    assert [text for _, text in blocks(read(heading("One") + items(P[0])))] == ["One", "- a"]
