"""RTF files, built here: text as it was put in, structure from its control words, and no harm from bad ones."""

from __future__ import annotations

import random
from collections.abc import Sequence

import pytest

from chunking.errors import ParseError
from chunking.model import BlockType, Document
from chunking.parsing import parse, parse_guarded
from tests.support.laws_chunks import check_cutting
from tests.support.laws_documents import check
from tests.support.shared_data import shared_data

_STYLES = (
    rb"{\stylesheet{\ql Normal;}{\s1\outlinelevel0 heading 1;}{\s2 \'b1\'ea\'cc\'e2 2;}{\s3 Title;}{\s9 toc "
    rb"1;}{\*\cs10 Strong;}}"
)
_FONTS = rb"{\fonttbl{\f0\fnil\fcharset134 \'cb\'ce\'cc\'e5;}{\f1\fcharset0 Arial;}{\f2\fcharset204 X;}}"
_HEAD = rb"{\rtf1\ansi\ansicpg936\deff0" + _FONTS + _STYLES


def read(body: bytes, head: bytes = _HEAD) -> Document:
    """A lawful document, of which every visible character is in a chunk or left out."""
    document = parse(head + body + b"}", "a.rtf")
    check(document)
    check_cutting(document)
    return document


def blocks(document: Document) -> list[tuple[str, str]]:
    """(kind, text) of each block."""
    return [(block.type.value, document.text[block.start : block.end]) for block in document.blocks]


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (rb"\'d6\'d0\'ce\'c4", "中文"),
        (b"\\'d6\r\n\\'d0", "中"),
        (rb"\'d6\'ec\'e9F\'bb\'f9", "朱镕基"),
        ("朱镕基".encode("gbk"), "朱镕基"),
        ("café 朱镕基".encode(), "café 朱镕基"),
        (rb"\f1 caf\'e9s, \'93so\'94", "cafés, “so”"),
        (rb"\f2 \'cf\'f0\'e8", "При"),
        (rb"\u20013 ?\uc2\u25991\'ce\'c4", "中文"),
        (rb"\uc2\u38229\'e9Fx\uc0\u22522 y", "镕x基y"),
        (rb"\uc1\u20013\b ?\b0 x", "中?x"),
        (rb"\u-10179?\u-8704?", "😀"),
        (rb"a\~b\_c \{d\} C:\\bin\\x \emdash \endash\bullet\rquote", "a b\u2011c {d} C:\\bin\\x —–•’"),
        (rb"soft\-hyphen", "softhyphen"),
        (rb"x{\f1 caf\'e9}\plain \'d6\'d0", "xcafé中"),
        (rb"\u99999999?x\uc99999 y\uc\u20013?z", "\ufffdxy中z"),
        (rb'{\field{\*\fldinst{HYPERLINK "http://x.org"}}{\fldrslt a link}} on', "a link on"),
        (rb"{\*\unknown dropped}kept{\pict 89504e}{\*\bkmkstart b}", "kept"),
        (rb"{\upr{\*\x a}{\*\ud{\u20013 ?}}} b", "中 b"),
        (rb"{\upr{ansi ?}{\*\ud{\u20013 ?}}}", "中"),
        (rb"\u20013\'d6\'d0", "中衷"[:1] + "\ufffd"),
        (b"\\u20013\r\n\\'3fx", "中x"),
        (b"a\\bin4 }}{{b{\\pict\\bin3 {{{}c", "abc"),
        (rb"a \zwj\softline b\lbr0 c", "a \u200d\nb\nc"),
        (
            rb"{\mmath{\*\moMath{\mr\f1 x}{\mf{\mfPr{\mctrlPr\f1 no}}{\mnum{\mr 1}}{\mden{\mr 2}}}}{\mmathPict no}}",
            "x12",
        ),
        (rb"a{\xe entry}{\tc entry}{\*\formfield{\*\ffname Text1}}b", "ab"),
        (rb"kept {\deleted gone}{\v hidden}\v hidden\v0 and\deleted0 this", "kept andthis"),
    ],
)
def test_rtf_characters_are_decoded_by_font(data: bytes, text: str) -> None:
    """Code pages by font, pairs of bytes, numbers of characters and what they replace, signs."""
    assert read(rb"\pard\plain " + data + rb"\par").text == text


