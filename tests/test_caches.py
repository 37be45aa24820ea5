"""Every cache of the process is bounded in bytes and listed, or stands here with the reason why it need not be.

`chunking.text.byte_caches` counts and empties those that hold something of a document; Streamlit's are emptied when everybody has left
(`components.session.document_caches`). This test reads the sources, so that a new cache is noticed on the day it is written.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parent.parent

_COUNTING = {"lru_cache", "cache"}
_STREAMLIT = {"cache_data", "cache_resource"}
_CONTAINERS = {"OrderedDict", "WeakKeyDictionary", "WeakValueDictionary", "dict", "set", "defaultdict", "deque", "list"}

NO_TEXT: dict[str, str] = {}
FOR_THE_SERVER: dict[str, str] = {}


def test_every_counting_cache_holds_no_text() -> None:
    """`lru_cache` bounds the number of answers, not their bytes."""
    assert sorted(set(_found(_counting))) == sorted(NO_TEXT)


def test_every_cache_of_streamlit_is_emptied_or_of_the_server() -> None:
    """What a page has read goes when everybody has left."""
    assert sorted(set(_found(_of_streamlit))) == sorted(FOR_THE_SERVER)


def _found(look) -> list[str]:
    sources = [*(ROOT / "chunking").rglob("*.py"), *(ROOT / "components").rglob("*.py"), *(ROOT / "pages").glob("*.py")]
    return [
        f"{path.relative_to(ROOT).with_suffix('').as_posix()}:{name}"
        for path in sources
        for name in look(ast.parse(path.read_text(encoding="utf-8")))
    ]


def _counting(module: ast.Module) -> Iterator[str]:
    """Functions with `lru_cache`, empty containers of a module, and `OrderedDict`s of objects."""
    for node in ast.walk(module):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and any(_named(one) in _COUNTING for one in node.decorator_list):
            yield node.name
        elif isinstance(node, ast.ClassDef):
            yield from (
                f"{node.name}.{target}"
                for one in ast.walk(node)
                for target, value in _assigned(one)
                if _named(value) in ("OrderedDict", "WeakKeyDictionary")
            )
    for node in module.body:
        yield from (target for target, value in _assigned(node) if _is_empty(value))


def _of_streamlit(module: ast.Module) -> Iterator[str]:
    for node in ast.walk(module):
        if isinstance(node, ast.FunctionDef):
            names = {_named(one) for one in node.decorator_list}
            if names & _STREAMLIT and "clear_when_empty" not in names:
                yield node.name


def _assigned(node: ast.AST) -> Iterator[tuple[str, ast.expr]]:
    if isinstance(node, ast.AnnAssign) and node.value is not None:
        yield ast.unparse(node.target).removeprefix("self."), node.value
    elif isinstance(node, ast.Assign):
        yield from ((ast.unparse(target).removeprefix("self."), node.value) for target in node.targets)


def _is_empty(value: ast.expr) -> bool:
    """A container that something is put into later, or a function whose answers are counted."""
    if isinstance(value, ast.Dict):
        return not value.keys
    if isinstance(value, ast.List):
        return not value.elts
    if not isinstance(value, ast.Call):
        return False
    return (_named(value) in _CONTAINERS and not value.args) or _named(value.func) in _COUNTING or _named(value) in _COUNTING


def _named(node: ast.expr) -> str:
    """`st.cache_data(…)` is `cache_data`."""
    while isinstance(node, ast.Call | ast.Subscript):
        node = node.func if isinstance(node, ast.Call) else node.value
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""
