"""The front page of the library: its names, their types and descriptions, and that importing it costs nothing."""

from __future__ import annotations

import ast
import inspect
import json
import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import is_dataclass
from importlib import import_module
from pathlib import Path

import pytest

import chunking

ROOT = Path(__file__).parent.parent
NAMES = (
    *(
        "Chunk",
        "ChunkscopeError",
        "Config",
        "Document",
        "DocumentInputs",
        "EvaluationRun",
        "QuestionSet",
        "SearchResult",
        "SweepResult",
        "Workspace",
    ),
    *(
        "add_files",
        "build_index",
        "chunk_document",
        "compare_runs",
        "evaluate",
        "export_file",
        "fetch",
        "load_questions",
    ),
    *("parse", "parse_all", "parse_file", "search", "sweep"),
)
"""What the library promises. A name that leaves breaks programs; one that comes is for good."""
PACKAGES = (
    *(
        "agents",
        "config",
        "evaluation",
        "export",
        "indexing",
        "integrations",
        "llm",
        "notebook",
        "parsing",
        "retrieval",
        "splitting",
    ),
    *("store", "text", "viewing.messages", "viewing.scripts", "viewing.static_html"),
)


def functions() -> Iterator[tuple[str, Callable[..., object]]]:
    """(name, function) of the front page, and of the public methods of its classes."""
    for name in chunking.__all__:
        value = getattr(chunking, name)
        if not inspect.isclass(value):
            yield name, value
            continue
        for method, one in inspect.getmembers(value, inspect.isroutine):
            own = any(method in vars(kind) for kind in value.__mro__ if kind.__module__.startswith("chunking."))
            if own and not method.startswith("_"):
                yield f"{name}.{method}", one


def test_the_names_are_those_that_were_promised() -> None:
    """And no others, also for completion in a notebook."""
    assert tuple(chunking.__all__) == NAMES
    assert dir(chunking) == sorted(NAMES)
    with pytest.raises(AttributeError, match="serach"):
        chunking.serach  # noqa: B018


def test_types_are_those_that_are_imported() -> None:
    """A type checker reads the imports, a program the table: each name stands in both, from the same place."""
    tree = ast.parse((ROOT / "chunking" / "__init__.py").read_text(encoding="utf-8"))
    (block,) = (node for node in tree.body if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING")
    imports = [node for node in block.body if isinstance(node, ast.ImportFrom)]
    assert {alias.asname: node.module for node in imports for alias in node.names} == chunking._HOMES
    assert list(chunking._HOMES) == chunking.__all__
    assert (ROOT / "chunking" / "py.typed").read_bytes() == b""


@pytest.mark.parametrize(("name", "function"), [pytest.param(*one, id=one[0]) for one in functions()])
def test_everything_is_typed_and_described(name: str, function: Callable[..., object]) -> None:
    """Each parameter has a type, each function says what it gives, and its first line is short."""
    doc = inspect.getdoc(function)
    assert doc
    signature = inspect.signature(function)
    parameters = [one for one in signature.parameters.values() if one.name not in ("self", "cls")]
    if function.__module__ and function.__module__.startswith("chunking."):
        assert [one.name for one in parameters if one.annotation is inspect.Parameter.empty] == []
        assert signature.return_annotation is not inspect.Signature.empty or inspect.isclass(function)


def test_every_function_is_called_in_an_example_that_runs() -> None:
    """In its own docstring, in that of the package, or in the guide (see `test_docs`)."""
    guide = (ROOT / "docs" / "guides" / "python.md").read_text(encoding="utf-8")
    blocks = re.findall(r"<!-- example[\w:]* -->\n```python\n(.*?)```", guide, re.DOTALL)
    assert len(blocks) == 3
    shown = "\n".join([str(chunking.__doc__), *blocks])
    called = [name for name in NAMES if name[0].islower()]
    assert [
        one for one in called if f"{one}(" not in shown and ">>> " not in str(inspect.getdoc(getattr(chunking, one)))
    ] == []


def test_pages_of_the_reference_say_what_may_change() -> None:
    """Each page of a package leads back to the names that do not."""
    pages = [
        path
        for path in sorted((ROOT / "docs" / "reference" / "api").glob("*.md"))
        if path.stem not in ("index", "errors")
    ]
    assert len(pages) >= 14
    assert [path.name for path in pages if "(index.md)" not in path.read_text(encoding="utf-8")] == []


def test_importing_it_loads_nothing() -> None:
    """Only the package itself, beside the standard library."""
    code = (
        "import json, sys; before = {*sys.modules}; import chunking; print(json.dumps(sorted({*sys.modules} - before)))"
    )
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    ran = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT, env=environment
    )
    loaded = json.loads(ran.stdout)
    assert [name for name in loaded if name.split(".")[0] not in sys.stdlib_module_names] == ["chunking"]


def test_a_document_loads_nothing_to_be_shown() -> None:
    """Neither the store nor what evaluates, and no pandas before a table is asked for."""
    code = "\n".join(
        [
            "import sys",
            "from chunking import chunk_document, parse",
            "document = parse(b'# Title', 'a.md')",
            "chunks = chunk_document(document)",
            "document._repr_mimebundle_(), chunks._repr_mimebundle_()",
            "print(*sorted({'lancedb', 'pandas', 'streamlit', 'chunking.evaluation', 'torch'} & {*sys.modules}))",
        ]
    )
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    ran = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT, env=environment
    )
    assert ran.stdout.split() == []


def public_functions() -> Iterator[tuple[str, Callable[..., object]]]:
    """Functions that packages offer, and methods of classes."""
    for package in PACKAGES:
        module = import_module(f"chunking.{package}")
        for name in module.__all__:
            value = getattr(module, name)
            if inspect.isclass(value):
                skipped = () if is_dataclass(value) else ("__init__",)  # records hold paths, and are made by functions
                methods = (
                    (key, getattr(value, key)) for key in vars(value) if not key.startswith("_") or key in skipped
                )
                yield from ((f"{package}.{name}.{key}", one) for key, one in methods if inspect.isroutine(one))
            elif inspect.isroutine(value):
                yield f"{package}.{name}", value


def test_no_function_takes_only_one_kind_of_path() -> None:
    """Every path is an `AnyPath`, except where Haystack's pipelines need their own type."""
    wrong = []
    for name, function in public_functions():
        try:
            parameters = inspect.signature(function).parameters.values()
        except (ValueError, TypeError):  # a builtin, a property
            continue
        wrong += [
            f"{name}({one})"
            for one in parameters
            if "Path" in str(one.annotation) and "AnyPath" not in str(one.annotation)
        ]
    assert [one for one in wrong if "Callable[[" not in one and "ByteStream" not in one] == []
