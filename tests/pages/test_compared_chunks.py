"""A second split on the Chunks page: chosen, in a link, from a file, and in numbers."""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import urlencode

import pytest
from streamlit.testing.v1 import AppTest

from chunking.config import Config
from chunking.errors import ConfigError
from chunking.evaluation import AnswerSpan, Question, QuestionSet, save_set
from chunking.splitting import chunk_document
from chunking.splitting.strategies import foreign_splitters
from chunking.store import Workspace
from components.session.settings.other_configuration import from_address
from tests.pages.app_session import go_to, message_at, open_link, open_page, page_text, run_app, state

FAQ = "faq_faq"


def viewer_message(app: AppTest) -> dict[str, Any]:
    """What the viewer is sent."""
    messages = [message_at(app, number) for number in range(len(app.get("bidi_component")))]
    return next(message for message in messages if "bands" in message)


def pick(app: AppTest, key: str) -> AppTest:
    """Choose in the field."""
    app.selectbox(key="chunks.compare.pick").set_value(key)
    return run_app(app)


def table(app: AppTest) -> dict[str, list[str]]:
    """The rows of the table, by what they count."""
    (text,) = [part.value for part in app.markdown if "| A | B |" in part.value]
    rows = [[cell.strip() for cell in row.strip("|").split("|")] for row in text.split("\n")[2:]]
    return {row[0]: row[1:] for row in rows}


def test_nothing_is_compared_until_somebody_asks(samples: Workspace) -> None:
    app = open_link(doc=FAQ)
    assert app.selectbox(key="chunks.compare.pick").value == "none"
    assert "other" not in viewer_message(app)
    assert "compare" not in app.query_params


def test_a_link_to_thousands_of_settings_is_not_taken_apart(samples: Workspace) -> None:
    """The page is drawn without."""
    with pytest.raises(ConfigError, match="2,000"):
        from_address("&".join(f"category.c{n}.size=400" for n in range(2_001)), ("chunk",))
    app = open_link(doc=FAQ, compare="&".join(f"s{n}=1" for n in range(5_000)))
    assert "other" not in viewer_message(app)


def test_the_usual_way_next_to_the_present_one(samples: Workspace) -> None:
    """Counted by the library; in the link; gone again."""
    app = pick(open_link(doc=FAQ), "usual")
    document = samples.document(FAQ)
    config = Config.from_settings(
        {"strategy": "recursive", "size": 512, "overlap": 50, "prefix": "none", "keep_whole": "none", "min_size": 0}
    )
    chunks = chunk_document(document), chunk_document(document, config)
    assert table(app)["Chunks"] == [f"{len(one):,}" for one in chunks]
    other = viewer_message(app)["other"]
    assert other["a"] + other["shared"] == len(chunks[0]) - 1
    assert other["b"] + other["shared"] == len(chunks[1]) - 1
    again = open_link(**app.query_params)
    assert again.selectbox(key="chunks.compare.pick").value == "usual"
    assert viewer_message(again)["other"]["key"] == other["key"]
    assert again.query_params == app.query_params
    assert "other" not in viewer_message(pick(again, "none"))
    assert "compare" not in again.query_params


def test_the_present_settings_stay_as_b_while_they_move(samples: Workspace) -> None:
    """Defaults too, which are nothing in an address; over a switch of pages."""
    app = pick(open_link(doc=FAQ), "keep")
    same = viewer_message(app)["other"]
    assert (same["a"], same["b"]) == (0, 0)
    app.session_state["share.config"] = Config.from_settings({"size": 60})
    moved = viewer_message(run_app(app))["other"]
    assert moved["key"] == same["key"]
    assert moved["a"] > 0
    assert viewer_message(go_to(go_to(app, "index"), "chunks"))["other"] == moved
    assert viewer_message(open_link(**app.query_params))["other"] == moved


