"""The protocol of the widget, without a browser: what is sent, when, and what events do."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import Any

import comm
import numpy as np
import pytest

from chunking.config import Config
from chunking.errors import ConfigError
from chunking.model import Document
from chunking.notebook import explore
from chunking.notebook import widget as module
from chunking.notebook.exploration import DOCUMENT
from chunking.notebook.front_end import front_end
from chunking.notebook.widget import Explorer
from tests.notebook.notebook_documents import guide, questions_about, second_guide
from tests.notebook.recorded_comms import RecordedComm, event
from tests.support.stand_in_model import stand_in_model


@pytest.fixture(autouse=True)
def recorded(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Widgets of this module have a comm that keeps what they send; they are closed in the end."""
    monkeypatch.setattr(comm, "create_comm", RecordedComm)
    yield
    Explorer.close_all()


def hear(widget: Explorer, *events: dict[str, object]) -> None:
    """As the comm does with a custom message."""
    for one in events:
        widget._handle_custom_msg(one, [])


def sized(number: int, text: str, nonce: str = "5f") -> dict[str, object]:
    return event(number, "size", "value", {"text": text, "turn": 0}, nonce)


def test_the_first_message_holds_all_of_the_first_view() -> None:
    """The front end needs no other: a saved notebook shows it without a kernel."""
    widget = explore(guide())
    kind, data, buffers = widget.comm.messages[0]
    state = data["state"]
    assert kind == "comm_open"
    assert state["_text"]["of"] == 1
    assert (state["_view"]["doc"], state["_facts"]["doc"]) == (state["_text"]["doc"],) * 2
    assert [row["key"] for row in state["_form"]] == ["size", "overlap", "strategy", "prefix"]
    assert np.frombuffer(buffers[0], "<i4").reshape(-1, 2).tolist() == widget.boundaries.tolist()


def test_a_step_is_one_short_message() -> None:
    """The text is not sent again, and the value that was sent is confirmed with the boundaries that it made."""
    widget = explore(guide(300))
    widget.comm.updates()
    hear(widget, sized(1, "64"))
    (step,) = widget.comm.updates()
    assert not {"_text", "_facts", "_esm", "_css"} & step.keys()
    assert step["_confirmed"] == {"5f": 1}
    assert step["_view"]["n"] == len(widget.boundaries)
    assert len(str(step)) < len(widget.document.text) / 2
    assert (widget.size, widget.config.chunk.size) == (64, 64)


def test_recall_comes_after_the_boundaries() -> None:
    """In a message of its own: the viewer does not wait for it."""
    document = guide()
    with stand_in_model():
        widget = explore(document, questions_about(document))
        assert widget._dial["trace"]
        widget.comm.updates()
        hear(widget, sized(1, "64"))
        first, second = widget.comm.updates()
    assert "_view" in first
    assert "_dial" not in first
    assert list(second) == ["_dial"]
    assert widget.scores is not None
    assert widget.scores.config.chunk.size == 64


def test_an_event_is_applied_once_and_confirmed_each_time() -> None:
    """It was sent again because the answer was lost, or late: a view gets what it may have missed."""
    widget = explore(guide())
    hear(widget, sized(1, "64"), sized(2, "90"))
    widget.comm.updates()
    hear(widget, sized(1, "64"))
    (again,) = widget.comm.updates()
    assert widget.size == 90
    assert again["_confirmed"] == {"5f": 2}
    assert again["_form"][0]["text"] == "90"
    hear(widget, sized(1, "70", nonce="6a"))
    assert widget.size == 70


def test_a_fault_stays_in_the_control() -> None:
    """The boundaries stay, and the trait too."""
    widget = explore(guide())
    before = widget.boundaries
    hear(widget, sized(1, "3"))
    assert widget.size == Config().chunk.size
    assert widget._form[0]["error"]
    assert np.array_equal(widget.boundaries, before)


def test_cells_move_what_is_shown() -> None:
    """Every trait, each with one message; what is out of range raises, and nothing moves."""
    widget = explore([guide(), second_guide()])
    events: list[Any] = []
    widget.observe(lambda change: events.append(change["new"]), "size")
    widget.size = 64
    assert widget._form[1]["text"] == "64"
    widget.comm.updates()
    widget.overlap = "25%"
    assert len(widget.comm.updates()) == 1
    widget.strategy, widget.prefix = "sentence", "none"
    assert widget.config == Config.from_settings(
        {"size": 64, "overlap": "25%", "strategy": "sentence", "prefix": "none"}
    )
    widget.config = Config.from_settings({"size": 40})
    assert (widget.size, widget.overlap, widget.strategy) == (40, "0", "structure")
    assert events == [64, 40]
    widget.selected_chunk = 3
    assert widget._view["at"] == widget.boundaries[3][0]
    assert widget.chunk == widget.chunks[3]
    with pytest.raises(ConfigError):
        widget.size = 2
    with pytest.raises(ConfigError):
        widget.selected_chunk = 999
    assert (widget.size, widget.selected_chunk) == (40, 3)
    widget.doc_id = "valves"
    assert (widget.document.doc_id, widget.selected_chunk) == ("valves", None)


