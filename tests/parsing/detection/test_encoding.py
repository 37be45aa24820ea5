"""Bytes to text: what is known, what is guessed and said, what is refused."""

from __future__ import annotations

import codecs
import random
import zipfile
from io import BytesIO

import pytest

from chunking.errors import ParseError
from chunking.parsing import parse
from chunking.parsing.detection.encoding import decode

_CHINESE = "本手册说明如何安装和使用网关。请先关闭电源，然后打开盖子。\n如果您有问题，可以在这里找到我们的地址。\n"
_TRADITIONAL = "本手冊說明如何安裝和使用閘道。請先關閉電源，然後打開蓋子。\n如果您有問題，可以在這裡找到我們的地址。\n"
_JAPANESE = "この説明書では、ゲートウェイの使い方について説明します。\nまず電源を切ってください。\n"
_KOREAN = "이 설명서는 게이트웨이를 설치하고 사용하는 방법을 설명합니다. 먼저 전원을 끄십시오.\n"
_RUSSIAN = "Это руководство объясняет, как установить и использовать шлюз. Сначала выключите питание.\n"
_FRENCH = "Ce manuel explique où installer la passerelle. Déjà prêt ? Coupez d'abord le courant, à gauche.\n"


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        (_CHINESE, "gb18030"),
        (_TRADITIONAL, "big5"),
        (_JAPANESE, "shift_jis"),
        (_JAPANESE, "euc_jp"),
        (_KOREAN, "euc_kr"),
        (_RUSSIAN, "cp1251"),
        (_RUSSIAN, "koi8_r"),
        (_RUSSIAN, "cp866"),
        (_RUSSIAN, "iso8859_5"),
        ("Die Größe der Tür war für die Möbel äußerst ungünstig, dazu café und déjà vu.\n", "cp437"),
        (_FRENCH, "cp1252"),
        (_CHINESE, "utf-16-le"),
        (_CHINESE, "utf-16-be"),
        (_FRENCH, "utf-16-le"),
        (_FRENCH, "utf-32-be"),
    ],
)
def test_a_guessed_encoding_is_right_and_reported(text: str, encoding: str) -> None:
    """Read right, and said: the guess, how sure, and what to do when it is wrong."""
    decoded = decode(text.encode(encoding), "a.txt")
    assert (decoded.text, decoded.encoding) == (text, encoding)
    (warning,) = decoded.warnings
    assert encoding.upper() in warning
    assert "% sure" in warning
    assert "choose the encoding" in warning


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        ("编号,名称,价格\r\n1,苹果,3.5\r\n2,香蕉,4\r\n3,葡萄,12\r\n", "gb18030"),
        ("姓名,部门\n张三,研发\n李四,市场\n", "gb18030"),
        ("번호,이름,가격\n1,사과,3.5\n2,포도,4\n", "euc_kr"),
        ("編號,名稱,價格\n1,蘋果,3.5\n2,葡萄,4\n", "big5"),
        ("番号,名前,価格\n1,りんご,3.5\n2,ぶどう,4\n", "shift_jis"),
    ],
)
def test_columns_of_names(text: str, encoding: str) -> None:
    """Tables hold none of the words that are common in running text."""
    decoded = decode(text.encode(encoding), "a.csv")
    assert (decoded.text, decoded.encoding) == (text, encoding)


@pytest.mark.parametrize("encoding", ["cp500", "cp037"])
def test_ebcdic_is_recognised_by_its_spaces(encoding: str) -> None:
    """Of mainframes: recognised by its spaces, with line ends as others have them, and the other code page told."""
    text = "The finch sings in the morning.\nIt is 3 cm long (or so).\n"
    decoded = decode(text.replace("\n", "\x85").encode(encoding), "a.txt")
    assert decoded.text == text
    assert all(name in decoded.warnings[0].lower() for name in ("ebcdic", "cp500", "cp037"))
    assert decode(text.replace("\n", "\x85").encode(encoding), "a.txt", encoding).text == text


