"""The document record, files and folders, and every bad input that reading meets."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from chunking.errors import ParseError, TooLargeError
from chunking.parsing import FORMATS, MAX_BYTES, document, find_files, parse, parse_file
from chunking.parsing.formats.markup import line_blocks
from tests.support.laws_documents import check
from tests.support.shared_data import shared_data, shared_files


def test_a_document_has_every_field_from_its_bytes_and_path() -> None:
    """Every field of a document, from its bytes and path."""
    data = "# 安装\n\n请先关闭电源，然后打开盖子。\n\n## 步骤\n\n完成。\n".encode()
    read = parse(data, "manual/api/安装.md", updated_at="2026-01-02T03:04:05+00:00")
    assert (read.doc_id, read.source, read.title, read.format) == (
        "manual_api_安装",
        "manual/api/安装.md",
        "安装",
        "markdown",
    )
    assert (read.category, read.path_hierarchy, read.language, read.encoding) == (
        "api",
        ("manual", "api"),
        "zh",
        "utf-8",
    )
    assert (read.hash, read.updated_at) == (hashlib.sha256(data).hexdigest(), "2026-01-02T03:04:05+00:00")
    assert read.doc_toc == "安装\n  步骤"
    assert parse(data, "x.md", doc_id="mine").sections[1].section_id == "mine_sec1"


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("This is the text of a manual for the people who read it.", "en"),
        ("这是一本手册，请先阅读 README.md 文件。", "zh"),
        ("これはマニュアルです。電源を切ってください。", "ja"),
        ("이것은 설명서입니다.", "ko"),
        ("Das ist ein Text für die Leute, die ihn lesen, und nicht mehr.", "de"),
        ("Это руководство для тех, кто его читает.", "ru"),
        ("Det är en bok om hunden som inte ville sova.", "sv"),
        ("Den gik af sted til skoven, og så kom den tilbage fra turen.", "da"),
        ("Den gikk av sted til skogen, og så kom den tilbake fra turen.", "nb"),
        ("Kirja on hyvä, mutta se ei ole uusi, ja hän sanoi niin.", "fi"),
        ("A könyv nagyon jó, de nem új, és azt mondta, hogy ez már volt.", "hu"),
        ("Cartea nu este nouă, dar sunt mai multe cărți în oraș, și ce mai cărți.", "ro"),
        ("Bu kitap çok güzel ve yeni bir kitap için daha sonra geleceğim.", "tr"),
        ("I. M. and I. V. doses", "en"),
        ("123 456", "und"),
        ("插槽\n\n[演练](https://play.example.org/#eNpdUdlqAyEUabcdefghijklmnopqrstuvwxyz) 中文", "zh"),
    ],
)
def test_the_language_is_guessed_by_script_and_small_words(text: str, language: str) -> None:
    """By script and small words; addresses and code do not count."""
    assert parse(text.encode(), "a.md").language == language


@pytest.mark.parametrize(
    "data", [b"", b" \n\t\r\n", "\u3000\u2003\n".encode(), b"\xef\xbb\xbf", "\ufeff\n".encode("utf-16")]
)
@pytest.mark.parametrize("name", ["a.md", "a.txt", "a"])
def test_a_file_without_a_letter_is_refused(data: bytes, name: str) -> None:
    """A file without a letter is refused, and the sentence says so."""
    with pytest.raises(ParseError, match=f"{name} is empty"):
        parse(data, name)


def test_headings_without_text_are_a_document_with_a_warning() -> None:
    """Headings without text are a document, with a sentence about it."""
    read = parse(b"# A\n## B\n### C\n", "a.md")
    check(read)
    assert len(read.sections) == 3
    assert "nothing but headings" in read.warnings[0]


def test_4_mb_of_text() -> None:
    """Megabytes of paragraphs are read whole."""
    read = parse((b"Some words that make a line of text.\n" * 9 + b"\n") * 12_000, "a.txt")
    assert len(read.text) > 4_000_000
    assert len(read.blocks) == 12_000


@pytest.mark.parametrize("name", ["a.md", "a.txt"])
def test_one_line_of_5_mb(name: str) -> None:
    """A line without an end is one paragraph."""
    (block,) = parse(b"word " * 1_000_000, name).blocks
    assert (block.start, block.end, block.line) == (0, 4_999_999, 1)


def test_a_file_over_the_limit_is_refused_before_it_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Over the limit: a sentence with both numbers, before the file is read."""
    with pytest.raises(TooLargeError, match=r"50\.0 MB; the limit is 50 MB"):
        parse(bytes(MAX_BYTES + 1), "a.md")
    (tmp_path / "a.md").write_bytes(b"x" * 2_000)
    monkeypatch.setattr(document, "MAX_BYTES", 1_000)
    with pytest.raises(TooLargeError):
        parse_file(tmp_path / "a.md")
    monkeypatch.setattr(line_blocks, "MAX_LINES", 10)
    with pytest.raises(TooLargeError, match="more than 10 lines"):
        parse(b"a\n" * 11, "a.md")


