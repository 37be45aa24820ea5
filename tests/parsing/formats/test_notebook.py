"""Notebooks: cells and outputs in their order, each on the page that is its cell, of any version of nbformat."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunking import chunk_document
from chunking.config import ChunkConfig, Config
from chunking.errors import ParseError, TooLargeError
from chunking.model import Block, BlockType, Document
from chunking.parsing import MAX_BYTES, parse, parse_guarded
from chunking.parsing.formats import notebook as reader
from chunking.parsing.formats.notebook import MAX_OUTPUT
from chunking.retrieval.results.citation import cite
from tests.support.laws_chunks import check_cutting
from tests.support.laws_documents import check
from tests.support.shared_data import shared_data

Cell = dict[str, Any]


def notebook(*cells: Cell, version: int = 4, **metadata: object) -> bytes:
    """A notebook of these cells."""
    about = {"language_info": {"name": "python"}, **metadata}
    body: dict[str, object] = {"cells": list(cells)} if version == 4 else {"worksheets": [{"cells": list(cells)}]}
    return json.dumps({**body, "metadata": about, "nbformat": version}).encode()


def markdown(source: str | list[str]) -> Cell:
    """A Markdown cell."""
    return {"cell_type": "markdown", "metadata": {}, "source": source}


def code(source: str | list[str], *outputs: Cell, **more: object) -> Cell:
    """A code cell."""
    return {"cell_type": "code", "metadata": {}, "source": source, "outputs": list(outputs), **more}


def stream(text: str | list[str], name: str = "stdout") -> Cell:
    """What a cell printed."""
    return {"output_type": "stream", "name": name, "text": text}


def result(**data: object) -> Cell:
    """What a cell gave, its types written with an underscore."""
    return {"output_type": "execute_result", "data": {kind.replace("_", "/"): value for kind, value in data.items()}}


def read(*cells: Cell, version: int = 4, **metadata: object) -> Document:
    """A lawful document of these cells."""
    document = parse(notebook(*cells, version=version, **metadata), "a.ipynb")
    check(document)
    assert document.format == "notebook"
    return document


def texts(document: Document, kind: BlockType) -> list[str]:
    """The blocks of a type."""
    return [document.text[block.start : block.end] for block in document.blocks if block.type is kind]


def block_of(document: Document, words: str) -> Block:
    """The block in which some words stand."""
    return next(block for block in document.blocks if words in document.text[block.start : block.end])


def test_a_file_as_jupyter_saves_it() -> None:
    """Headings are sections, code has the kernel's language, and what a cell printed follows it."""
    document = parse(shared_data("wild/ipynb/nb.ipynb").read_bytes(), "nb.ipynb")
    check(document)
    assert (document.format, document.title, document.page_count, document.warnings) == ("notebook", "Load data", 3, ())
    assert [section.title_path for section in document.sections] == [("Load data",), ("Load data", "Plot")]
    printed = block_of(document, "rows: 1200")
    assert (printed.type, printed.page) == (BlockType.CODE, 2)
    assert block_of(document, "read_csv").meta["language"] == "python"
    assert "\\n" not in document.text


def test_lines_are_a_list_or_one_text() -> None:
    """Both make the same document."""
    cells = [(markdown(form), code(form, stream(form))) for form in ("# A\n\nb", ["# A\n", "\n", "b"])]
    assert read(*cells[0]).text == read(*cells[1]).text


def test_a_code_comment_opens_no_section() -> None:
    """`# read the csv` in code is no heading, and neither is one in what it printed."""
    document = read(markdown("# Data"), code("# read\nx", stream("# printed\n")), markdown("## Plot\ntext"))
    assert [section.title for section in document.sections] == ["Data", "Plot"]


def test_notebooks_of_older_versions_are_read() -> None:
    """Worksheets, heading cells, `input`, `pyout` and data by short names."""
    old = {
        "cell_type": "code",
        "language": "julia",
        "input": ["f(x) = 2x\n", "f(2)"],
        "prompt_number": 4,
        "outputs": [
            {"output_type": "pyout", "text": ["4"], "prompt_number": 4},
            {"output_type": "stream", "stream": "stderr", "text": "slow"},
            {
                "output_type": "pyerr",
                "ename": "BoundsError",
                "evalue": "at 5",
                "traceback": ["\x1b[31mBoundsError\x1b[0m: at 5"],
            },
        ],
    }
    document = read({"cell_type": "heading", "level": 2, "source": ["Old *times*"]}, old, version=3)
    assert [(section.level, section.title) for section in document.sections] == [(2, "Old times")]
    block = block_of(document, "f(2)")
    assert (block.meta["language"], block.meta["execution_count"]) == ("julia", 4)
    assert texts(document, BlockType.CODE)[1:] == ["4", "slow", "BoundsError: at 5"]