def test_traits_that_are_set_together_move_together() -> None:
    """By a front end, or in a block that holds notifications back; where one is refused, none is taken."""
    widget = explore(guide())
    widget.set_state({"size": 80, "overlap": "10%"})
    assert widget.config == Config.from_settings({"size": 80, "overlap": "10%"})
    with widget.hold_trait_notifications():
        widget.size, widget.prefix = 60, "none"
    assert widget.config == Config.from_settings({"size": 60, "overlap": "10%", "prefix": "none"})
    with pytest.raises(ConfigError):
        widget.set_state({"size": 2, "overlap": "20%"})
    assert (widget.size, widget.overlap, widget.config.chunk.size) == (60, "10%", 60)


def test_a_pick_is_a_trait() -> None:
    """By its place in the text; a pick of another text comes too late."""
    widget = explore(guide())
    start = int(widget.boundaries[4][0])
    hear(widget, event(1, "viewer", "pick", {"doc": widget._text["doc"], "at": start}))
    assert widget.selected_chunk == 4
    hear(widget, event(2, "viewer", "pick", {"doc": "another", "at": 0}))
    assert widget.selected_chunk == 4
    hear(widget, event(3, "viewer", "pick", {"doc": widget._text["doc"], "at": None}))
    assert widget.selected_chunk is None


@pytest.mark.parametrize(
    "said",
    [
        None,
        [],
        {},
        {"nonce": 5, "number": 1},
        {"nonce": "5f", "number": "1"},
        {"nonce": "5f", "number": float("nan")},
        {"nonce": "x" * 1000, "number": 1, "key": "size", "kind": "value", "value": {"text": "64"}},
        event(1, "viewer", "pick", "here"),
        event(1, "viewer", "pick", {"at": [1]}),
        event(1, "text", "part", {"part": 10**9}),
        event(1, "embedding.model", "value", {"text": "remote:any"}),
        event(1, DOCUMENT, "value", {"text": "../../etc"}),
        event(1, "size", "value", None),
    ],
)
def test_what_makes_no_sense_is_left_alone(said: Any) -> None:
    widget = explore(guide(3))
    before = widget.config
    hear(widget, said)
    assert widget.config == before
    hear(widget, sized(2, "64"))
    assert widget.size == 64


def test_a_long_text_comes_in_parts_when_it_is_switched_to(monkeypatch: pytest.MonkeyPatch) -> None:
    """A notebook's server drops what is over a megabyte a second: each part is asked for."""
    monkeypatch.setattr(module, "_PART", 200)
    widget = explore([guide(), second_guide()])
    packed = widget._text["packed"]
    assert widget._text["of"] == 1
    widget.doc_id = "valves"
    hear(widget, event(1, DOCUMENT, "value", {"text": "guide"}))
    parts = [widget._text["packed"]]
    of, doc = widget._text["of"], widget._text["doc"]
    assert of > 1
    for part in range(1, of):
        hear(widget, event(1 + part, "text", "part", {"doc": doc, "part": part}))
        parts.append(widget._text["packed"])
    assert "".join(parts) == packed
    assert max(map(len, parts)) == 200


def test_events_and_cells_at_once_leave_one_state() -> None:
    """JupyterLab hears events in a thread beside the cells."""
    widget = explore(guide())
    sizes = [40, 60, 80, 100]

    def drag() -> None:
        hear(widget, *(sized(number, str(sizes[number % 4])) for number in range(1, 40)))

    dragging = threading.Thread(target=drag)
    dragging.start()
    for number in range(40):
        widget.overlap = f"{number % 20}%"
    dragging.join()
    config = Config.from_settings({"size": sizes[3], "overlap": "19%"})
    assert (widget.config, widget.size, widget.overlap) == (config, 100, "19%")
    assert [chunk.start for chunk in widget.chunks] == widget.boundaries[:, 0].tolist()
    assert widget._view["n"] == len(widget.boundaries)


def test_a_notebook_keeps_a_static_view_next_to_the_widget() -> None:
    """For where no kernel runs; short as text, escaped, with nothing that a sanitizer takes out."""
    hostile = Document(**{**_fields(second_guide()), "title": "<img src=x onerror=alert(1)>"})
    widget = explore(hostile)
    data, _ = widget._repr_mimebundle_()
    assert "application/vnd.jupyter.widget-view+json" in data
    assert len(data["text/plain"]) < 120
    assert "A valve is opened by hand." in data["text/html"]
    assert "<img" not in data["text/html"]
    assert not any(tag in data["text/html"] for tag in ("<script", "<style", "class="))


def _fields(document: Document) -> dict[str, Any]:
    return {name: getattr(document, name) for name in document.__dataclass_fields__}


def test_the_front_end_is_whole() -> None:
    """Every mark of the host is filled, and it fetches and imports nothing."""
    script = front_end()
    assert not any(mark in script for mark in ("/*SCRIPTS*/", "/*STYLES*/", "/*QUEUES*/", "/*FRAME*/"))
    assert not any(word in script for word in ("import(", "fetch(", "http://cdn", "https://"))
    assert script.rstrip().endswith("export default { render };")