def test_the_ending_decides_the_format_in_any_case() -> None:
    """By ending in any case; an unknown ending is read as text when it is text, else the formats are named."""
    assert parse(b"# A", "A.MD").format == "markdown"
    assert parse(b"# A", "README").format == parse(b"# A", "a.tex").format == "text"
    with pytest.raises(ParseError, match=r"photo\.png is a PNG image .*: Markdown, .*text, .*\.$"):
        parse(b"\x89PNG\r\n\x1a\n\x00\x00", "photo.png")
    endings = [ending for row in FORMATS for ending in row.extensions]
    assert {ending for ending in endings if endings.count(ending) > 1} <= {".json"}


def test_files_and_folders(tmp_path: Path) -> None:
    """A folder is read recursively, sorted, without hidden, installed and unknown files; a named file always."""
    for name in (
        "b/two.md",
        "a.txt",
        ".git/x.md",
        "b/.hidden.md",
        "b/three.bin",
        "c.tex",
        "node_modules/x.js",
        "d.sql",
    ):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("# T\n\nx")
    files = find_files([tmp_path, tmp_path / "c.tex", tmp_path / "a.txt"])
    assert [(file.relative_to(tmp_path).as_posix(), root == tmp_path) for file, root in files] == [
        ("a.txt", True),
        ("b/two.md", True),
        ("d.sql", True),
        ("c.tex", True),
    ]
    read = parse_file(tmp_path / "b/two.md", root=tmp_path)
    assert (read.source, read.doc_id) == ("b/two.md", "b_two")
    assert read.updated_at.endswith("+00:00")
    assert parse_file(tmp_path / "b/two.md").source == "two.md"


def test_files_that_cannot_be_opened(tmp_path: Path) -> None:
    """Missing files and folders are sentences."""
    with pytest.raises(ParseError, match="cannot be opened"):
        parse_file(tmp_path / "none.md")
    with pytest.raises(ParseError, match="cannot be opened"):
        parse_file(tmp_path)
    with pytest.raises(ParseError, match="does not exist"):
        find_files([tmp_path / "none"])


def _pipe(path: Path, text: str, broken: list[bool]) -> threading.Thread:
    """A pipe that somebody writes `text` to; `broken` is told whether the reader left before the end."""
    os.mkfifo(path)

    def write() -> None:
        try:
            path.write_text(text)
        except BrokenPipeError:
            broken.append(True)

    writer = threading.Thread(target=write)
    writer.start()
    return writer