def test_an_error_is_text_without_colours() -> None:
    """The traceback as it stands on the screen; its last line is not said twice."""
    trace = [
        "\x1b[0;31m---------\x1b[0m",
        "\x1b[0;31mKeyError\x1b[0m Traceback",
        "\x1b[1;32m      1\x1b[0m d['x']",
        "KeyError: 'x'",
    ]
    document = read(code("d['x']", {"output_type": "error", "ename": "KeyError", "evalue": "'x'", "traceback": trace}))
    assert "\x1b" not in document.text
    assert "[0;31m" not in document.text
    assert document.text.count("KeyError: 'x'") == 1
    bare = read(code("f()", {"output_type": "error", "ename": "ValueError", "evalue": "no such bird", "traceback": []}))
    assert "ValueError: no such bird" in bare.text


def test_a_stream_in_pieces_is_one_output() -> None:
    """With what was written over left out: of a progress bar its end stays."""
    document = read(code("run()", stream("one\n"), stream(["two\n", " 10%\r 50%\r100%\n"]), stream("warn", "stderr")))
    assert texts(document, BlockType.CODE)[1:] == ["one\ntwo\n100%", "warn"]


_FRAME = (
    "<div><style scoped>.dataframe td {color: red}</style><table border='1' "
    "class='dataframe'><thead><tr><th></th><th>species</th>"
    "<th>count</th></tr></thead><tbody><tr><th>0</th><td>finch</td><td>3</td></tr><tr><th>1</th><td>bittern</td><td>1</td></tr>"
    "</tbody></table><p>2 rows × 2 columns</p></div>"
)


def test_a_data_frame_is_a_table() -> None:
    """HTML tables are tables with their header; the text beside them is not read twice."""
    document = read(code("df", result(text_html=_FRAME, text_plain="   species  count\n0    finch      3")))
    block = next(block for block in document.blocks if block.type is BlockType.TABLE)
    assert (block.meta["rows"], block.page) == (2, 1)
    assert "| 0 | finch | 3 |" in document.text
    assert "species  count" not in document.text
    assert "color: red" not in document.text


def test_the_form_that_says_most() -> None:
    """Markdown before text, LaTeX as an equation, HTML where the text only names the object, JSON where there is
    nothing else.
    """
    document = read(
        code("a", result(text_markdown="**bold** answer", text_plain="<IPython.core.display.Markdown object>")),
        code("b", result(text_latex="$x^2$", text_plain="x**2")),
        code("c", result(text_html="<b>shown</b>", text_plain="<IPython.core.display.HTML object>")),
        code("d", {"output_type": "display_data", "data": {"application/json": {"depth": [1, 2]}}}),
        code("e", result(text_html="<b>7</b>", text_plain="7")),
    )
    assert "bold" in document.text
    assert "object>" not in document.text
    assert texts(document, BlockType.EQUATION) == ["$x^2$"]
    assert "shown" in document.text
    assert '"depth"' in document.text
    assert block_of(document, "7").type is BlockType.CODE


def test_pictures_and_attachments() -> None:
    """No picture is in the text, whether put out, pasted or attached; what is said of it is."""
    image = "iVBORw0KGgo" + "A" * 5_000
    pasted = {
        **markdown(f"![chart](attachment:c.png) ![x](data:image/png;base64,{image}) seen"),
        "attachments": {"c.png": {"image/png": image}},
    }
    output = {
        "output_type": "display_data",
        "data": {"image/png": image, "text/plain": "<Figure size 640x480 with 1 Axes>"},
    }
    document = read(
        pasted, code("plot()", output, {"output_type": "display_data", "data": {"image/svg+xml": "<svg/>"}})
    )
    assert "AAAA" not in document.text
    assert "seen" in document.text
    assert texts(document, BlockType.IMAGE) == ["<Figure size 640x480 with 1 Axes>", "<image/svg+xml>"]


def test_the_language_of_a_cell() -> None:
    """The kernel's, but for cells that a magic or an editor gives another."""
    document = read(
        code("x <- 1"),
        code("%%bash\nls -l"),
        code("%%time\ny"),
        code("select 1", metadata={"vscode": {"languageId": "SQL"}}),
        language_info={"name": "R"},
    )
    assert [block.meta["language"] for block in document.blocks] == ["r", "bash", "r", "sql"]
    kernel = parse(
        json.dumps({"cells": [code("x")], "metadata": {"kernelspec": {"language": "julia"}}}).encode(), "a.ipynb"
    )
    assert kernel.blocks[0].meta["language"] == "julia"


def test_raw_cells_are_metadata_or_text() -> None:
    """Front matter is metadata; others are the text of their kind."""
    raw = [
        {"cell_type": "raw", "metadata": {}, "source": "---\ntitle: Reeds\n---"},
        {"cell_type": "raw", "metadata": {"raw_mimetype": "text/latex"}, "source": "\\section{Reeds}"},
        {"cell_type": "raw", "metadata": {"format": "text/html"}, "source": "<p>In HTML</p>"},
        {"cell_type": "raw", "metadata": {}, "source": "Just words."},
    ]
    document = read(*raw)
    assert [block.type for block in document.blocks] == [
        BlockType.METADATA,
        BlockType.CODE,
        BlockType.PARAGRAPH,
        BlockType.PARAGRAPH,
    ]
    assert document.blocks[1].meta["language"] == "latex"


