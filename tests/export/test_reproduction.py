"""What is exported is what was measured: each export runs in a process of its own and makes the chunks of the index
again.
"""

from __future__ import annotations

import ast
import io
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from chunking.config import Config
from chunking.config.config import DOCUMENTS
from chunking.errors import ChangeError
from chunking.export import configuration_yaml, find_export, gather, library_script
from chunking.indexing import DocumentInputs, add_files, build_index
from chunking.model import BlockType, Document, PinKind
from chunking.parsing import parse
from chunking.parsing.edits import EDIT_FILE, EditedDocument, LeaveOut, SetType
from chunking.splitting.pins.stored_pins import PINS, PinnedDocument, StoredPin
from chunking.store import Workspace
from chunking.text.anchors import Anchor
from tests.export.script_constants import NASTY, constants
from tests.support.stand_in_model import stand_in_model, stand_in_path

ROOT = Path(__file__).parents[2]
GUIDE = "größe 手冊 😀.md"
TEXT = """# Pump "one" \\ '''x'''

Close the valve. Then open the lid and wait.

A heading by hand

All parts can be had in town. Ask for more of them.

Note: this is over.
"""
SETTINGS = {"size": "48", "min_size": "0"}


class Made(NamedTuple):
    """A workspace with an index, and the files it was made of."""

    workspace: Workspace
    files: Path


@pytest.fixture(scope="module", autouse=True)
def _model() -> Iterator[None]:
    with stand_in_model():
        yield


def by_edit(workspace: Workspace, of: str) -> None:
    """A heading, and a line that is left out."""
    text = workspace.document(of).text
    for words, kind in (("A heading by hand", SetType), ("Note: this is over.", LeaveOut)):
        anchor = Anchor.of(text, text.index(words), text.index(words) + len(words))
        edit = (
            SetType(anchor=anchor, type=BlockType.HEADING, level=2)
            if kind is SetType
            else LeaveOut(anchor=anchor, reason='"""\\')
        )
        workspace.changes.append(of, EDIT_FILE.kind, [edit.as_record()])


def by_pin(workspace: Workspace, of: str) -> None:
    """A pin of every kind."""
    document = workspace.document(of)
    at = document.text.index
    for kind, start, end in (
        (PinKind.SPLIT, at("and wait"), None),
        (PinKind.KEEP, at("All parts"), at("Ask")),
        (PinKind.LEAVE_OUT, at("of them"), at("of them") + 8),
        (PinKind.MERGE, at("Then"), None),
    ):
        workspace.changes.append(of, PINS, [StoredPin.of(document, kind, start, end, "{reason}\n'''").as_record()])


PATTERNS = {"headings_from": "2: ^Note:", "split_before": "Ask for"}
CATEGORY = {"category.faq.size": "24", "category.faq.split_before": "Then"}
BY_HAND: dict[str, tuple[Callable[[Workspace, str], None], ...]] = {
    "nothing": (),
    "edits": (by_edit,),
    "pins": (by_pin,),
    "all": (by_edit, by_pin),
}


def index_files(folder: Path, by_hand: str, settings: dict[str, str]) -> Made:
    """Index a guide, a FAQ and a file in another encoding."""
    files = folder / "docs"
    (files / "faq").mkdir(parents=True)
    (files / GUIDE).write_text(TEXT, encoding="utf-8")
    (files / "faq" / "häufig.md").write_text(TEXT.replace("Pump", "Boiler"), encoding="utf-8")
    (files / "alt.txt").write_bytes("Русский текст в старой кодировке. Ещё слова.".encode("cp866"))
    workspace = Workspace.open(folder / "made")
    add_files(workspace, [files], encodings={"alt.txt": "cp866"})
    guide = next(row.doc_id for row in workspace.documents() if row.source == GUIDE)
    for change in BY_HAND[by_hand]:
        change(workspace, guide)
    build_index(workspace, Config.from_settings(settings))
    return Made(workspace, files)


def exported(name: str, of: Made) -> Path:
    """A file of the export."""
    path = of.files.parent / find_export(name).file
    sink = io.BytesIO()
    find_export(name).write(gather(of.workspace, wants_runs=False), sink)
    path.write_bytes(sink.getvalue())
    return path