def test_pipes_are_read_up_to_the_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Shells hand over pipes (`<(…)`), whose size nobody knows before: one over the limit is not read into memory."""
    monkeypatch.setattr(document, "MAX_BYTES", 1_000)
    broken: list[bool] = []
    writer = _pipe(tmp_path / "small.md", "# A\n\nx", broken)
    assert parse_file(tmp_path / "small.md").text == "# A\n\nx"
    writer.join()
    assert not broken
    writer = _pipe(tmp_path / "large.md", "x" * 1_000_000, broken)
    with pytest.raises(TooLargeError, match="the limit is"):
        parse_file(tmp_path / "large.md")
    writer.join()
    assert broken


def test_a_file_comes_once_however_it_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In its folder, by an absolute path, by a way round."""
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "x.md").write_text("x")
    monkeypatch.chdir(tmp_path)
    ways = [Path("a/x.md"), tmp_path / "a", tmp_path / "a" / ".." / "a" / "x.md", Path("a")]
    assert find_files(ways) == [(Path("a/x.md"), Path("a"))]


def test_paths_that_cannot_be_looked_at(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A name too long for the disk is a sentence; a closed folder is told when it is read, and the rest is found."""
    with pytest.raises(ParseError, match="cannot be opened"):
        find_files([tmp_path / ("long" * 100)])
    (tmp_path / "closed").mkdir()
    (tmp_path / "x.md").write_text("x")
    listed = os.scandir

    def scandir(place: str | Path) -> object:
        if Path(place).name == "closed":
            raise PermissionError(13, "Permission denied", str(place))
        return listed(place)

    monkeypatch.setattr(os, "scandir", scandir)
    closed, good = (file for file, _ in find_files([tmp_path]))
    assert good.name == "x.md"
    with pytest.raises(ParseError, match="cannot be opened"):
        parse_file(closed, root=tmp_path)


def test_equal_file_names_in_two_folders_have_two_ids() -> None:
    """In two folders they have two ids; in one place `taken` tells them apart."""
    assert parse(b"x", "a/readme.md").doc_id != parse(b"x", "b/readme.md").doc_id


def test_parsers_are_imported_late() -> None:
    """Importing the library does not import a parser."""
    code = (
        "import sys, chunking.parsing; sys.exit(any(name.startswith(('markdown_it', 'charset_normalizer')) for "
        "name in sys.modules))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False, env=os.environ).returncode == 0


@pytest.mark.parametrize("path", shared_files("markdown_zh/*.md"), ids=lambda path: path.name)
def test_real_markdown_pages_keep_the_laws(path: Path) -> None:
    """Pages of a Chinese manual keep the laws; every fence is one block, every heading outside fences one section."""
    read = parse_file(shared_data(path))
    check(read)
    assert read.language == "zh"
    assert read.warnings == ()
    fences, headings, inside = 0, 0, ""
    for line in read.text.split("\n"):
        bare = line.strip()
        if inside:
            inside = "" if bare == inside else inside
        elif bare.startswith("```"):
            inside, fences = "```", fences + 1
        elif line.startswith("#"):
            headings += 1
    assert sum(block.type == "code" and block.meta["fenced"] for block in read.blocks) == fences
    assert sum(section.level > 0 for section in read.sections) == headings


@pytest.mark.parametrize(
    ("name", "encoding"),
    [
        ("fake-text-utf-16.txt", "utf-16-le"),
        ("fake-text-utf-32.txt", "utf-32-le"),
        ("norwich-city.txt", "utf-8"),
        ("empty.txt", ""),
        ("fake-text-all-whitespace.txt", ""),
        ("hebrew-text-base64-iso88598i.txt", "utf-8"),
    ],
)
def test_real_text_files_keep_the_laws(name: str, encoding: str) -> None:
    """Text files in several encodings keep the laws; the empty ones are refused in a sentence."""
    path = shared_data(f"text/{name}")
    if not encoding:
        with pytest.raises(ParseError, match=f"{name} is empty"):
            parse_file(path)
        return
    read = parse_file(path)
    check(read)
    assert read.encoding == encoding


def test_chapters_are_no_title() -> None:
    """Where several headings are of level 1, none of them names the document; its metadata may."""
    chapters = "---\ntitle: The Guide\n---\n\n# One\n\na\n\n# Two\n\nb\n"
    assert parse(chapters.encode(), "guide.md").title == "The Guide"
    assert parse(chapters[chapters.index("# One") :].encode(), "guide.md").title == "One"