def test_the_users_encoding_and_the_files() -> None:
    """What no font says: the user, the file's code page, its character set, in this order."""
    assert parse(rb"{\rtf1\ansi \'cf\'f0\'e8\par}", "a.rtf", encoding="cp1251").text == "При"
    assert parse(rb"{\rtf1\ansi\ansicpg1251 \'cf\'f0\'e8\par}", "a.rtf").text == "При"
    assert parse(rb"{\rtf1\mac caf\'8e\par}", "a.rtf").text == "café"
    assert parse(rb"{\rtf1\ansi\ansicpg99999 caf\'e9\par}", "a.rtf").text == "café"
    assert (
        parse(rb"{\rtf1\ansi{\fonttbl{\f0\fcharset78 x;}{\f1\fcharset9999 y;}}\f0 \'83e\'83X\f1 a\par}", "a.rtf").text
        == "テスa"
    )


def test_fonts_of_the_whole_world() -> None:
    """The code page of each font, by its character set or its own number; what a font leaves open, the user may say."""
    fonts = rb"{\fonttbl\f0\fcharset128 a;\f1\fcharset129 b;{\f2\fcharset136 c;}{\f3\cpg1253 d;}{\f4\fcharset77 e;}"
    fonts += rb"{\f5\fcharset186 f;}{\f6\fcharset0 g;}}"
    words = (
        (0, "日本語ソ", "cp932"),
        (1, "한국어", "cp949"),
        (2, "中文", "cp950"),
        (3, "Ελλάδα", "cp1253"),
        (4, "café", "mac_roman"),
    )
    words += ((5, "šķērso", "cp1257"), (6, "naïve", "cp1252"))
    body = b"".join(
        rb"\f%d %b\par " % (font, b"".join(rb"\'%02x" % code for code in text.encode(codec)))
        for font, text, codec in words
    )
    assert parse(b"{\\rtf1\\ansi\\ansicpg1251" + fonts + body + b"}", "a.rtf").text.split() == [
        text for _, text, _ in words
    ]
    mixed = "日本語ソ".encode("cp932").replace(b"\\", b"\\'5c").replace(b"{", b"\\{")  # second bytes as they stand
    assert parse(b"{\\rtf1\\ansi" + fonts + b"\\f0 " + mixed + b"}", "a.rtf").text == "日本語ソ"
    assert (
        parse(rb"{\rtf1\ansi{\fonttbl{\f0\fcharset0 x;}}\f0 \'cf\'f0\'e8\par}", "a.rtf", encoding="cp1251").text
        == "При"
    )
    with pytest.raises(ParseError, match="rot13"):
        parse(rb"{\rtf1\ansi caf\'e9\par}", "a.rtf", encoding="rot13")


def test_nothing_but_a_header() -> None:
    """It is the text then: a letterhead of which the rest was cut away."""
    document = read(rb"{\header\pard Animal Hospital\par Hank\par}\pard\par")
    assert blocks(document) == [("paragraph", "Animal Hospital\nHank")]
    assert not document.left_out


def test_groups_that_are_not_in_balance() -> None:
    """Braces closed too often or too seldom, settings without a group of their own, and no table of fonts at all."""
    over = parse(rb"{\rtf1 {one\par}}}{\pard two\par}three\par}", "a.rtf")
    assert over.text.split() == ["one", "two", "three"]
    assert over.warnings
    assert parse(rb"{\rtf1\colortbl\red0;\pard text\par}", "a.rtf").text.endswith("text")
    assert parse(rb"{\rtf1\*\pard text\par}", "a.rtf").text == "text"
    assert parse(rb"{\rtf\ansi{\b bold\par{\i deep", "a.rtf").text == "bold\n\ndeep"


