"""What the server keeps for all sessions: nothing of one workspace is given to who asks for another, nor drawn for who
lost their role.
"""

from __future__ import annotations

import ast
import gc
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from chunking.config import Config
from chunking.errors import AccessError
from chunking.model import Document
from chunking.parsing import parse
from components.documents.document_details import block_sizes
from components.documents.page_view import _packed
from components.session import measured_documents
from components.session.page import page_frame
from tests.support.product import app_sources, present

ROOT = Path(__file__).parents[2]
KEPT = {"cache_data", "cache_resource", "lru_cache", "cache", "byte_cache"}
IDENTITY = "of a document that the entry holds: another one has another id"
TEXT = "of nothing but its arguments, all of which decide the key"
SERVER = "one object of the server; what stands in it is told apart by address, session or person"
PRODUCT = "of files that come with the program"
OPERATORS = "numbers by folder, for the operators' page alone"
VERSION = "its key begins with the address"
NOT_OF_A_WORKSPACE = {
    "components/chunks/comparison_choice.py:_located": TEXT,
    "components/chunks/split_comparison.py:_by_config": IDENTITY,
    "components/chunks/live_documents.py:prepared_keys": SERVER,
    "components/chunks/recall_curve/background.py:curves": SERVER,
    "components/documents/document_details.py:_counted": IDENTITY,
    "components/documents/incoming.py:readers": SERVER,
    "components/documents/page_view/__init__.py:_packed": IDENTITY,
    "components/documents/page_view/__init__.py:_text_of": TEXT,
    "components/export/export_cards.py:_size": VERSION,
    "components/export/report_card.py:_page": VERSION,
    "components/guide/guide_steps.py:_closed": SERVER,
    "components/kit/browser/events.py:_server_events": SERVER,
    "hosting/operators/people_table.py:_measured": OPERATORS,
    "components/search/example_questions.py:_samples": PRODUCT,
    "components/server/page_base.py:_page": PRODUCT,
    "components/server/page_base.py:_plain_page": PRODUCT,
    "components/server/process_settings.py:_glibc": "a library of the machine",
    "components/session/host.py:_host": SERVER,
    "hosting/demo/visit_cookies.py:_key": SERVER,
    "hosting/quotas/usage.py:_documents_at": OPERATORS,
    "hosting/people/identity.py:_tell_unverified": "a line of the log, once",
    "components/session/jobs/__init__.py:jobs": SERVER,
    "components/session/measured_documents.py:_large": IDENTITY,
    "components/session/measured_documents.py:_measures": "compares whole documents, whatever they say of themselves",
    "components/session/measured_documents.py:_plain": "compares whole documents, whatever they say of themselves",
    "components/session/measured_documents.py:_small": IDENTITY,
    "components/session/measured_documents.py:_without_pins": IDENTITY,
    "components/session/questions/run_state.py:_parsed": TEXT,
    "components/session/samples.py:_hashes": PRODUCT,
    "components/session/samples.py:_reasons": SERVER,
    "components/tune/sweep/sweep_results.py:_changes": VERSION,
    "components/tune/sweep/sweep_results.py:_effects": VERSION,
    "components/tune/sweep/sweep_results.py:_heat": VERSION,
}
"""What is kept under a key without an address, and why it may be."""


def functions() -> Iterator[tuple[str, ast.FunctionDef]]:
    """Every function of pages and components, as `path:name`."""
    for path in app_sources():
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef):
                yield f"{path.relative_to(ROOT).as_posix()}:{node.name}", node


def decorators(function: ast.FunctionDef) -> set[str]:
    """The last names of what a function is decorated with."""
    called = (one.func if isinstance(one, ast.Call) else one for one in function.decorator_list)
    return {ast.unparse(one).rpartition(".")[2] for one in called}


def test_what_is_kept_is_distinguished_by_the_workspaces_address() -> None:
    """A new cache has `address` among its key arguments, which no underscore keeps out of the key, or its row above."""
    cached = {name: function for name, function in functions() if decorators(function) & KEPT}
    keyed = {name for name, function in cached.items() if "address" in {one.arg for one in function.args.args}}
    assert cached.keys() - keyed == present(NOT_OF_A_WORKSPACE).keys()


def test_every_part_that_runs_by_itself_asks_first() -> None:
    """Streamlit runs a fragment, and what is in a dialog, without its page, which is what asks for the workspace."""
    own = {"components/session/page/page_frame.py": "", "hosting/operators/job_list.py": "asks for an operator"}
    bare = {
        path.relative_to(ROOT).as_posix()
        for path in app_sources()
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Attribute) and ast.unparse(node) in ("st.fragment", "st.dialog")
    }
    assert bare == present(own).keys()


@pytest.mark.parametrize("kind", ["fragment", "dialog"])
def test_a_part_draws_nothing_for_who_may_not_see_the_workspace_any_more(
    monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    """The sentence stands in its place."""
    drawn: list[str] = []
    allowed = [True]

    def check() -> None:
        if not allowed[0]:
            raise AccessError("no")

    monkeypatch.setattr(page_frame, "check_may_read", check)
    monkeypatch.setattr(page_frame.st, "fragment", lambda function, run_every: function)
    monkeypatch.setattr(page_frame.st, "dialog", lambda title, width: lambda function: function)
    monkeypatch.setattr(page_frame.st, "error", lambda text, icon: drawn.append("error"))
    decorate = page_frame.fragment() if kind == "fragment" else page_frame.dialog("A dialog")
    part = decorate(lambda: drawn.append("text"))
    part()
    allowed[0] = False
    part()
    assert drawn == ["text", "error"]


def test_a_part_that_runs_after_a_click_has_the_page_say_so(monkeypatch: pytest.MonkeyPatch) -> None:
    """The page has the way to other workspaces, or to sign in, beside the sentence. What looks again and again does not
    begin it anew.
    """
    said: list[str] = []

    class Again(Exception):
        pass

    def refused() -> None:
        raise AccessError("no")

    def again() -> None:
        raise Again

    monkeypatch.setattr(page_frame, "check_may_read", refused)
    monkeypatch.setattr(page_frame, "is_fragment_run", lambda: True)
    monkeypatch.setattr(page_frame.st, "fragment", lambda function, run_every: function)
    monkeypatch.setattr(page_frame.st, "rerun", again)
    monkeypatch.setattr(page_frame.st, "error", lambda text, icon: said.append(text))
    with pytest.raises(Again):
        page_frame.fragment()(lambda: None)()
    page_frame.fragment(run_every=1.0)(lambda: said.append("drawn"))()
    assert said == ["no"]


def documents(count: int) -> Iterator[Document]:
    """Documents that all say the same of themselves, each forgotten before the next one is made: ids come again."""
    for number in range(count):
        document = parse(b"# Same\n\n" + b"word " * (number + 1), "same.md")
        yield document
        del document
        gc.collect()


def test_an_id_that_is_given_again_brings_back_no_other_document() -> None:
    """What is kept by a document's identity holds it as long as it is kept."""
    config = Config()
    for number, one in enumerate(documents(12)):
        pinned = replace(one, warnings=(str(number),))
        chunker = measured_documents.chunker(pinned, config.embedding)
        assert chunker.document.text == one.text
        sizes = block_sizes(one)
        assert sizes is not None
        assert sizes[-1] == number + 1
        assert _packed(one)[0] is one
