"""The statute and the contract, loaded from the Documents page with one click."""

from __future__ import annotations

from chunking.store import Workspace
from components.documents.adding import ARTICLE_SET, ARTICLES, with_patterns
from tests.pages.app_session import open_page, run_app, state
from tests.pages.uploading import GOOD, drop_files, queue_of, sources


def test_one_click_adds_both_with_questions_and_patterns(indexed: Workspace) -> None:
    """Shows the first, keeps other settings and waiting files, and offers nothing more to load."""
    before = sources(indexed)
    app = drop_files(open_page("documents", {"size": "300"}), [("good.md", GOOD)])
    app.button(key="articles.load").click()
    run_app(app)
    rows = {row.source: row for row in indexed.documents()}
    assert set(rows) == before | {one.source for one in ARTICLES}
    assert [rows[one.source].category for one in ARTICLES] == ["statute", "contract"]
    assert indexed.question_sets.names() == [ARTICLE_SET]
    config = state(app, "share.config")
    assert config == with_patterns(config)
    assert config.chunk.size == 300
    assert state(app, "share.view")["doc"] == rows[ARTICLES[0].source].doc_id
    assert state(app, "share.view")["questions"] == ARTICLE_SET
    assert [file.source for file in queue_of(app).files] == ["good.md"]
    assert not {"articles.load", "articles.patterns"} & {button.key for button in app.button}
    later = open_page("documents")
    later.button(key="articles.patterns").click()
    run_app(later)
    assert state(later, "share.config") == with_patterns(state(later, "share.config"))
    assert "articles.patterns" not in {button.key for button in later.button}