def test_rtf_headings_follow_outline_level_or_style() -> None:
    """By the outline level of the paragraph, else of its style, else by the style's name; a title is of level 1."""
    document = read(
        rb"\pard\s1\outlinelevel0 One\par\pard\s2 Two\par\pard\plain text\par\pard\outlinelevel2 Three\par"
        rb"\pard\s1\outlinelevel9 no heading\par{\pard\s3 The title\par}text\par\pard\outlinelevel8 Nine\par"
    )
    assert [(document.text[block.start : block.end], block.level) for block in document.blocks if block.level] == [
        ("One", 1),
        ("Two", 2),
        ("Three", 3),
        ("The title", 1),
        ("Nine", 6),
    ]


def test_rtf_items_in_a_row_are_one_list() -> None:
    """Items that follow one another are one block; numbers stay, bullets are dashes, deeper items are indented."""
    item = rb"{\listtext\pard\f1 \'b7\tab}\ilvl0 "
    document = read(
        rb"\pard "
        + item
        + rb"One\par{\listtext 1.\tab}\pard\ilvl1 Two\line more\par\pard After\par{\pntext 2)\tab}Three\par"
    )
    assert blocks(document) == [("list", "- One\n  1. Two\n    more"), ("paragraph", "After"), ("list", "2) Three")]
    assert document.blocks[0].meta["depth"] == 2
    assert document.blocks[0].meta["items"] == 2
    numbered = read(rb"{\listtext 1.1\tab}\pard\s1 Birds\par\pard text\par")
    assert blocks(numbered)[0] == ("heading", "1.1 Birds")


def test_numbers_of_items() -> None:
    """As the program stored them, a lone digit or sign too; a lone letter is a bullet of a font of signs."""
    markers = [b"1", rb"\u9312 ?", rb"\u19977 ?", b"(b)", b"iv.", b"o", rb"\'a7", b"Article 3"]
    document = read(b"".join(rb"\pard{\listtext " + marker + rb"\tab}x\par" for marker in markers))
    assert document.text.split("\n") == ["1 x", "① x", "三 x", "(b) x", "iv. x", "- x", "- x", "Article 3 x"]
    cell = rb"\pard\intbl{\listtext 1.\tab}one\par{\listtext 2.\tab}two\par{\listtext o\tab}three\cell c\cell\row "
    assert "| 1. one 2. two three | c |" in read(rb"\trowd" + cell + rb"\trowd" + cell).text


def _table(rows: Sequence[Sequence[bytes]], header: bytes = b"") -> bytes:
    lines = (b"".join(rb"\pard\intbl %b\cell" % cell for cell in row) for row in rows)
    return b"".join(rb"\trowd%b\cellx1\cellx2%b\row " % (b"" if n else header, line) for n, line in enumerate(lines))


def test_rtf_tables_keep_their_rows() -> None:
    """Rows are rows, whatever is in their cells; header rows are marked, or told by what is in them."""
    document = read(
        rb"\pard a\par"
        + _table([(b"Name", b"Size"), (rb"Finch\par \'d6\'d0", b"3|4 cm")], rb"\trhdr")
        + rb"\pard b\par"
    )
    assert blocks(document) == [
        ("paragraph", "a"),
        ("table", "| Name | Size |\n| Finch 中 | 3\\|4 cm |"),
        ("paragraph", "b"),
    ]
    assert document.blocks[1].meta["rows"] == 1
    table = read(_table([(b"Name", b"Size"), (b"Finch", b"3"), (b"", b"4")])).blocks[0]
    assert (table.meta["rows"], table.meta["columns"], "header_end" in table.meta) == (2, 2, True)
    assert blocks(read(_table([(b"left", b"right")]))) == [("paragraph", "left"), ("paragraph", "right")]
    inner = read(
        _table([(rb"a {\itap2 in\nestcell it\nestcell{\*\nesttableprops\trowd\nestrow}}", b"b"), (b"c", b"d")])
    )
    assert inner.text == "| a in it | b |\n| c | d |"


