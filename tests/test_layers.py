"""Import rules, held by reading the sources: layers, no circles between modules, one home per heavy dependency."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator, Mapping, Set
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent

LAYERS: tuple[frozenset[str], ...] = (
    frozenset(
        {
            "allowed",
            "display",
            "errors",
            "glossary",
            "model",
            "config",
            "paths",
            "plugins",
            "project",
            "text",
            "versions",
        }
    ),
    frozenset({"parsing", "splitting", "embedding", "store", "llm"}),
    frozenset({"enrichment", "indexing", "retrieval"}),
    frozenset({"evaluation", "export", "integrations", "deployment", "samples"}),
    frozenset({"viewing"}),
    frozenset({"agents"}),
    frozenset({"cli", "notebook", "__main__", "worker"}),
    frozenset({"components"}),
    frozenset({"pages", "app", "serve"}),
    frozenset({"hosting"}),
)
"""From the bottom up."""

ACROSS = frozenset(
    {
        ("splitting", "parsing"),
        ("splitting", "embedding"),
        ("embedding", "llm"),
        ("store", "splitting"),
        ("indexing", "enrichment"),
        ("export", "evaluation"),
        ("integrations", "export"),
        ("samples", "evaluation"),
        ("deployment", "export"),
        ("__main__", "cli"),
    }
)
"""Imports within a layer that are meant."""

HOMES: dict[str, tuple[str, ...]] = {
    "markdown_it": ("parsing",),
    "mdit_py_plugins": ("parsing",),
    "charset_normalizer": ("parsing",),
    "olefile": ("parsing",),
    "tree_sitter": ("parsing/formats/code/syntax_trees.py",),
    "unstructured": ("parsing/parsers", "splitting/strategies/foreign_splitters.py"),
    "spacy": ("parsing",),
    "lxml": ("parsing",),
    "mammoth": ("parsing",),
    "python_calamine": ("parsing/formats/office/other_workbooks.py",),
    "pypdfium2": ("parsing",),
    "pdfplumber": ("parsing",),
    "pytesseract": ("parsing",),
    "sentence_transformers": ("embedding",),
    "openvino": ("embedding/local",),
    "torch": ("embedding",),
    "transformers": ("embedding",),
    "lancedb": ("store",),
    "lance": ("store/bulk",),
    "ray": ("indexing/cluster",),
    "pyarrow": ("store", "export/chunk_exports.py", "integrations/writers", "parsing/formats/parquet_lines.py"),
    "re2": ("config/safe_patterns.py",),
    "tokenizers": ("splitting/measure/token_counter.py", "embedding/local/model_tokenizer.py"),
    "sentencepiece": ("text/sentence_pieces.py", "embedding/packaged/e5_file.py"),
    "streamlit": ("components", "pages", "hosting", "app.py", "serve.py"),
    "plotly": ("components", "pages", "export/report"),
    "jinja2": ("export/report",),
    "langchain_core": ("export/frameworks.py", "integrations/langchain.py"),
    "llama_index": ("export/frameworks.py", "integrations/llama_index.py"),
    "haystack": ("integrations/haystack.py",),
    "chromadb": ("integrations/writers/chroma_target.py",),
    "qdrant_client": ("integrations/writers/qdrant_target.py",),
    "sklearn": ("enrichment/raptor.py",),
    "umap": ("enrichment/raptor.py",),
    "httpx": ("llm",),
    "langchain_text_splitters": ("splitting/strategies/foreign_splitters.py", "integrations/langchain.py"),
    "mcp": ("agents/mcp",),
    "mcp_types": ("agents/mcp",),
    "anywidget": ("notebook",),
    "traitlets": ("notebook",),
    "chonkie": ("splitting/strategies/foreign_splitters.py",),
    "semantic_text_splitter": ("splitting/strategies/foreign_splitters.py",),
}
"""Where a heavy dependency may be imported, and nowhere else."""

HEAVY = (
    "torch",
    "openvino",
    "sentence_transformers",
    "transformers",
    "lancedb",
    "lance",
    "ray",
    "pyarrow",
    "tokenizers",
    "sentencepiece",
    "plotly",
    "markdown_it",
    "tree_sitter",
    "lxml",
    "mammoth",
    "pypdfium2",
    "pdfplumber",
    "pytesseract",
    "pandas",
    "streamlit",
    "numpy",
    "httpx",
    "unstructured",
    "jinja2",
    "huggingface_hub",
    "langchain_core",
    "llama_index",
    "haystack",
    "chromadb",
    "qdrant_client",
    "mcp",
    "mcp_types",
    "anyio",
)

CIRCLES: frozenset[frozenset[str]] = frozenset()
"""Circles that still exist: cut one and delete its row; never add one."""


def sources() -> list[Path]:
    """All modules of the product."""
    folders = (ROOT / "chunking", ROOT / "components", ROOT / "pages", ROOT / "hosting")
    files = [path for folder in folders for path in sorted(folder.rglob("*.py"))]
    return files + [path for path in (ROOT / "app.py", ROOT / "serve.py") if path.exists()]


def part_of(path: Path) -> str:
    """The package or module of the product that a file belongs to."""
    parts = path.relative_to(ROOT).with_suffix("").parts
    return parts[1] if parts[0] == "chunking" and len(parts) > 1 else parts[0]


@cache
def imports(path: Path) -> tuple[tuple[str, int], ...]:
    """(dotted name, line) of every import of a module, wherever in it."""
    return tuple(_imports(ast.parse(path.read_text(encoding="utf-8"))))


def _imports(module: ast.AST) -> Iterator[tuple[str, int]]:
    for node in ast.walk(module):
        if isinstance(node, ast.Import):
            yield from ((alias.name, node.lineno) for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module, node.lineno
            yield from (
                (f"{node.module}.{alias.name}", node.lineno) for alias in node.names if node.module == "chunking"
            )


def layer(part: str) -> int | None:
    """Height of a part of the product; None for anything else."""
    return next((height for height, parts in enumerate(LAYERS) if part in parts), None)


def imported_part(name: str) -> str | None:
    """The part of the product that an import leads to."""
    parts = name.split(".")
    if parts[0] == "chunking":
        return parts[1] if len(parts) > 1 else None
    return parts[0] if parts[0] in ("components", "pages", "hosting") else None


def test_every_part_has_a_layer() -> None:
    """A new package is put into the table, not forgotten."""
    parts = {part_of(path) for path in sources()} - {"__init__"}
    assert not {part for part in parts if layer(part) is None}


def runs_back(part: str, name: str) -> bool:
    """Does an import within a part of the product lead to a layer above it, or across its own?"""
    other = imported_part(name)
    if other is None or other == part:
        return False
    height, there = layer(part), layer(other)
    if height is None or there is None:
        return True
    return there > height or (there == height and (part, other) not in ACROSS and height not in (0, 7))


def test_imports_run_one_way() -> None:
    """Only from above, and not between the parts of a layer. The façade names everything, and imports it when it is
    used.
    """
    every_import = [
        (path, name, line) for path in sources() for name, line in imports(path) if part_of(path) != "__init__"
    ]
    assert [
        f"{path.relative_to(ROOT)}:{line} imports {name}"
        for path, name, line in every_import
        if runs_back(part_of(path), name)
    ] == []


def module_name(path: Path) -> str:
    """The dotted name of a module; of an `__init__.py` that of its package."""
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def import_graph() -> dict[str, set[str]]:
    """The modules that each module names in an import, lazy ones and those under `TYPE_CHECKING` included."""
    paths = {module_name(path): path for path in sources()}
    return {name: set(_targets(path, paths.keys())) - {name} for name, path in paths.items()}


def _targets(path: Path, modules: Set[str]) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name in modules)
        elif isinstance(node, ast.ImportFrom) and node.module:
            names = [f"{node.module}.{alias.name}" for alias in node.names]
            yield from (name if name in modules else node.module for name in names if {name, node.module} & modules)


def circles(graph: Mapping[str, Set[str]]) -> set[frozenset[str]]:
    """Groups of modules that import each other, directly or by way of others.

    >>> circles({"a": {"b"}, "b": {"c"}, "c": {"b"}, "d": set()}) == {frozenset("bc")}
    True
    """
    rest = dict(graph)
    while ends := {name for name, targets in rest.items() if not targets & rest.keys()}:
        rest = {name: targets for name, targets in rest.items() if name not in ends}
    reached = {name: _reachable(rest, name) for name in rest}
    return {
        frozenset(other for other in others if name in reached[other])
        for name, others in reached.items()
        if name in others
    }


def _reachable(graph: Mapping[str, Set[str]], start: str) -> set[str]:
    """Modules that a module imports, directly or not; itself among them where it is in a circle."""
    names, queue = set[str](), [start]
    while queue:
        new = (graph[queue.pop()] & graph.keys()) - names
        names |= new
        queue += new
    return names


def test_no_modules_import_each_other() -> None:
    """Not even lazily or for types only: what two modules need of each other belongs in a third below both."""
    assert circles(import_graph()) == set()


def test_lazy_imports_and_types_count_for_circles() -> None:
    """Imports inside functions and under `TYPE_CHECKING` are edges like any other."""
    graph = import_graph()
    assert "chunking.embedding" in graph["chunking.retrieval.query.query"]
    assert "chunking.store" in graph["chunking.retrieval.leg_search"]
    assert circles({"a": {"b"}, "b": {"c"}, "c": {"a"}, "d": {"a"}}) == {frozenset("abc")}


def test_the_rule_tells_them_apart() -> None:
    """It would fail for a module that breaks it."""
    assert runs_back("splitting", "chunking.retrieval.search")
    assert runs_back("parsing", "streamlit.nothing") is False
    assert runs_back("retrieval", "chunking.nowhere")
    assert runs_back("components", "hosting.hosts")
    assert not runs_back("hosting", "components.session.host")
    assert not runs_back("retrieval", "chunking.errors")


def test_one_package_a_heavy_dependency() -> None:
    """A parser in `parsing`, the tokenizer in `splitting/measure/token_counter.py`, lancedb in `store` ..."""
    places = {path: path.relative_to(ROOT).as_posix().removeprefix("chunking/") for path in sources()}
    problems = [
        (place, name, line, HOMES.get(name.split(".")[0]))
        for path, place in places.items()
        for name, line in imports(path)
    ]
    assert [
        f"{place}:{line} imports {name}"
        for place, name, line, homes in problems
        if homes and not place.startswith(homes)
    ] == []


@pytest.mark.parametrize("folder", ["chunking", "components/server/jobs"])
def test_the_library_knows_no_streamlit(folder: str) -> None:
    """`chunking` is used without the app, and the queue of jobs by whatever answers machines."""
    for path in sources():
        if path.is_relative_to(ROOT / folder):
            assert not any(name.split(".")[0] == "streamlit" for name, _ in imports(path)), path


STEPS = (
    ("import chunking", set()),
    ("import chunking.config", set()),
    ("import chunking.cli", set()),
    ("import chunking.agents", set()),
    ("from chunking.embedding.model_folder import find_model; find_model('all-MiniLM-L6-v2')", {"numpy"}),
    ("import chunking.splitting", {"numpy"}),
    ("from chunking.embedding import load_embedder; load_embedder().cache_key('a')", {"numpy"}),
)
"""What a process does, one after the other, and which heavy modules it may have loaded then."""


def test_what_is_heavy_is_imported_where_it_is_used() -> None:
    """Not with a package, not to know a model's sizes, and not for an embedder that has nothing to embed yet."""
    script = f"print(*sorted({set(HEAVY)!r} & {{*sys.modules}}))"
    code = "\n".join(["import sys", *(line for step, _ in STEPS for line in (step, script))])
    lines = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT
    ).stdout.splitlines()
    assert [step for (step, allowed), line in zip(STEPS, lines, strict=True) if not {*line.split()} <= allowed] == []


@pytest.mark.parametrize("library", ["torch", "openvino", "sentence_transformers", "transformers"])
def test_no_module_imports_a_library_of_models_before_a_model_is_loaded(library: str) -> None:
    """Importing torch takes seconds, which who only reads, cuts, or searches by words does not wait for."""
    modules = [
        f"{path.relative_to(ROOT)}:{node.lineno}"
        for path in sources()
        if any(name.split(".")[0] == library for name, _ in imports(path))
        for node in ast.parse(path.read_text(encoding="utf-8")).body
        if isinstance(node, (ast.Import, ast.ImportFrom))
        and any(name.split(".")[0] == library for name, _ in _imports(node))
    ]
    assert modules == []