@pytest.mark.parametrize(
    "text", ["user@host.com,name@host.org\n" * 9, "@" * 90, "@a" * 90, "a@b@c\n" * 20, "日本@" * 20]
)
def test_a_text_full_of_at_signs_is_no_ebcdic(text: str) -> None:
    """Text full of `@` is no text of a mainframe."""
    assert decode(text.encode(), "a.txt").text == text


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be", "utf-8"])
def test_byte_order_marks(encoding: str) -> None:
    """A mark settles it and is not part of the text; only UTF-8 goes without saying."""
    decoded = decode(("\ufeff" + _CHINESE).encode(encoding), "a.txt")
    assert (decoded.text, decoded.encoding, len(decoded.warnings)) == (_CHINESE, encoding, int(encoding != "utf-8"))


def test_utf8_says_nothing() -> None:
    """The ordinary case has no warning."""
    assert decode(_CHINESE.encode(), "a.txt") == decode(_CHINESE.encode(), "a.txt", "utf-8")
    assert decode(_CHINESE.encode(), "a.txt").warnings == ()


def test_the_user_knows_better() -> None:
    """A chosen encoding is used without a guess; what does not fit it is counted."""
    assert decode(_CHINESE.encode("gb18030"), "a.txt", "GBK").text == _CHINESE
    decoded = decode("é".encode() + b"a", "a.txt", "ascii")
    assert decoded.text == "\ufffd\ufffda"
    assert decoded.warnings[0].startswith("2 places")
    assert decode(("\ufeff" + _FRENCH).encode("utf-16-be"), "a.txt", "utf-16").text == _FRENCH


@pytest.mark.parametrize("encoding", ["no such", "hex", "undefined", "a\x00b", "ü"])
def test_an_unknown_encoding_lists_known_ones(encoding: str) -> None:
    """A name that is no text encoding is a sentence that lists some."""
    with pytest.raises(ParseError, match="an encoding such as"):
        decode(b"abc", "a.txt", encoding)


def test_a_few_bad_bytes_keep_the_file_utf8() -> None:
    """A few bad bytes in UTF-8 do not turn the whole file into mojibake; they are counted and shown."""
    data = (_CHINESE * 20).encode()
    decoded = decode(data[:100] + b"\xff\xfe" + data[100:], "a.txt")
    assert decoded.encoding == "utf-8"
    assert decoded.text.count("\ufffd") >= 2
    assert "as UTF-8" in decoded.warnings[0]


def test_nul_and_surrogates() -> None:
    """A NUL or half a surrogate pair becomes U+FFFD, one for one, with a sentence; the store could not keep them."""
    decoded = decode(b"a" * 200 + b"\x00" + b"b" * 200, "a.txt")
    assert decoded.text[200] == "\ufffd"
    assert "1 character (NUL" in decoded.warnings[0]
    halves = decode("a\ud800b\udc00".encode("utf-16-le", "surrogatepass"), "a.txt", "utf-16-le")
    assert "\ufffd" in halves.text
    assert not any("\ud800" <= c <= "\udfff" for c in halves.text)
    halves = decode(codecs.BOM_UTF8 + "a\ud800b".encode("utf-8", "surrogatepass"), "a.txt")
    assert halves.text.startswith("a\ufffd")
    assert halves.warnings


def _zip() -> bytes:
    out = BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("some/file.txt", "x")
    return out.getvalue()


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        (b"\x89PNG\r\n\x1a\n" + bytes(50), "is a PNG image and cannot be read"),
        (_zip(), "an archive"),
        (b"%PDF-1.7\n%abc\n", "as a PDF"),
        (b"\x7fELF\x02\x01\x01" + bytes(9), "is a program and cannot be read"),
        (random.Random(1).randbytes(5_000), "a binary file"),
        (bytes(range(1, 9)) * 500, "a binary file"),
        (b"ab\x00\x01" * 1_000, "a binary file"),
    ],
)
def test_binary_named_md(data: bytes, sentence: str) -> None:
    """A picture, an archive or noise under the name of a document is refused in one sentence that says what it is."""
    with pytest.raises(ParseError, match=sentence):
        parse(data, "notes.md")


def test_text_that_opens_like_a_format() -> None:
    """Words that happen to be a format's mark are words."""
    assert decode(b"RIFF is a container format.\nMZ\x90", "a.txt").text.startswith("RIFF")