def test_what_stands_next_to_the_text() -> None:
    """Notes and boxes follow their paragraph; a table is not parted by its notes; furniture is left out."""
    note = rb"{\super\chftn}{\footnote\pard\plain {\super\chftn} The %b note.}"
    document = read(
        rb"{\header Top\par}{\footerr Bottom\par}\pard Text" + note % b"first" + rb" goes on.{\*\annotation Hm.}\par "
        rb"Box here{\shp{\*\shpinst{\sp{\sn a}{\sv b}}{\shptxt\pard In the box\par}}{\shprslt again}} there\par"
        + _table([(b"a", b"b"), (b"c" + note % b"second", b"d")])
        + rb"\pard\s9 Contents 1\tab 3\par\pard {\object{\*\objdata 0102}{\result An object}}\par"
    )
    assert blocks(document) == [
        ("paragraph", "Text[1] goes on."),
        ("paragraph", "[1] The first note."),
        ("paragraph", "Box here there"),
        ("paragraph", "In the box"),
        ("table", "| a | b |\n| c[2] | d |"),
        ("paragraph", "[2] The second note."),
        ("paragraph", "An object"),
    ]
    left = [(document.text[one.start : one.end], one.reason) for one in document.left_out]
    assert left == [
        ("Contents 1 3", "table of contents"),
        ("Top", "page header"),
        ("Bottom", "page footer"),
        ("Hm.", "comment"),
    ]


def test_the_title_comes_from_the_rtf_information() -> None:
    """Of the file's information; nothing else in it is text."""
    document = read(rb"{\info{\title \'d6\'d0\'ce\'c4 title}{\author Somebody}{\creatim\yr2026}}\pard text\par")
    assert (document.title, document.text) == ("中文 title", "text")


def test_no_character_is_lost() -> None:
    """Paragraphs of any characters, in groups of any kind, come out as they were put in."""
    chance = random.Random(7)
    letters = "abc é中文字镕😀{}\\|—żЖ"
    for _ in range(60):
        paragraphs = ["".join(chance.choices(letters, k=chance.randint(1, 30))).strip() or "x" for _ in range(5)]
        body = b""
        for paragraph in paragraphs:
            body += rb"\pard " + b"".join(_escape(letter, chance) for letter in paragraph) + rb"\par "
        assert "".join(read(body).text.split()) == "".join("".join(paragraphs).split())


def _escape(letter: str, chance: random.Random) -> bytes:
    if letter in "{}\\":
        return b"\\" + letter.encode()
    if letter.isascii():
        return chance.choice([b"%b", b"{\\b %b}", b"{\\*\\x y}%b", b"\\b0 %b\r\n"]) % letter.encode()
    units = letter.encode("utf-16-le")
    return b"".join(
        rb"\u%d?" % int.from_bytes(units[n : n + 2], "little", signed=True) for n in range(0, len(units), 2)
    )


_WHOLE = (
    _HEAD
    + rb"\pard\s1 Birds\par\pard The finch sings in the morning.\par"
    + _table([(b"a", b"1"), (b"b", b"2")])
    + b"}"
)


