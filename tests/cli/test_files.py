"""`parse` and `chunk`: every key in its order and of its type, on the samples and on bad input."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from chunking.config import DEFAULT_MODEL, Config
from tests.cli.command import SAMPLES, Run, check, program, text_of
from tests.support.shared_data import shared_data

DOCUMENT = {
    "doc_id": str,
    "source": str,
    "hash": str,
    "updated_at": str,
    "category": str,
    "path_hierarchy": list,
    "language": str,
    "text": str,
    "blocks": list,
    "sections": list,
    "doc_toc": str,
    "left_out": list,
    "warnings": list,
}
BLOCK = {
    "type": str,
    "start": int,
    "end": int,
    "page": int,
    "bbox": list,
    "line": int,
    "level": int,
    "token_count": int,
    "meta": dict,
}
OPTIONAL = {"page", "bbox", "line", "level"}
SECTION = {
    "section_id": str,
    "parent_id": (str, type(None)),
    "level": int,
    "title": str,
    "title_path": list,
    "start": int,
    "end": int,
}
CHUNK = {
    "chunk_id": str,
    "doc_id": str,
    "section_id": str,
    "parent_id": str,
    "chunk_index": int,
    "total_chunks": int,
    "prev_id": (str, type(None)),
    "next_id": (str, type(None)),
    "title_path": list,
    "content_type": str,
    "prefix": str,
    "content": str,
    "embedding_content": str,
    "token_count": int,
    "start": int,
    "end": int,
    "pages": list,
    "bboxes": list,
    "hash": str,
    "source_hint": str,
    "flags": list,
    "metadata": dict,
}
METADATA = {
    *("file_path", "relative_path", "file_name", "path_hierarchy", "category", "chunk_index", "total_chunks"),
    *("chunk_type", "section_path", "doc_toc"),
}


def test_parse_prints_a_line_a_document(run: Run) -> None:
    """Keys, order and types; spans of blocks and sections lie in the text, which is the file's (of a PDF, the one built
    of it).
    """
    ran = run("parse", SAMPLES)
    assert (ran.code, ran.err) == (0, "")
    assert [row["source"] for row in ran.rows] == [
        "api/rest-api-reference.md",
        "datasheet/heron-g4-datasheet.pdf",
        "faq/faq.txt",
        "handbook/operations-handbook.md",
        "manual-zh/产品使用手册.md",
        "manual-zh-g3/鹭G3网关手册.md",
        "service-guides/finch-c4-service-guide.md",
        "service-guides/finch-l3-service-guide.md",
        "service-guides/finch-s2-service-guide.md",
        "service-guides/finch-t1-service-guide.md",
        "service-plans-zh/丰年服务方案.md",
        "service-plans-zh/仓廪服务方案.md",
        "service-plans-zh/青苗服务方案.md",
        "site-standard/site-standard-2022.md",
        "site-standard/site-standard-2025.md",
    ]
    for row in ran.rows:
        check(row, DOCUMENT)
        assert row["text"] == text_of(row["source"])
        assert row["path_hierarchy"] == row["source"].split("/")[:-1]
        for block in row["blocks"]:
            check(block, BLOCK, OPTIONAL)
            assert 0 <= block["start"] < block["end"] <= len(row["text"])
        for section in row["sections"]:
            check(section, SECTION)
            assert 0 <= section["start"] < section["end"] <= len(row["text"])


def test_chunk_prints_a_line_a_chunk(run: Run) -> None:
    """Keys, order and types; contents are slices of the text; the embedded text begins with the prefix."""
    texts = {row["doc_id"]: row["text"] for row in run("parse", SAMPLES).rows}
    ran = run("chunk", SAMPLES, "--set", "size=200")
    assert ran.code == 0
    assert all("table description" in line for line in ran.err.splitlines())
    places: dict[str, int] = {}
    for row in ran.rows:
        check(row, CHUNK)
        doc_id, place = row["doc_id"], places.get(row["doc_id"], 0)
        last = place + 1 == row["total_chunks"]
        assert row["content"] == texts[doc_id][row["start"] : row["end"]]
        assert (row["chunk_index"], row["chunk_id"]) == (place, f"{doc_id}_chunk{place}")
        assert row["prev_id"] == (f"{doc_id}_chunk{place - 1}" if place else None)
        assert row["next_id"] == (None if last else f"{doc_id}_chunk{place + 1}")
        assert row["embedding_content"].startswith(row["prefix"])
        assert 0 < row["token_count"] <= (254 if "description_over_size" in row["flags"] else 200)
        assert row["metadata"].keys() >= METADATA
        places[doc_id] = place + 1
    assert places.keys() == texts.keys()


def test_real_chinese_documents(run: Run) -> None:
    """Every file of the test data is read and cut, without a word on how."""
    folder = shared_data("markdown_zh")
    ran = run("chunk", folder)
    assert ran.code == 0
    assert len({row["doc_id"] for row in ran.rows}) == len(list(folder.rglob("*.md")))


def test_a_folder_is_the_root_of_its_files(run: Run, guide: Path) -> None:
    """Of a file given by name its own folder is; each file comes once."""
    (guide / "notes.bin").write_bytes(b"\0")
    assert [(row["source"], row["doc_id"]) for row in run("parse", guide).rows] == [("pump/guide.md", "pump_guide")]
    assert [(row["source"], row["doc_id"]) for row in run("parse", guide / "pump/guide.md").rows] == [
        ("guide.md", "guide")
    ]
    assert len(run("parse", guide, guide / "pump/guide.md", guide / "pump" / ".." / "pump" / "guide.md").rows) == 1


def test_equal_file_names_in_two_folders_are_two_documents(run: Run, tmp_path: Path) -> None:
    """From two folders they are two documents, with chunks of their own."""
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "x.md").write_text(f"# In {folder}\n\nText.")
    rows = run("chunk", tmp_path / "a/x.md", tmp_path / "b/x.md").rows
    assert [(row["chunk_id"], row["section_id"], row["title_path"]) for row in rows] == [
        ("x_chunk0", "x_sec0", ["In a"]),
        ("x_2_chunk0", "x_2_sec0", ["In b"]),
    ]


def test_ways_up_do_not_reach_a_source(run: Run, guide: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`../` leads to the file and is not in its name; nor is a name of 250 letters more than the name."""
    monkeypatch.chdir(guide)
    (guide / ("n" * 250 + ".md")).write_text("Long.")
    (up, long) = run("parse", "../docs/pump/guide.md", "n" * 250 + ".md").rows
    assert (up["source"], up["path_hierarchy"]) == ("guide.md", [])
    assert len(long["doc_id"]) <= 100


