"""The dialog that samples a table: likely columns, what will be taken, the outcome, and where documents came from."""

from __future__ import annotations

from pathlib import Path

import lancedb
import pyarrow as pa
import pytest
from streamlit.testing.v1 import AppTest

from chunking.store import Workspace
from tests.pages.app_session import open_page, page_text, run_app

ROWS = 40


@pytest.fixture(scope="module")
def lake(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A database of two tables; for reading only."""
    folder = tmp_path_factory.mktemp("lake")
    database = lancedb.connect(folder)
    texts = [f"# Article {row}\n\nIt has a text." if row % 10 else None for row in range(ROWS)]
    database.create_table("articles", pa.table({"body": texts, "url": [f"a/{row // 2}" for row in range(ROWS)]}))
    database.create_table("numbers", pa.table({"id": [1]}))
    return folder


def choose(app: AppTest, place: str, table: str = "") -> AppTest:
    """The dialog with a place typed and a table chosen; AppTest closes it with each run, so it is opened again."""
    app = in_dialog(app)
    app.text_input(key="documents.sample.place").set_value(place)
    app = in_dialog(app)
    if table:
        next(box for box in app.selectbox if str(box.key).startswith("documents.sample.table")).set_value(table)
        app = in_dialog(app)
    return app


def in_dialog(app: AppTest) -> AppTest:
    """One more run with the dialog."""
    app.button(key="documents.sample").click()
    return run_app(app)


@pytest.mark.usefixtures("dialogs")
def test_a_sample_is_added_and_its_origin_shown(samples: Workspace, lake: Path) -> None:
    """The likely columns are chosen, three rows are shown, and the line says how much of which table it is."""
    before = {row.doc_id for row in samples.documents()}
    app = choose(open_page("documents"), str(lake), "articles")
    boxes = {str(box.key).split(".")[2]: box.value for box in app.selectbox if str(box.key).startswith("documents.sam")}
    assert boxes == {"table": "articles", "text": "body", "id": "url", "title": None}
    preview = next(frame.value for frame in app.dataframe if "body" in frame.value)
    assert len(preview) == 3
    app.number_input(key="documents.sample.count").set_value(6)
    app.button(key="documents.sample").click()
    app.button(key="documents.sample.add").click()
    run_app(app)
    added = {row.doc_id for row in samples.documents()} - before
    assert len(added) == 6
    (sample,) = samples.table_samples.names()
    assert str(lake) in sample
    assert page_text(app).count(f"12 of {ROWS} rows") == 2  # what was added, and where it came from
    samples.delete_documents(sorted(added))
    assert f"of {ROWS} rows" not in page_text(open_page("documents"))


@pytest.mark.usefixtures("dialogs")
def test_bad_places_and_tables_are_one_sentence(samples: Workspace, lake: Path) -> None:
    """In the dialog, where another can be typed."""
    app = choose(open_page("documents"), f"{lake}/none")
    assert len(app.error) == 1
    app.text_input(key="documents.sample.place").set_value(str(lake))
    assert not in_dialog(app).error
    choose(app, str(lake), "numbers")
    assert not app.error
    assert app.button(key="documents.sample.add").disabled
