"""Form XObjects that draw one another are counted before pdfium draws them."""

from __future__ import annotations

import zlib
from pathlib import Path

import pytest

from chunking.errors import TooLargeError
from chunking.parsing.builder.reader_types import RawFile
from chunking.parsing.formats.pdf.characters.form_budget import MAX_DRAWN_FORMS, FormGraph, check_forms
from chunking.parsing.formats.pdf.pages import page_reading as collecting
from chunking.parsing.formats.pdf.reader import read_pdf
from tests.support.raw_pdf import pdf

_FIRST = 5
"""Number of the first form's object."""


def _stream(entries: bytes, content: bytes) -> bytes:
    return b"<< %b /Length %d >>\nstream\n%b\nendstream" % (entries, len(content), content)


def _form(content: bytes, child: int | None = None, entries: bytes = b"") -> bytes:
    resources = b"/Resources << /XObject << /X %d 0 R >> >>" % child if child else b""
    return _stream(b"/Type /XObject /Subtype /Form /BBox [0 0 9 9] %b %b" % (resources, entries), content)


def _file(*forms: bytes, content: bytes = b"/X Do", page: bytes = b"") -> RawFile:
    """One page with the word Hello that draws the first of some forms."""
    font = b"/Font << /F1 << /Type /Font /Subtype /Type1 /BaseFont /Helvetica >> >>"
    resources = b"/Resources << /XObject << /X %d 0 R >> %b >>" % (_FIRST, font)
    data = pdf(
        [
            b"<< /Type /Catalog /Pages 2 0 R >>",
            b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
            b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R %b %b >>" % (resources, page),
            _stream(b"", b"BT /F1 12 Tf 72 700 Td (Hello) Tj ET " + content),
            *forms,
        ]
    )
    return RawFile(data, "forms.pdf")


def _ladder(levels: int, times: int) -> list[bytes]:
    """Forms each of which draws the next one several times."""
    return [_form(b"/X Do " * times, _FIRST + n + 1) for n in range(levels - 1)] + [_form(b"0 0 m 9 9 l S")]


class TestRefusal:
    @pytest.mark.parametrize("times", [2, 3])
    def test_a_form_that_draws_itself(self, times: int) -> None:
        with pytest.raises(TooLargeError, match=f"{MAX_DRAWN_FORMS:,}"):
            check_forms(_file(_form(b"/X Do " * times, _FIRST)))

    def test_thirty_levels_of_two(self) -> None:
        with pytest.raises(TooLargeError, match="forms"):
            check_forms(_file(*_ladder(30, 2)))

    def test_two_forms_that_draw_each_other(self) -> None:
        with pytest.raises(TooLargeError):
            check_forms(_file(_form(b"/X Do /X Do", _FIRST + 1), _form(b"/X Do /X Do", _FIRST)))

    def test_a_form_without_resources_looks_its_names_up_where_it_is_drawn(self) -> None:
        with pytest.raises(TooLargeError):
            check_forms(_file(_form(b"/X Do /X Do")))

    def test_packed_content_and_escaped_names(self) -> None:
        packed = zlib.compress(b"/#58 % again\n Do " * 3)
        with pytest.raises(TooLargeError):
            check_forms(_file(_form(packed, _FIRST, b"/Filter /FlateDecode")))

    def test_one_large_form_drawn_very_often(self) -> None:
        form = _form(zlib.compress(b"0 0 m 9 9 l S " * 100_000), entries=b"/Filter /FlateDecode")
        with pytest.raises(TooLargeError, match="1,024 MB"):
            check_forms(_file(form, content=b"/X Do " * 1_000))

    def test_the_looks_of_a_field_are_counted(self) -> None:
        field = b"/Annots [<< /Type /Annot /Subtype /Widget /Rect [0 0 9 9] /AP << /N << /On 5 0 R >> >> >>]"
        with pytest.raises(TooLargeError):
            check_forms(_file(*_ladder(30, 2), content=b"", page=field))

    def test_it_comes_before_any_page_is_loaded(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(collecting.Pages, "read", lambda *_: pytest.fail("a page was loaded"))
        with pytest.raises(TooLargeError):
            read_pdf(_file(*_ladder(30, 2)))


class TestReading:
    def test_forms_within_reason_are_read(self) -> None:
        assert "Hello" in read_pdf(_file(*_ladder(6, 2))).text

    def test_a_form_that_draws_itself_once_ends_at_pdfiums_depth(self) -> None:
        assert "Hello" in read_pdf(_file(_form(b"/X Do", _FIRST))).text

    def test_each_form_is_unpacked_once_however_often_it_is_drawn(self, monkeypatch: pytest.MonkeyPatch) -> None:
        unpacked = []
        original = FormGraph._unpacked
        monkeypatch.setattr(
            FormGraph, "_unpacked", lambda self, stream: unpacked.append(stream.objid) or original(self, stream)
        )
        FormGraph(_file(*_ladder(30, 2)).data).follow()
        assert sorted(unpacked) == list(range(4, _FIRST + 30))

    def test_a_file_without_forms_is_not_followed(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(FormGraph, "follow", lambda self: pytest.fail("there is no form"))
        check_forms(_file(_stream(b"/Type /XObject /Subtype /Image", b"")))

    def test_what_pdfminer_cannot_follow_is_left_to_pdfium(self) -> None:
        raw = _file(_form(b"/X Do /X Do", _FIRST))
        check_forms(RawFile(raw.data.replace(b"/Kids", b"/Kid_").replace(b"/Root", b"/Rooo"), "broken.pdf"))


def test_samples_are_within_the_limits() -> None:
    for path in (Path(__file__).parents[4] / "sample_data").rglob("*.pdf"):
        check_forms(RawFile(path.read_bytes(), path.name))