def test_a_line_is_a_line_for_every_reader(run: Run, tmp_path: Path) -> None:
    """Separators that some readers take for line ends stand in the JSON as escapes; all else is as it is."""
    (tmp_path / "x.txt").write_text("one\u2028two\u2029three\x85four 页")
    ran = run("parse", tmp_path / "x.txt")
    assert len(ran.out.splitlines()) == 1
    assert ran.rows[0]["text"] == "one\u2028two\u2029three\x85four 页"
    assert "页" in ran.out


def test_utf_8_whatever_the_machine_says() -> None:
    """In a plain C locale too; no letter is escaped, progress and data are kept apart."""
    ran = program(
        "chunk",
        "sample_data/manual-zh",
        "--set",
        "size=200",
        env={"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
    )
    assert ran.code == 0
    assert all("table description" in line for line in ran.err.splitlines())
    assert "指示灯" in ran.out
    assert "\\u" not in ran.out


# -- settings

VALUES = {
    "strategy": ("structure", "structure recursive sentence fixed page elements custom", "paragraph"),
    "unit": ("tokens", "tokens characters", "words"),
    "size": ("175", "176 1024 8192", "0 15 8193 many"),
    "overlap": ("0", "0 32 15%", "175 100% -1 much"),
    "min_size": ("", "0 175", "-1 176"),
    "prefix": (
        "title_path",
        "none header title_path document_title_path file_title_path title_path_hint summary context",
        "llm",
    ),
    "heading_levels": ("1-6", "1-6 1-3 1,2 2", "0 7 3-1 none"),
    "keep_whole": ("code,table,qa", "code,table,qa code none", "lists"),
    "own_chunk": ("none", "none table code,qa", "lists"),
    "table_rows_limit": ("20", "1 30", "0"),
    "parent_size": ("0", "0 400 8192", "-1 8193 many"),
    "granularities": ("2", "none 2 2,4", "1 9 many"),
    "semantic_share": ("80", "50 99", "49 100"),
    "splitter": ("", "mine", "x" * 101),
    "context_size": ("48", "8 400", "7 401"),
    "embedding.mode": ("standard", "standard late", "early"),
    "embedding.model": (DEFAULT_MODEL, "multilingual-e5-small all-MiniLM-L6-v2", ""),
    "search.mode": ("hybrid", "hybrid vector text", "both"),
    "search.vector_weight": ("0.45", "0 0.3 1", "2"),
    "search.k": ("5", "1 50", "0"),
    "search.deduplicate": ("true", "true false", "perhaps"),
}
"""Key: its default, values it takes, values it does not."""


@pytest.mark.parametrize("key", VALUES)
def test_every_setting_takes_good_values_and_refuses_bad_ones(run: Run, guide: Path, key: str) -> None:
    """Good values cut the document, the default as if nothing was said; others are wrong usage, in a sentence that
    names the key.
    """
    default, good, bad = VALUES[key]
    plain = run("chunk", guide).out
    assert run("chunk", guide, "--set", f"{key}={default}").out == plain
    for value in good.split():
        ran = run("chunk", guide, "--set", f"{key}={value}")
        assert (ran.code, len(ran.rows) > 0) == (0, True), ran.err
    for value in bad.split():
        ran = run("chunk", guide, "--set", f"{key}={value}")
        assert (ran.code, ran.out) == (2, "")
        assert f"setting {key} " in ran.complaint


def test_a_category_has_settings_of_its_own(run: Run) -> None:
    """`category.NAME.KEY`: the documents of that category are cut by it, the others as without."""
    general, differing = run("chunk", SAMPLES), run("chunk", SAMPLES, "--set", "category.api.size=64")
    own = [
        row
        for row in differing.rows
        if row["metadata"]["category"] == "api" and "description_over_size" not in row["flags"]
    ]
    assert max(row["token_count"] for row in own) <= 64
    others = [[row for row in ran.rows if row["metadata"]["category"] != "api"] for ran in (general, differing)]
    assert others[0] == others[1] != []


def test_an_eighth_of_the_size_is_the_minimum(run: Run) -> None:
    """The default of min_size follows the size."""
    cut = ("chunk", SAMPLES / "handbook", "--set", "size=640")
    assert run(*cut).out == run(*cut, "--set", "min_size=80").out != run(*cut, "--set", "min_size=0").out


def test_settings_from_a_file_and_over_it(run: Run, guide: Path, tmp_path: Path) -> None:
    """A YAML file, and `--set` on top of it; a value may hold an equals sign or a space."""
    file = tmp_path / "settings.yaml"
    file.write_text("chunk:\n  size: 16\n  prefix: none\n")
    plain, small = run("chunk", guide).rows, run("chunk", guide, "--config", file).rows
    assert len(small) > len(plain)
    assert {row["prefix"] for row in small} == {""}
    both = run("chunk", guide, "--config", file, "--set", "size=200", "--set", "prefix=title_path")
    assert both.rows == plain
    file.write_text(Config.from_settings({"size": 64, "overlap": "15%"}).to_yaml())
    assert (
        run("chunk", guide, "--config", file).out == run("chunk", guide, "--set", "size=64", "--set", "overlap=15%").out
    )
    assert run("chunk", guide, "--set", "embedding.query_prefix=a=b: ").rows == plain


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["--set", "sise=3"], "There is no setting 'sise'"),
        (["--set", "size"], "key=value"),
        (["--set", "size=64", "--set", "overlap=64"], "size 64"),
        (["--config", "none.yaml"], "cannot be read"),
        (["--config", "."], "cannot be read"),
    ],
)
def test_wrong_settings_end_with_2_and_one_sentence(run: Run, guide: Path, words: list[str], says: str) -> None:
    """Exit code 2 and one sentence; nothing is read or printed."""
    ran = run("chunk", guide, *words)
    assert (ran.code, ran.out) == (2, "")
    assert says in ran.complaint