def test_a_truncated_file() -> None:
    """What is there is read, with a word about it; nothing is text of the style sheet by accident."""
    document = parse(_WHOLE[:-60], "a.rtf")
    assert "The finch sings in the morning." in document.text
    assert "is truncated" in document.warnings[0]
    assert not parse(_WHOLE, "a.rtf").warnings
    assert parse(_WHOLE + b" } more", "a.rtf").text == parse(_WHOLE, "a.rtf").text


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"{\\rtf1 " + b"{" * 50_000 + b"deep" + b"}" * 50_000 + b"}", "deep"),
        (b"{\\rtf1 x" + b"{\\footnote a\\par" * 7_000, "x"),
        (b"{\\rtf1 x" + b'{\\field{\\*\\fldinst{HYPERLINK "a' * 20_000, "x"),
        (b"{\\rtf1 {\\fonttbl" + b"\\f1" * 100_000 + b"}x}", "x"),
        (b"{\\rtf1 {\\fonttbl{\\f0\\fcharset0 " + b"a" * 1_000_000 + b"}}x}", "x"),
        (b"{\\rtf1 {\\pict " + b"ab\n" * 1_000_000 + b"}x}", "x"),
        (b"{\\rtf1 {\\pict\\bin5 }}}}}}x\\bin999999999 y}", "x"),
        (b"{\\rtf1 x" + b"{\\*\\u{" * 70_000, "x"),
        (b"{\\rtf1 x" + b"\\upr{" * 70_000, "x"),
        (b"{\\rtf1 x" + b"\\u1\\uc9" * 70_000 + b"}", "x"),
        (b"{\\rtf1 x" + b"}" * 170_000 + b"{" * 170_000, "x"),
        (b"{\\rtf1 x" + b"}\\*" * 100_000 + b"\\par", "x"),
        (b"{\\rtf1 x\\bin\\bin-5 y\\u\\uc\\f\\s\\v\\v0 z}", "xy\ufffd"),
        (b"{\\rtf1 x" + b"\\trowd\\cell" * 20_000 + b"}", "x"),
        (b"{\\rtf1 x\\s99999999999\\outlinelevel-4 y\\par}", "x"),
        (b"{\\rtf1 x\\'zz\\'4\\" + b"}", "x"),
        ("{\\rtf1 x\ufdd0(\ufdd1\ufdd0)\ufdd1\\u-560?\\u-559?y}".encode(), "x"),
        (b"\xef\xbb\xbf {\\rtf1 x}}}}}}y", "x"),
    ],
)
def test_hostile_rtf_is_read_as_far_as_possible(data: bytes, text: str) -> None:
    """Nesting, searches without end, lengths that lie, numbers out of range, our own marks: read, and within the
    guard's bounds.
    """
    document = parse_guarded(data, "a.rtf")
    check(document)
    assert document.text.startswith(text)


def test_blocks_have_no_other_kinds() -> None:
    """RTF says nothing of code or quotes."""
    kinds = {block.type for block in parse(_WHOLE, "a.rtf").blocks}
    assert kinds == {BlockType.HEADING, BlockType.PARAGRAPH, BlockType.TABLE}


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (rb"{\b0\*\cs7\cf0 seen}", "seen"),
        (rb"{\b0\i0\*\unknown seen}", "seen"),
        (rb"{\*\cs15\b seen}", "seen"),
        (rb"{a \*b\*}", "a b"),
        (rb"seen\*\unknown  too", "seen too"),
        (rb"{\b{\i\*\cs7 seen}\*{\i too}}", "seentoo"),
        (rb"a{\*\unknown hidden}b", "ab"),
        (b"a{\r\n\\*\r\n\\unknown hidden}b", "ab"),
        (rb"a{\*\unknown{\b hidden}\*\cs7 hidden}b", "ab"),
        (rb"a{\b\*\bkmkstart hidden}b", "ab"),
        (rb"a{\*\generator\*\cs7 hidden;}b", "ab"),
        (rb"a{\*\shppict{\pict 0102}}b", "ab"),
        (rb"a{\*}b", "ab"),
        (rb"{\field{\*\fldinst HYPERLINK x}{\fldrslt{\ul\*\cs9 seen}}}", "seen"),
    ],
)
def test_a_star_hides_a_group_that_begins_with_it(data: bytes, text: str) -> None:
    """Further on in a group it means nothing; what no reader shows stays hidden wherever the star stands."""
    assert blocks(read(rb"{\f1 " + data + rb"\par}")) == [("paragraph", text)]


def test_a_star_in_the_style_sheet() -> None:
    """Names of character styles are no text, and make no paragraph a heading."""
    styles = rb"{\rtf1\ansi{\stylesheet{\s1\cf0{\*\hyphen2}\f0 Default;}{\*\cs7 Title;}{\*\cs8 heading 1;}}"
    assert blocks(read(rb"\pard\plain\s1{\*\hyphen2}{\i0\*\cs7 seen}\par", styles)) == [("paragraph", "seen")]


def test_the_file_that_failed() -> None:
    """Text behind a star in the middle of its group."""
    path = shared_data("wild/rtf_star/star_inside_group.rtf")
    assert parse(path.read_bytes(), path.name).text == "The pump starts by itself below four degrees."