def ran(of: Made, *words: str) -> str:
    """What a process prints that has nothing of this one but the library."""
    environment = os.environ | {"PYTHONPATH": f"{stand_in_path()}{os.pathsep}{ROOT}"}
    done = subprocess.run(
        [sys.executable, *words],
        cwd=of.files.parent,
        env=environment,
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def places(workspace: Workspace) -> list[tuple[str, int, int, str]]:
    """Document, start, end and prefix of every chunk of every level."""
    index = workspace.index()
    return sorted(
        (one.doc_id, one.start, one.end, one.prefix) for level in index.levels for one in index.by_level(level)
    )


@pytest.mark.parametrize(
    ("by_hand", "settings"),
    [
        ("nothing", SETTINGS),
        ("edits", SETTINGS),
        ("pins", SETTINGS),
        ("nothing", SETTINGS | PATTERNS),
        ("nothing", SETTINGS | CATEGORY),
        ("all", SETTINGS | PATTERNS | CATEGORY),
    ],
)
def test_an_export_makes_the_index_again(tmp_path: Path, by_hand: str, settings: dict[str, str]) -> None:
    """The script, the configuration on the command line, and it with the files of edits and pins: one fingerprint, the
    same chunks.
    """
    of = index_files(tmp_path, by_hand, settings)
    index = of.workspace.index()
    script, config = exported("script", of), exported("config", of)
    commands = {
        "script": (str(script), "docs", "valve", "--workspace", "script"),
        "config": ("-m", "chunking", "index", "docs", "--config", config.name, "--workspace", "config"),
    }
    if by_hand == "all":
        commands["again"] = commands["script"]  # adds nothing twice
        plain = tmp_path / "settings.yaml"
        plain.write_text(index.config.to_yaml(), encoding="utf-8")
        words = ("--edits", exported("edits", of).name, "--pins", exported("pins", of).name, "--workspace", "files")
        (of.files / "alt.txt").write_text((of.files / "alt.txt").read_bytes().decode("cp866"), encoding="utf-8")
        ran(of, "-m", "chunking", "index", "docs", "--config", plain.name, *words)
        mine = {row for row in places(of.workspace) if row[0] != "alt"}
        assert {row for row in places(Workspace.open(tmp_path / "files")) if row[0] != "alt"} == mine
        (of.files / "alt.txt").write_bytes((of.files / "alt.txt").read_text(encoding="utf-8").encode("cp866"))
    for name, command in commands.items():
        printed = ran(of, *command)
        assert name == "config" or "the same as the index that this script was made from" in printed
        again = Workspace.open(tmp_path / command[-1])
        assert again.index().fingerprint == index.fingerprint
        assert places(again) == places(of.workspace)


def test_framework_objects_are_the_chunks_of_the_index(tmp_path: Path) -> None:
    """Spans and texts, of what was left out, split and kept by hand."""
    of = index_files(tmp_path, "all", SETTINGS | PATTERNS | CATEGORY)
    chunks = {
        chunk.chunk_id: (chunk.start, chunk.end, chunk.content) for chunk in of.workspace.index().by_level("chunk")
    }

    def lines(name: str) -> list[dict[str, object]]:
        return [json.loads(line) for line in exported(name, of).read_text(encoding="utf-8").splitlines()]

    lang = {
        row["id"]: (row["metadata"]["start_index"], row["metadata"]["end_index"], row["page_content"])
        for row in lines("langchain")
    }  # type: ignore[index]
    llama = {row["id_"]: (row["start_char_idx"], row["end_char_idx"], row["text"]) for row in lines("llama-index")}
    assert lang == llama == chunks


def test_an_index_out_of_date_says_so(tmp_path: Path) -> None:
    """A pin that was set after it was built makes another index; the script knows."""
    of = index_files(tmp_path, "nothing", SETTINGS)
    assert "out of date" not in exported("script", of).read_text(encoding="utf-8").lower()
    by_pin(of.workspace, next(row.doc_id for row in of.workspace.documents() if row.source == GUIDE))
    assert "out of date" in exported("script", of).read_text(encoding="utf-8").lower()
    assert "not those of" in ran(of, str(tmp_path / "reproduce.py"), "docs", "valve", "--workspace", "again")


def test_edits_of_another_version_do_not_fit(tmp_path: Path) -> None:
    """The script reads the new file, leaves out what does not fit, and says that the index is another one."""
    of = index_files(tmp_path, "all", SETTINGS)
    script = exported("script", of)
    (of.files / GUIDE).write_text("# Another\n\nNothing of it is left.\n", encoding="utf-8")
    assert "not those of" in ran(of, str(script), "docs", "valve", "--workspace", "again")


def inputs_about(document: Document, text: str) -> DocumentInputs:
    """An edit and a pin that quote a document, with a hostile reason."""
    anchor = Anchor.of(document.text, 0, len(document.text))
    edits = (EditedDocument(document.doc_id, document.source, (LeaveOut(anchor=anchor, reason=text),)),)
    pin = StoredPin.of(document, PinKind.LEAVE_OUT, 0, len(document.text), text)
    return DocumentInputs(edits, (PinnedDocument(document.doc_id, document.source, (pin,)),), {text: "cp866"})


@given(NASTY.filter(str.strip), NASTY.filter(str.strip), st.sampled_from(["a.md", '"""\n.md', "\\{{x}}.md"]))
def test_what_people_wrote_is_never_code(reason: str, words: str, source: str) -> None:
    """Quotation marks, backslashes, line ends, NUL, lone surrogates and braces: they come back from script and YAML as
    they were.
    """
    document = parse(b"# T\n\nWords.", "t.md")
    hostile = Document(
        **{name: getattr(document, name) for name in document.__slots__} | {"text": f"{words} end", "source": source}
    )
    inputs = inputs_about(hostile, reason)
    script = library_script(Config(), index="main", fingerprint="f", documents=inputs.as_record(), stale=reason)
    encoded = script.encode("utf-8", "replace").decode()
    read = DocumentInputs.from_record(inputs.as_record())  # white space in a reason is made even
    assert [one.changes[0].anchor for one in (*read.edits, *read.pins)] == [
        one.changes[0].anchor for one in (*inputs.edits, *inputs.pins)
    ]
    assert DocumentInputs.from_record(constants(encoded)["DOCUMENTS"]) == read
    assert len(ast.parse(encoded).body) == len(ast.parse(library_script(Config(), index="main", fingerprint="f")).body)
    text = (
        configuration_yaml(Config(), inputs=DocumentInputs(inputs.edits, inputs.pins))
        .encode("utf-8", "replace")
        .decode()
    )
    assert Config.from_yaml(text) == Config()
    assert DocumentInputs.from_record(yaml.safe_load(text)[DOCUMENTS]) == DocumentInputs(read.edits, read.pins)


def test_too_much_for_a_configuration_is_named_in_its_head() -> None:
    """Nothing is cut off in silence: the file has the settings, and says which files to add."""
    document = parse(("word " * 2_000).encode(), "t.txt")
    pins = tuple(StoredPin.of(document, PinKind.SPLIT, 5 * number) for number in range(1, 1_500))
    text = configuration_yaml(
        Config(), inputs=DocumentInputs(pins=(PinnedDocument(document.doc_id, document.source, pins),))
    )
    assert Config.from_yaml(text) == Config()
    assert DOCUMENTS not in yaml.safe_load(text)
    assert "--pins pins.json" in text


@pytest.mark.parametrize(
    "record",
    [
        [],
        "x",
        {"other": 1},
        {"edits": 3},
        {"edits": "{"},
        {"pins": '{"chunkscope_pins": 2}'},
        {"encodings": [1]},
        {"encodings": {"a": 1}},
    ],
)
def test_an_invalid_part_of_the_file_is_one_sentence(record: object) -> None:
    """Of whoever wrote the file by hand."""
    with pytest.raises(ChangeError):
        DocumentInputs.from_record(record, "chunkscope.yaml")
