"""Every cache of the process is bounded in bytes and listed, or stands here with the reason why it need not be.

`chunking.text.byte_caches` counts and empties those that hold something of a document; Streamlit's are emptied when
everybody has left (`components.session.document_caches`). This test reads the sources, so that a new cache is noticed
on the day it is written.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from pathlib import Path

from tests.support.product import app_sources, present

ROOT = Path(__file__).parent.parent

_COUNTING = {"lru_cache", "cache"}
_STREAMLIT = {"cache_data", "cache_resource"}
_CONTAINERS = {"OrderedDict", "WeakKeyDictionary", "WeakValueDictionary", "dict", "set", "defaultdict", "deque", "list"}

BUFFERS = "what one run has in hand, or a bounded cache of an object that goes with its workspace, session or page"
MODELS = "a model, its tokenizer or its files, of which a process has few"
NUMBERS = "numbers that follow from a few numbers"
ONE = "one character, or one word of the program's"
PROGRAM = "what comes with the program or the machine: rows of a table, schemas, compiled patterns"
SERVER = "numbers and names by address, session, person or server"
SHORT = "so many names or patterns, each of a length that is checked before"

NO_TEXT: dict[str, str] = {
    "chunking/agents/addresses:_split_settings": SHORT,
    "chunking/cli/terminal/look:_symbols": PROGRAM,
    "chunking/cli/terminal/terminal_text:_columns": ONE,
    "chunking/config/choices:_ADDED": PROGRAM,
    "chunking/config/renamed_settings:_VALUES": PROGRAM,
    "hosting/demo/visit_cookies:_key": SERVER,
    "hosting/quotas/usage:_documents_at": SERVER,
    "chunking/embedding/local/local_embedder:_embedder": MODELS,
    "chunking/embedding/local/local_embedder:_transformer": MODELS,
    "chunking/embedding/local/model_tokenizer:has_head": MODELS,
    "chunking/embedding/local/model_tokenizer:tokenizer_alone": MODELS,
    "chunking/embedding/local/engine_table:has_bf16": PROGRAM,
    "chunking/embedding/local/engine_table:has_int8": PROGRAM,
    "chunking/embedding/model_files:_hash_once": MODELS,
    "chunking/embedding/model_files:_last_checks": MODELS,
    "chunking/embedding/model_files:_read": MODELS,
    "chunking/embedding/remote:_embedder": MODELS,
    "chunking/embedding/rerankers:_cross_encoder": MODELS,
    "chunking/evaluation/analysis/recommendation:_noise": NUMBERS,
    "chunking/evaluation/analysis/statistics:_all_signs": NUMBERS,
    "chunking/evaluation/analysis/statistics:_signs": NUMBERS,
    "chunking/evaluation/analysis/statistics:_waits": NUMBERS,
    "chunking/evaluation/analysis/statistics:resampled": NUMBERS,
    "chunking/evaluation/analysis/statistics:t_quantile": NUMBERS,
    "chunking/evaluation/live/live_recall:LiveRecall._matched": BUFFERS,
    "chunking/evaluation/live/live_recall:_threads": PROGRAM,
    "chunking/export/report/report_page:_plotly": PROGRAM,
    "chunking/export/report/report_page:_template": PROGRAM,
    "chunking/llm/sending:gate_of": SERVER,
    "chunking/indexing/adding/file_stream:_package_version": PROGRAM,
    "chunking/llm/sending:_certificates": PROGRAM,
    "chunking/notebook/widget:Explorer._heard": BUFFERS,
    "chunking/parsing/formats/code/outlines:_pattern": PROGRAM,
    "chunking/parsing/formats/code/syntax_trees:_grammar": PROGRAM,
    "chunking/parsing/formats/delimited:_opening": ONE,
    "chunking/parsing/formats/delimited:_quoted": ONE,
    "chunking/parsing/formats/office/odt/odt_elements:_cached_short": SHORT,
    "chunking/parsing/formats/office/odt/odt_elements:full_name": ONE,
    "chunking/parsing/formats/office/xlsx/number_patterns:sections_of": SHORT,
    "chunking/parsing/formats/pdf/characters/page_characters:plain_calls": PROGRAM,
    "chunking/parsing/formats/pdf/pages/page_images:_languages": PROGRAM,
    "chunking/parsing/parsers/parser_table:_registered": PROGRAM,
    "chunking/parsing/parsers/unstructured_reader:_sentencizer": PROGRAM,
    "chunking/parsing/parsers/unstructured_reader:prepare_readers": PROGRAM,
    "chunking/parsing/registry:_registered": PROGRAM,
    "chunking/parsing/sandbox/parse_server:_warm_up": PROGRAM,
    "chunking/parsing/sandbox/parse_server:import_readers": PROGRAM,
    "chunking/plugins:entry_places": PROGRAM,
    "chunking/plugins:entry_versions": PROGRAM,
    "chunking/plugins:installed_rows": PROGRAM,
    "chunking/retrieval/modes/retrieval_modes:_registered": PROGRAM,
    "chunking/retrieval/query/query:_shipped": PROGRAM,
    "chunking/retrieval/query/stop_words:_folded_sets": PROGRAM,
    "chunking/retrieval/ranking/reranking:_interaction": MODELS,
    "chunking/splitting/document_splitting:MeasureCache._entries": BUFFERS,
    "chunking/splitting/measure/token_counter:_counter": MODELS,
    "chunking/splitting/strategies/custom_splitters:_digest": PROGRAM,
    "chunking/splitting/strategies/custom_splitters:_imports": PROGRAM,
    "chunking/splitting/strategies/custom_splitters:_registered": PROGRAM,
    "chunking/splitting/strategies/foreign_splitters:_version": PROGRAM,
    "chunking/store/documents/changed_documents:ChangedDocuments._documents": BUFFERS,
    "chunking/store/engine/schema:schema": PROGRAM,
    "chunking/store/index/chunk_arrow:chunks_schema": PROGRAM,
    "chunking/store/index/chunk_arrow:table_schema": PROGRAM,
    "chunking/text/byte_caches:ByteCache._entries": "the bounded cache itself",
    "chunking/text/characters:kind_of": ONE,
    "chunking/text/quotes:_folded_character": ONE,
    "chunking/text/characters:script_of": ONE,
    "chunking/text/search_text:_compiled": PROGRAM,
    "chunking/viewing/messages/code_tokens:_kind_of": ONE,
    "components/chunks/recall_curve/background:Curves._curves": BUFFERS,
    "components/kit/browser/events:LastEvents._last": SERVER,
    "components/kit/wording:_hidden": SERVER,
    "components/server/agents/call_log:CallLog._calls": "names of tools, ids and numbers",
    "components/server/page_base:_page": PROGRAM,
    "components/server/page_base:_plain_page": PROGRAM,
    "components/server/process_settings:_glibc": PROGRAM,
    "components/streamlit_patches/sent_messages:_sent": BUFFERS,
    "hosting/server/media_access:_readers": SERVER,
    "hosting/server/request_person:_sessions": SERVER,
    "hosting/server/upload_room:UploadRoom._holders": SERVER,
    "components/session/bounded_set:BoundedSet._keys": SERVER,
    "components/session/document_caches:_caches": PROGRAM,
    "components/session/host:_host": SERVER,
    "hosting/people/identity:_tell_unverified": PROGRAM,
    "components/session/page/once_per_run:_ANSWERS": BUFFERS,
    "components/session/workspace:_sessions": SERVER,
}
"""Module and name, with what it holds instead of texts."""
OF_THE_SERVER: dict[str, str] = {
    "components/chunks/recall_curve/background:curves": SERVER,
    "components/documents/incoming:readers": SERVER,
    "components/guide/guide_steps:_closed": SERVER,
    "components/kit/browser/events:_server_events": SERVER,
    "hosting/operators/people_table:_measured": SERVER,
    "components/search/example_questions:_samples": PROGRAM,
    "components/session/jobs/__init__:jobs": SERVER,
    "components/session/samples:_hashes": PROGRAM,
    "components/session/samples:_reasons": SERVER,
    "components/session/workspace:open_workspace": "workspaces, closed one by one when nobody has them open",
    "components/session/workspace:_seen_by": "the same, as a person sees them",
}
"""Caches of Streamlit's that stay when everybody has left."""