def test_a_wrong_settings_file(run: Run, guide: Path, tmp_path: Path) -> None:
    """Not YAML, not settings, an unknown one."""
    file = tmp_path / "settings.yaml"
    for text in ("chunk: [", "- 1", "chunk: 3", "chunk:\n  sise: 3", "chunk:\n  size: 0"):
        file.write_text(text)
        ran = run("chunk", guide, "--config", file)
        assert (ran.code, ran.out) == (2, ""), text
        assert ran.complaint


def test_a_model_that_is_not_there(run: Run, guide: Path) -> None:
    """A fault, not wrong usage: it may be there on another machine."""
    ran = run("chunk", guide, "--set", "embedding.model=no-such-model")
    assert (ran.code, ran.out) == (1, "")
    assert "no-such-model" in ran.complaint


def test_a_prefix_longer_than_the_size_is_reported(run: Run, tmp_path: Path) -> None:
    """It is shortened, with a warning that names the file, and the flag says so."""
    (tmp_path / "long.md").write_text(f"# {'word ' * 100}\n\nA short text.\n")
    ran = run("chunk", tmp_path / "long.md", "--set", "size=20")
    assert ran.code == 0
    assert "long.md: " in ran.err
    assert "shortened" in ran.err
    assert any("prefix_shortened" in row["flags"] for row in ran.rows)
    assert all(row["token_count"] <= 20 for row in ran.rows)


