"""What a viewer is offered: every widget of the pages says whether its use changes the workspace."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[3]
WIDGETS = frozenset({"button", "form_submit_button", "file_uploader", "data_editor"})
LOOKS = frozenset(
    {
        "'agents.token'",
        "'answer.go'",
        "'answer.stop'",
        "'articles.patterns'",
        "'asking.forget'",
        "'asking.stop'",
        "'chunks.inspector.close'",
        "'chunks.recall'",
        "'documents.delete.cancel'",
        "'documents.parser.cancel'",
        "'documents.reset.cancel'",
        "'documents.sample.cancel'",
        "'evaluate.delete.cancel'",
        "'evaluate.editor.discard'",
        "'evaluate.trial.back'",
        "'guide.fold'",
        "'index.review'",
        "'index.search'",
        "'evaluate.use'",
        "'export.cluster-job.make'",
        "'export.report.make'",
        "'guide.back'",
        "'guide.close'",
        "'guide.open'",
        "'home.how'",
        "'home.measure'",
        "'home.next'",
        "'home.play'",
        "'home.runs'",
        "'index.multilingual.use'",
        "'labelling.close'",
        "'labelling.evaluate'",
        "'labelling.file'",
        "'pins.show'",
        "'review.back'",
        "'search.everywhere'",
        "'settings.file'",
        "'tune.check.cancel'",
        "'uploads.cancel'",
        "'uploads.discard'",
        "'workspace.mine'",
        "_UPLOAD_FIELD",
        "f'chip.cancel.{job.number}'",
        "f'chip.interrupted.{job.number}'",
        "f'chip.seen.{job.number}'",
        "f'chunks.compare.change.{number}'",
        "f'documents.related.{one.row.doc_id}'",
        "f'documents.sibling.{row.doc_id}'",
        "f'endpoint.{kind}.check'",
        "f'importing.file.{turn}'",
        "f'index.delete.cancel.{row.table}'",
        "f'index.measure.{row.table}'",
        "f'index.review.{row.table}'",
        "f'index.use.{row.table}'",
        "f'interrupted.dismiss.{job.kind}'",
        "f'search.example.{number}'",
        "f'uploads.comments.{file.number}'",
        "f'uploads.ocr.{file.number}'",
        "f'{_KEY}.show'",
        "f'{key}.apply'",
        "f'{key}.load'",
        "f'{key}.reset'",
        "f'{key}.saved'",
        "f'{key}.{row.name}'",
        "f'{name}.back'",
        "f'{own}.{number}'",
        "f'{page}.cancel'",
        "key",
    }
)
"""Widgets that change no workspace, by their key in the source: what they do belongs to the session, or is refused
elsewhere.
"""
ELSEWHERE = ("components/workspaces/", "components/kit/button.py")
"""Roles, workspaces and people themselves: `chunking.deployment` says who manages them."""


def calls(path: Path) -> Iterator[ast.Call]:
    """The widgets that a module draws."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call):
            name = (
                node.func.attr
                if isinstance(node.func, ast.Attribute)
                else node.func.id
                if isinstance(node.func, ast.Name)
                else ""
            )
            if name in WIDGETS and any(word.arg == "key" for word in node.keywords):
                yield node


def drawn() -> Iterator[tuple[str, bool]]:
    """(key, whether it asks `editing`) of each."""
    for path in sorted([*(ROOT / "components").rglob("*.py"), *(ROOT / "pages").glob("*.py")]):
        if str(path.relative_to(ROOT)).startswith(ELSEWHERE):
            continue
        for call in calls(path):
            key = next(ast.unparse(word.value) for word in call.keywords if word.arg == "key")
            asks = [ast.unparse(word.value) for word in call.keywords if word.arg in (None, "disabled")]
            yield key, any(one.startswith(("editing(", "looks", "bool(why_only_viewing()")) for one in asks)


def test_every_widget_that_writes_asks_for_the_right() -> None:
    """A new one is drawn with `**editing(…)`, or is named in `LOOKS`; none is named there that is gone."""
    free = {key for key, asks in drawn() if not asks}
    assert free - LOOKS == set()
    assert LOOKS - free == set()
    assert sum(asks for _, asks in drawn()) > 40