def test_every_counting_cache_holds_no_text() -> None:
    """`lru_cache` bounds the number of answers, not their bytes."""
    assert sorted(set(_matches(_counting))) == sorted(present(NO_TEXT))


def test_every_cache_of_streamlit_is_emptied_or_of_the_server() -> None:
    """What a page has read goes when everybody has left."""
    assert sorted(set(_matches(_of_streamlit))) == sorted(present(OF_THE_SERVER))


def test_a_new_cache_is_noticed() -> None:
    """However it is written."""
    source = """
@functools.lru_cache(maxsize=4)
def one(text): ...
@cache
def two(text): ...
three = lru_cache(maxsize=2)(work)
four: dict[str, str] = {}
five = OrderedDict()
six: WeakKeyDictionary[Document, str] = WeakKeyDictionary()
class Seven:
    def __init__(self):
        self._rows: OrderedDict[str, bytes] = OrderedDict()
@byte_cache(most=MB)
def bounded(text): ...
TABLE = {"a": 1}
@st.cache_data(max_entries=2)
def eight(address): ...
@clear_when_unused
@st.cache_resource
def nine(address): ...
"""
    assert sorted(_counting(ast.parse(source))) == ["Seven._rows", "five", "four", "one", "six", "three", "two"]
    assert list(_of_streamlit(ast.parse(source))) == ["eight"]


def _matches(look: Callable[[ast.Module], Iterator[str]]) -> list[str]:
    sources = [*(ROOT / "chunking").rglob("*.py"), *app_sources()]
    return [
        f"{path.relative_to(ROOT).with_suffix('').as_posix()}:{name}"
        for path in sources
        for name in look(ast.parse(path.read_text(encoding="utf-8")))
    ]


def _counting(module: ast.Module) -> Iterator[str]:
    """Functions with `lru_cache`, empty containers of a module, and `OrderedDict`s of objects."""
    for node in ast.walk(module):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and any(
            _named(one) in _COUNTING for one in node.decorator_list
        ):
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
            if names & _STREAMLIT and "clear_when_unused" not in names:
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
    return (
        (_named(value) in _CONTAINERS and not value.args)
        or _named(value.func) in _COUNTING
        or _named(value) in _COUNTING
    )


def _named(node: ast.expr) -> str:
    """`st.cache_data(…)` is `cache_data`."""
    while isinstance(node, ast.Call | ast.Subscript):
        node = node.func if isinstance(node, ast.Call) else node.value
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""
