"""Imports inside `splitting/` run one way: from the splitter down to the measure."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import chunking.splitting

PACKAGE = "chunking.splitting"
FOLDER = Path(chunking.splitting.__file__).parent

ORDER = (
    ("rendering",),
    ("measure",),
    ("pins",),
    ("document_view",),
    ("packing",),
    ("strategies",),
    ("chunks",),
    ("split",),
    ("document_splitting",),
    ("__init__",),
)
"""From the ground up; each part may import itself and the rows before its own."""
HEIGHTS = {part: height for height, parts in enumerate(ORDER) for part in parts}


def part_of(dotted: str) -> str:
    """The part of the package that a module is, or is in."""
    return (dotted.removeprefix(PACKAGE).strip(".").split(".")[0]) or "__init__"


def imported_parts(source: str) -> Iterator[str]:
    """The parts that a module imports, lazily and under `TYPE_CHECKING` too."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module == PACKAGE:
            names = [f"{PACKAGE}.{alias.name}" for alias in node.names]
        else:
            names = [node.module or ""] if isinstance(node, ast.ImportFrom) else []
        yield from (part_of(name) for name in names if name.startswith(PACKAGE))


def climbs(part: str, source: str) -> list[str]:
    """The parts that a module imports although they stand beside or above its own."""
    return [other for other in imported_parts(source) if other != part and HEIGHTS[other] >= HEIGHTS[part]]


def test_every_part_has_a_height() -> None:
    """A new module or package is put into the order."""
    parts = {path.stem for path in FOLDER.iterdir() if path.suffix == ".py" or (path / "__init__.py").exists()}
    assert parts == set(HEIGHTS)


def test_imports_run_downhill() -> None:
    """Measure, packing, strategies, chunks, splitter: none knows what stands above it."""
    paths = {path: part_of(".".join(path.relative_to(FOLDER).with_suffix("").parts)) for path in FOLDER.rglob("*.py")}
    climbing = {str(path.relative_to(FOLDER)): climbs(part, path.read_text("utf-8")) for path, part in paths.items()}
    assert {path: parts for path, parts in climbing.items() if parts} == {}


def test_a_climb_is_noticed() -> None:
    """However it is written."""
    assert climbs("measure", "from chunking.splitting.chunks.embedded_text import EmbeddedText") == ["chunks"]
    assert climbs("measure", "def f():\n    import chunking.splitting.split") == ["split"]
    assert climbs("rendering", "from chunking.splitting import document_view") == ["document_view"]
    assert climbs("chunks", "from chunking.splitting.measure.measured_document import Memo") == []