def test_descriptions_over_the_size_are_reported(run: Run, tmp_path: Path) -> None:
    """How many chunks are embedded over the size, and how long the longest is; each row has its flag and its true
    count.
    """
    rows = "\n".join(f"| row{number} | what row {number} says |" for number in range(19))
    (tmp_path / "table.md").write_text(f"| name | value |\n|---|---|\n{rows}\n")
    ran = run("chunk", tmp_path / "table.md", "--set", "size=100")
    over = [row["token_count"] for row in ran.rows if "description_over_size" in row["flags"]]
    assert over
    assert min(over) > 100
    assert f"{len(over)} chunk" in ran.err
    assert str(max(over)) in ran.err
    assert run("chunk", tmp_path / "table.md", "--set", "size=100", "--set", "table_text=cells").err == ""


# -- bad files

BAD = {
    "empty.md": (b"", "empty"),
    "blank.md": (b" \n\t\n", "empty"),
    "binary.md": (bytes(range(256)) * 20, "binary"),
    "picture.md": (b"\x89PNG\r\n\x1a\n" + bytes(100), "PNG"),
}


@pytest.mark.parametrize("command", ["parse", "chunk"])
@pytest.mark.parametrize("name", BAD)
def test_a_bad_file_is_a_sentence_and_the_good_one_is_kept(run: Run, tmp_path: Path, name: str, command: str) -> None:
    """Exit code 1; what could be read is printed."""
    data, says = BAD[name]
    (tmp_path / name).write_bytes(data)
    (tmp_path / "good.md").write_text("# Good\n\nText.")
    ran = run(command, tmp_path)
    assert (ran.code, [row["doc_id"] for row in ran.rows]) == (1, ["good"])
    assert says in ran.complaint
    assert name in ran.complaint


def test_missing_paths_are_reported_and_the_rest_is_read(run: Run, guide: Path) -> None:
    """A name that is not there, and one that is too long for any disk; a line each."""
    ran = run("parse", guide / "none.md", guide, guide / ("long" * 100))
    assert (ran.code, len(ran.rows)) == (1, 1)
    first, second = ran.err.splitlines()
    assert "none.md does not exist" in first
    assert "cannot be opened" in second