def test_splitters_and_indexes_are_offered(indexed: Workspace) -> None:
    """Another package's with the present size; what an index was built with is named as that."""
    app = open_link(doc=FAQ, size="100")
    app = pick(app, "splitter:langchain:recursive")
    assert app.selectbox(key="chunks.compare.pick").value == "kept"
    _, kept = state(app, "chunks.compare.kept")
    assert (kept.chunk.splitter, kept.chunk.size) == ("langchain:recursive", 100)
    app = pick(app, "index:main")
    assert app.selectbox(key="chunks.compare.pick").value == "index:main"
    assert table(app)["Chunks"][1] == f"{len(chunk_document(indexed.document(FAQ))):,}"


def test_a_package_that_is_not_here_gets_a_sentence(samples: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(foreign_splitters, "_version", lambda package: "")
    app = pick(open_link(doc=FAQ), "splitter:langchain:recursive")
    assert "pip install langchain-text-splitters" in page_text(app)
    assert "other" not in viewer_message(app)


@pytest.mark.parametrize("compare", ["size=9", "what=1", "search.k=0&size=x", "category.faq.size=", "&&=&%00"])
def test_any_link_is_answered_in_a_sentence(samples: Workspace, compare: str) -> None:
    open_link(doc=FAQ, compare=compare)


def test_a_link_names_no_model_of_a_server(samples: Workspace) -> None:
    """Nor allows it a download: texts would leave the machine before anybody was asked."""
    said_ = urlencode({"size": "300", "embedding.model": "remote:some@somewhere", "embedding.allow_download": "true"})
    app = open_link(doc=FAQ, compare=said_)
    _, kept = state(app, "chunks.compare.kept")
    assert kept == Config.from_settings({"size": 300})


def test_chunks_of_a_file(samples: Workspace) -> None:
    """Found in the document's text, the rest counted; kept over a switch of pages; what cannot be used has its
    sentence.
    """
    text = samples.document(FAQ).text
    rows = [{"text": text[at : at + 300]} for at in range(0, 3000, 300)]
    app = pick(open_link(doc=FAQ), "file")
    assert "other" not in viewer_message(app)
    data = "\n".join(json.dumps(row) for row in [*rows, {"text": "Nobody said this."}])
    app.file_uploader(key="chunks.compare.file.field").set_value(("theirs.jsonl", data.encode(), "application/json"))
    assert table(run_app(app))["Chunks"][1] == "10"
    assert "1 chunk was not found" in page_text(app)
    assert "compare" not in app.query_params
    assert viewer_message(go_to(go_to(app, "index"), "chunks"))["other"]["key"] == viewer_message(app)["other"]["key"]
    app.session_state["share.view"] = {
        **state(app, "share.view"),
        "compare": "size=100",
    }  # as the way back from the guide puts it
    assert (
        table(run_app(app))["Chunks"][1]
        == f"{len(chunk_document(samples.document(FAQ), Config.from_settings({'size': 100}))):,}"
    )
    app = pick(app, "file")
    app.file_uploader(key="chunks.compare.file.field").set_value(("bad.jsonl", b"no JSON", "application/json"))
    assert "Line 1 of bad.jsonl" in page_text(run_app(app))
    assert "other" not in viewer_message(app)


def test_gold_answers_under_both(samples: Workspace) -> None:
    """Counted for each, those that fare differently listed; a click goes to the place in the text."""
    document = samples.document(FAQ)
    first = chunk_document(document, Config.from_settings({"size": 40}))[5]
    spans = [(first.start, first.end), (first.end - 9, first.end + 30)]
    answers = [AnswerSpan(FAQ, start, end, document.text[start:end]) for start, end in spans]
    save_set(
        samples,
        QuestionSet("mine", tuple(Question(f"q{n}", f"What is *{n}*?", (one,)) for n, one in enumerate(answers))),
    )
    app = open_page(settings={"size": "40"}, doc=FAQ, questions="mine", compare="size=2000")
    app.session_state["chunks.inspector"] = "A and B"
    rows = table(run_app(app))
    assert [rows[f"Gold answers {fate}"] for fate in ("intact", "split", "missed")] == [
        ["1", "2"],
        ["1", "0"],
        ["0", "0"],
    ]
    assert viewer_message(app)["other"]["fates"] == "ii"
    app.button(key="chunks.compare.change.0").click()
    goto = viewer_message(run_app(app))["goto"]
    assert goto["at"] == spans[1][0]
    assert viewer_message(run_app(app))["goto"] == goto
