"""The settings measured on a saved question set, and the recall that the description of search carries."""

from __future__ import annotations

import pytest

from chunking.agents import CallControl, Toolbox
from chunking.errors import AccessError, Cancelled, NotFoundError
from chunking.store import Role, RoleAccess
from tests.support.facts import tells


def test_the_metrics_come_with_their_intervals(question_shelf: Toolbox) -> None:
    """And progress is told."""
    notices: list[tuple[float, float, str]] = []
    answer = question_shelf.evaluate(control=CallControl(lambda *one: notices.append(one)))
    assert (answer.questions, answer.asked, answer.sets) == ("shelf", 2, ["shelf"])
    assert 0 <= answer.metrics["recall"].mean <= 1
    assert answer.run in question_shelf.open_workspace().runs.names()
    assert notices[-1][0] == 2


def test_what_was_measured_is_looked_up_by_a_viewer(question_shelf: Toolbox) -> None:
    """Who may not write reads the run of somebody who may, and is told what to do where there is none."""
    workspace = question_shelf.open_workspace()
    viewer = Toolbox(lambda: workspace.seen_by(RoleAccess(Role.VIEWER)))
    with pytest.raises(AccessError):
        viewer.evaluate()
    measured = question_shelf.evaluate()
    assert viewer.evaluate() == measured


def test_the_measured_recall_is_a_sentence_until_something_changes(question_shelf: Toolbox) -> None:
    """It names the set, and is gone with the run's being current."""
    assert question_shelf.measured_recall() == ""
    mean = question_shelf.evaluate().metrics["recall"].mean
    assert tells(question_shelf.measured_recall(), f"shelf 5 {100 * mean:.1f}")
    question_shelf.delete(["manuals_manual"])
    assert question_shelf.measured_recall() == ""


def test_no_set_and_an_unknown_one_are_refused(own_shelf: Toolbox, question_shelf: Toolbox, empty: Toolbox) -> None:
    """By name."""
    with pytest.raises(NotFoundError):
        empty.evaluate()
    with pytest.raises(NotFoundError):
        question_shelf.evaluate("nope")


def test_a_cancelled_evaluation_stops(question_shelf: Toolbox) -> None:
    """And the next one works."""
    with pytest.raises(Cancelled):
        question_shelf.evaluate(control=CallControl(cancelled=lambda: True))
    assert question_shelf.evaluate().asked == 2
