"""Jobs in the header: on every page but their own, with the time left, Cancel, and their end until it is seen."""

from __future__ import annotations

import re
from collections.abc import Iterator
from unittest.mock import Mock

import pytest
from streamlit.testing.v1 import AppTest

from chunking.store import Workspace
from components.server.jobs import QueuePosition
from components.session.jobs import INDEX, ServerJob, job_chip, jobs
from tests.pages.app_session import go_to, open_page, page_text, run_app


@pytest.fixture
def job(samples: Workspace) -> Iterator[ServerJob]:
    """An index that is being built, by nobody."""
    registry = jobs()._of
    job = registry[samples.uri, INDEX] = ServerJob("main", Mock(), INDEX, seconds_left=75)
    yield job
    del registry[samples.uri, INDEX]


ICONS = {"progress_activity", "check_circle", "error", "cancel", "hourglass_empty", "power_off"}


def chips(app: AppTest) -> list[str]:
    """The labels of the links to jobs."""
    return [
        link.proto.label
        for link in app.get("page_link")
        if link.proto.icon.removeprefix(":material/").rstrip(":") in ICONS
    ]


def test_a_running_job_is_on_every_page_but_its_own(job: ServerJob) -> None:
    """The time left from the first second, the share when it is known, and Cancel."""
    app = open_page("export")
    (first,) = chips(app)
    assert re.match(r"1 min \d+ s left · Index · ", first)
    job._take({"event": "progress", "done": 3, "total": 12, "message": "a.md", "phase": "embed", "seconds_left": 40})
    (later,) = chips(run_app(app))
    assert "22%" in later
    assert "left" in later
    job._take({"event": "progress", "done": 3, "total": 12, "message": "a.md", "phase": "embed"})
    assert "left" not in chips(run_app(app))[0]
    go_to(app, "index")
    assert f"chip.cancel.{job.number}" not in {button.key for button in app.button}
    go_to(app, "export")
    app.button(key=f"chip.cancel.{job.number}").click().run()
    assert job.stopping
    assert app.button(key=f"chip.cancel.{job.number}").disabled


@pytest.mark.parametrize(
    ("end", "word"),
    [
        ({"report": {}, "error": None}, "done"),
        ({"error": "Out of memory"}, "failed"),
        ({"cancelled": True}, "cancelled"),
    ],
)
def test_an_end_is_said_until_it_is_seen(job: ServerJob, end: dict[str, object], word: str) -> None:
    """To who saw it running: until put away, or its page was opened."""
    app = open_page("export")
    job.active = False
    for name, value in end.items():
        setattr(job, name, value)
    assert chips(run_app(app)) == [f"Index {word}"]
    assert chips(open_page("export")) == []
    app.button(key=f"chip.seen.{job.number}").click().run()
    assert chips(run_app(app)) == []


def test_nobody_looks_any_more_once_nothing_runs(job: ServerJob, monkeypatch: pytest.MonkeyPatch) -> None:
    """A tab that is left open asked every second, for as long as it was."""
    looks: list[float | None] = []
    real = job_chip.fragment
    monkeypatch.setattr(job_chip, "fragment", lambda run_every=None: looks.append(run_every) or real(run_every))
    app = open_page("export")
    job.active, job.cancelled = False, True
    run_app(app)
    assert looks == [job_chip.LOOK, None]


def look() -> None:
    """A page that looks at the jobs once, as the header of Index does by itself."""
    import streamlit as st

    from components.session.jobs.job_chip import _follow

    st.session_state["runs"] = st.session_state.get("runs", 0) + 1
    if st.session_state["runs"] == 1:
        _follow("index")


def test_the_look_that_finds_the_end_draws_the_page_anew(job: ServerJob) -> None:
    """So that it was the last one."""
    assert run_app(AppTest.from_function(look, default_timeout=60)).session_state["runs"] == 1
    job.active = False
    assert run_app(AppTest.from_function(look, default_timeout=60)).session_state["runs"] == 2


def test_its_page_has_said_it(job: ServerJob) -> None:
    """After a look at it, the header does not say it again."""
    app = open_page("export")
    job.active, job.cancelled = False, True
    go_to(app, "index")
    assert chips(go_to(app, "export")) == []


def test_one_that_waits_says_its_place(job: ServerJob) -> None:
    """In the header, on its own page, and it can be taken out of the queue."""
    job.process, job.place = None, QueuePosition(3, 2)
    app = open_page("export")
    (chip,) = chips(app)
    assert chip.startswith(job.place.short)
    go_to(app, "index")
    (line,) = [str(bar.proto.text) for bar in app.get("progress")]
    assert job.place.sentence in line
    app.button(key="index.cancel").click().run()
    assert (job.active, job.cancelled) == (False, True)


def test_one_that_the_end_of_the_server_cut_short(job: ServerJob, monkeypatch: pytest.MonkeyPatch) -> None:
    """To whoever comes, on every page, until it is started again on its own, or put away."""
    job.process, job.active, job.interrupted = None, False, True
    app = open_page("export")
    assert chips(app) == ["Index interrupted"]
    again: list[ServerJob] = []
    monkeypatch.setattr(type(jobs()), "restart", lambda _, one: again.append(one))
    go_to(app, "index")
    assert "main" in next(text for text in page_text(app).splitlines() if "interrupted" in text)
    app.button(key="interrupted.again.index").click().run()
    assert again == [job]
    app.button(key="interrupted.dismiss.index").click().run()
    assert not job.interrupted
    assert chips(go_to(app, "export")) == []
