"""The glossary: at most twelve terms, each with its line where it is first met, and all of them together."""

from __future__ import annotations

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from chunking.config import settings
from chunking.evaluation.metrics.metric_table import METRICS
from chunking.glossary import GLOSSARY, term
from chunking.samples import SAMPLE_SET, prepare
from chunking.store import Workspace
from tests.pages.app_session import open_page, run_app
from tests.support.home_story import put_story
from tests.support.stand_in_model import stand_in_model

MOST = 12


@pytest.fixture(scope="module")
def ready(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The samples with an index and the story's runs; tests only look at it."""
    folder = tmp_path_factory.mktemp("ready") / "workspace"
    with stand_in_model():
        samples, target = prepare(), Workspace.open(folder)
        with target.writer():
            samples.put_into(target)
        put_story(target)
    return folder


@pytest.fixture(autouse=True)
def in_it(ready: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CHUNKSCOPE_WORKSPACE", str(ready))
    monkeypatch.setenv("CHUNKSCOPE_HOME", str(tmp_path / "home"))


def everything(app: AppTest) -> str:
    """Texts that the page shows, without those on hover."""
    parts = [str(part.value) for kind in (app.markdown, app.caption) for part in kind]
    return "\n".join([*parts, *(str(part.proto.body) for part in app.get("html"))])


def test_a_dozen_terms_at_most() -> None:
    """Each once, with one sentence that does not begin with the term."""
    assert len(GLOSSARY) <= MOST
    assert len({one.name for one in GLOSSARY}) == len(GLOSSARY)
    for one in GLOSSARY:
        assert one.line.endswith(".")
        assert one.line.count(".") == 1
        assert len(one.line.split()) <= 20
        assert not one.line.casefold().startswith(one.name.casefold())


@pytest.mark.parametrize("page", dict.fromkeys(one.page for one in GLOSSARY))
def test_the_line_stands_where_the_term_is_first_met(page: str) -> None:
    """In sight, not only on hover."""
    shown = everything(open_page(page.lower(), questions=SAMPLE_SET))
    assert [one.name for one in GLOSSARY if one.page == page and one.line not in shown] == []


@pytest.mark.parametrize("key", ["home.words", "workspace.words"])
def test_all_terms_stand_together(key: str) -> None:
    """From the front page, and from the menu of the workspace on every page."""
    app = open_page("home")
    app.button(key=key).click()
    run_app(app)
    shown = everything(app)
    assert [one.name for one in GLOSSARY if one.line not in shown] == []


def test_settings_and_metrics_use_the_same_line() -> None:
    """No term is explained twice in different words."""
    helps = {one.title: one.help for one in settings()} | {one.label: one.help for one in METRICS}
    explained = [one.name for one in GLOSSARY if one.name in helps]
    assert explained
    assert [name for name in explained if not helps[name].startswith(term(name).line)] == []