def test_a_hit_cites_its_cell() -> None:
    """The place of a chunk is the number of its cell, and Markdown in it is cleaned for the model."""
    document = read(
        markdown("# Reeds\n\nThe *finch* sings."), code("print(1)\n"), markdown("## More\n\nIt is `small`.")
    )
    chunks = chunk_document(document, Config(chunk=ChunkConfig(size=40)))
    last = next(chunk for chunk in chunks if "small" in chunk.content)
    assert " · cell 3 · " in cite(last)
    assert "It is small." in last.embedding_content


def test_recognised_by_its_content() -> None:
    """Under another ending, and under none."""
    data = notebook(markdown("# T\n\nx"), code("y"))
    assert parse(data, "a.json").format == parse(data, "a").format == parse(data, "a.txt").format == "notebook"


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"[]",
        b"{}",
        b"{",
        b'{"cells": 3}',
        b'{"cells": {}}',
        b'{"cells": [',
        b"\x89PNG\r\n\x1a\n\0",
        b'{"cells": []}',
    ],
)
def test_an_invalid_notebook_is_one_sentence(data: bytes) -> None:
    """One sentence that names the file."""
    with pytest.raises(ParseError) as caught:
        parse(data, "a.ipynb")
    assert "a.ipynb" in str(caught.value)


def test_odd_values_in_a_notebook_do_no_harm() -> None:
    """Wherever a text, number or list belongs, anything may stand: what can be read is."""
    odd: list[Any] = [None, 3, True, [], {}, [None], "x", [[["x"]]]]
    cells: list[Any] = [
        None,
        3,
        [],
        {"cell_type": None},
        {"cell_type": "code"},
        *({"cell_type": "code", "source": one, "outputs": one} for one in odd),
    ]
    cells += [
        code("y", *({"output_type": "execute_result", "data": {"text/plain": one, "text/html": one}} for one in odd))
    ]
    cells += [{"cell_type": "heading", "level": one, "source": "T"} for one in odd]
    document = parse(json.dumps({"cells": [*cells, markdown("Still read.")], "metadata": None}).encode(), "a.ipynb")
    check(document)
    assert "Still read." in document.text


def test_a_long_output_is_cut() -> None:
    """And said so, once; what follows is read."""
    cells = [
        code("a", stream("A" * (3 * MAX_OUTPUT))),
        code("b", result(text_plain="x " * MAX_OUTPUT)),
        markdown("The end."),
    ]
    document = read(*cells)
    assert len(document.text) < 3 * MAX_OUTPUT
    assert "The end." in document.text
    assert len(document.warnings) == 1


def test_a_hundred_megabytes_of_base64() -> None:
    """Pictures cost no text, and a notebook may have more of them than other files have bytes; what only has its name
    may not.
    """
    image = "QUJD" * 25_000_000
    data = notebook(
        markdown("# Map"), code("m", {"output_type": "display_data", "data": {"image/png": image}}), markdown("Seen.")
    )
    document = parse_guarded(data, "a.ipynb")
    check(document)
    assert (len(data) > MAX_BYTES, len(document.text) < 100) == (True, True)
    for source in ("a.json", "a.txt"):
        with pytest.raises(TooLargeError, match="the limit is 50 MB"):
            parse(data, source)
    with pytest.raises(TooLargeError, match="the limit is 50 MB"):
        parse(b"%PDF-1.7" + bytes(MAX_BYTES), "a.ipynb")


def test_too_many_cells(monkeypatch: pytest.MonkeyPatch) -> None:
    """A sentence."""
    monkeypatch.setattr(reader, "MAX_CELLS", 3)
    with pytest.raises(TooLargeError, match="more than 3 cells"):
        parse(notebook(*[markdown("x")] * 4), "a.ipynb")


_sources = st.text(st.sampled_from("#*|-`$\n\r\t \x1bax中\x00"), max_size=30)
_outputs = st.one_of(
    _sources.map(stream),
    _sources.map(lambda text: result(text_plain=text)),
    _sources.map(lambda text: result(text_html=text)),
)
_cells = st.one_of(
    _sources.map(markdown),
    st.builds(lambda text, outputs: code(text, *outputs), _sources, st.lists(_outputs, max_size=3)),
)


@given(st.lists(_cells, max_size=5))
def test_any_cells_make_a_lawful_document(cells: list[Cell]) -> None:
    """Whatever is in them."""
    document = parse(notebook(*cells, markdown("word")), "a.ipynb")
    check(document)
    check_cutting(document)