def test_a_folder_without_documents_is_reported(run: Run, tmp_path: Path) -> None:
    """Nothing failed; but nothing was read either."""
    ran = run("parse", tmp_path)
    assert (ran.code, ran.out) == (0, "")
    assert "no file" in ran.err


def test_invalid_bytes_are_reported(run: Run, tmp_path: Path) -> None:
    """The text is read as well as can be; what was guessed stands on stderr and in the record."""
    (tmp_path / "x.md").write_bytes("# 标题\n\n这一行有一个坏字节：".encode() + b"\xff" + "，其余的都好。".encode())
    ran = run("parse", tmp_path / "x.md")
    assert ran.code == 0
    assert ran.err == "".join(f"x.md: {warning}\n" for warning in ran.rows[0]["warnings"]) != ""


def test_a_name_cannot_forge_a_line(run: Run, tmp_path: Path) -> None:
    """Line ends and colours in a file's name do not reach the terminal."""
    (tmp_path / "a\nchunkscope: all is well\x1b[31m.md").write_bytes(b"")
    ran = run("parse", tmp_path)
    assert ran.code == 1
    assert "\x1b" not in ran.complaint
    missing = run("parse", tmp_path / "b\nc.md")
    assert "b c.md does not exist" in missing.complaint


def test_the_record_is_the_documents_own(run: Run, guide: Path) -> None:
    """Nothing is lost between the document and its line; its blocks have their tokens, counted by the chosen model's
    tokenizer.
    """
    from chunking.config import EmbeddingConfig
    from chunking.embedding.model_folder import counting_folder
    from chunking.parsing import parse_file
    from chunking.splitting import token_counter
    from chunking.store.chunk_records import document_record

    read = parse_file(guide / "pump/guide.md", root=guide)
    counter = token_counter(counting_folder(EmbeddingConfig()).path)
    tokens = [counter.count(read.text[block.start : block.end]) for block in read.blocks]
    assert run("parse", guide).rows == [json.loads(json.dumps(document_record(read, tokens)))]
    assert "token_count" not in document_record(read)["blocks"][0]
    assert "nowhere" in run("parse", guide, "--set", "embedding.model=nowhere").complaint


def test_scans_are_recognised_on_request(run: Run) -> None:
    """`--ocr`; without it the sentence says what could be done."""
    scan = shared_data("pdf/ocr_test.pdf")
    if shutil.which("tesseract") is None:
        pytest.skip("tesseract is not installed")
    assert "OCR" in run("parse", scan).complaint
    ran = run("parse", "--ocr", scan)
    assert ran.code == 0
    assert "document conversion" in ran.row["text"]


def test_comments_are_read_on_request(run: Run, tmp_path: Path) -> None:
    """`--comments`, of every command that reads files; without it a line says how many there are."""
    file = tmp_path / "notes.rtf"
    file.write_bytes(rb"{\rtf1\ansi Finches sing.{\*\atnauthor Mara}{\*\annotation Really?}\par}")
    without, with_comments = run("parse", file), run("parse", "--comments", file)
    assert "1 comment" in without.err
    assert not with_comments.err
    assert with_comments.row["text"].endswith("Mara: Really?")
    assert not with_comments.row["left_out"]
    assert any("Mara" in row["content"] for row in run("chunk", "--comments", file).rows)


def test_an_encoding_is_taken_as_it_is_reported(run: Run, tmp_path: Path) -> None:
    """`--encoding`; a name that is none is wrong usage, in a sentence."""
    file = tmp_path / "letter.txt"
    file.write_bytes("Привет".encode("koi8_r"))
    assert run("parse", "--encoding", "koi8-r", file).row["text"] == "Привет"
    assert run("parse", "--encoding", "cp866", file).row["text"] == "Привет".encode("koi8_r").decode("cp866")
    for wrong in ("latin-9000", "hex"):
        assert run("parse", "--encoding", wrong, file).code == 2
