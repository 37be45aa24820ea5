"""Steps of the guide with their settings and pages, the user's progress, and the way back."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import streamlit as st

from chunking.config import Config, margin_setting
from chunking.model import CHUNK
from chunking.samples import BASELINE, BASELINE_INDEX, GRID, HANDBOOK, QUESTION, SAMPLE_SET, question_vector
from chunking.samples import INDEX as SAMPLE_INDEX
from components.chunks.inspector import keep_closed
from components.export.report_card import open_report
from components.guide.guide_numbers import GuideNumbers, guide_numbers
from components.search.search_field import keep_query
from components.session import share
from components.session.bounded_set import BoundedSet
from components.session.host import host
from components.session.jobs import ESTIMATE, INDEX, jobs
from components.session.page.page_frame import arrive_again
from components.session.questions.question_state import active_set, set_names
from components.session.questions.run_state import all_runs
from components.session.samples import holds_only_samples
from components.session.settings.other_configuration import to_address
from components.session.workspace import workspace

if TYPE_CHECKING:
    from chunking.evaluation import EvaluationRun, QuestionSet
    from components.tune.sweep.sweep_results import LeaderboardView

__all__ = [
    "STEPS",
    "GuideProgress",
    "GuideStep",
    "close",
    "has_samples",
    "is_building",
    "is_closed",
    "measure_the_best",
    "open_again",
    "progress",
    "recommended",
    "restore_settings",
]

_SHIPPED = "recommended"
"""Name of the index built for the recommended configuration, if it is not the samples' own."""

_PROGRESS = "guide.progress"


@dataclass(frozen=True, slots=True)
class GuideStep:
    """A step of the guide: title, explanation, page, action, and when it can be taken."""

    title: str
    look: Callable[[], str]
    """Sentence about what to look at, with what was measured."""
    page: str
    """File of the page that it goes to."""
    act: Callable[[int], None]
    """Applies its settings; called with the step's number."""
    ready: Callable[[], bool] = lambda: True
    """True if the step can be taken."""
    wait: str = ""
    """Sentence about what has to be done before; shown if the step is not ready."""
    writes: bool = False
    """True if it may start a job that changes the workspace."""


def _split_naively(number: int) -> None:
    take_step(number, Config.from_settings(BASELINE), _at_the_answer(BASELINE_INDEX))
    keep_closed()


def _at_the_answer(index: str) -> dict[str, str | None]:
    """Return the view of the guide's document at the chunk of an index that holds the answer of the question."""
    from chunking.evaluation import load_set

    view: dict[str, str | None] = {"questions": SAMPLE_SET, "doc": HANDBOOK, "chunk": None}
    target = workspace()
    questions = load_set(target, SAMPLE_SET).questions.questions
    question = next((one for one in questions if one.text == QUESTION), None)
    if question is None or not question.answers or index not in {row.name for row in target.indexes()}:
        return view
    answer = question.answers[0]
    for chunk in target.index(index).chunks_of(HANDBOOK):
        if chunk.level == CHUNK and chunk.start <= answer.start and answer.end <= chunk.end:
            return view | {"chunk": str(chunk.chunk_index)}
    return view


def _ask(number: int) -> None:
    """Search the baseline's index beside the better one with the shipped vector, so that nobody waits for the model."""
    from chunking.embedding import load_embedder
    from chunking.retrieval.query.query import ship_query_vector

    embedder = load_embedder(Config().embedding)
    vector = question_vector(embedder, QUESTION)
    if vector is not None:
        ship_query_vector(embedder, QUESTION, vector)
    other = to_address(Config(), ("search",), index=SAMPLE_INDEX)
    view = {"index": BASELINE_INDEX, "show": "compare", "with": other, "where": None, "questions": SAMPLE_SET}
    take_step(number, Config.from_settings(BASELINE), view, QUESTION)


def _improve(number: int) -> None:
    take_step(number, Config(), _at_the_answer(SAMPLE_INDEX))
    keep_closed()


def _choose(number: int) -> None:
    """Start the estimation of the grid; `measure_the_best` continues from there."""
    from chunking.evaluation import Sweep
    from components.tune.estimate_panel import start_estimates

    base = Config()
    take_step(number, base, {"questions": SAMPLE_SET, "run": None, "against": None})
    questions = _tuning_questions()
    if questions is None:
        return
    sweep = Sweep(name="", question_set=SAMPLE_SET, base=base, grid=GRID, tries=({}, BASELINE), n=base.search.k)
    start_estimates(workspace(), sweep, questions, _criteria())
    job = jobs().of(workspace().uri, ESTIMATE)
    set_progress(estimation=job.number if job else None)


def _ship(number: int) -> None:
    """Use the recommended configuration and its index, which is built if missing."""
    run, target = recommended(), workspace()
    if run is None:
        return
    search = run.config.search.model_copy(update={"k": share.config().search.k})
    config = run.config.model_copy(update={"search": search})
    row = next((row for row in target.indexes() if row.is_built_as(config) and row.state == "complete"), None)
    if row is None:
        jobs().start(target.uri, config, _SHIPPED)
    open_report()
    take_step(number, config, {"questions": SAMPLE_SET, "run": run.key, "index": row.name if row else _SHIPPED})


def _numbers() -> GuideNumbers | None:
    """Return what the baseline and the defaults were measured to find; None if they were not."""
    return guide_numbers(_tuning_questions(), Config())


def _gain() -> str:
    """Return what the recommended settings win over the baseline, in words; empty if it was not measured."""
    run = recommended()
    numbers = guide_numbers(_tuning_questions(), run.config) if run is not None else None
    return numbers.text if numbers else ""


def _look_at_the_baseline() -> str:
    said = "**The baseline**: 512 tokens, overlap 50, vector search."
    numbers = _numbers()
    if numbers is None:
        return said
    return (
        f"{said} {numbers.baseline.text}. In this handbook, **{numbers.baseline.missed} of {numbers.about_document}** "
        "questions miss their answer; this chunk holds one of those answers."
    )


def _look_at_the_searches() -> str:
    return (
        "The same question, asked of two indexes: the baseline’s on the left; on the right, "
        f"{Config().chunk.size}-token chunks with titles and hybrid search. The answer is marked in green."
    )


def _look_at_recall() -> str:
    said = f"**The defaults**: {Config().chunk.size} tokens, split along the headings, with titles and hybrid search."
    numbers = _numbers()
    if numbers is None:
        return said
    return (
        f"{said} {numbers.better.text}. In this handbook, **{numbers.better.missed} of {numbers.about_document}** "
        "questions miss their answer."
    )


def _look_at_the_choice() -> str:
    gain = _gain()
    return (
        f"{f'The recommended settings gain {gain}. ' if gain else ''}"
        "Other configurations are estimated without an index; those that matter are measured on a real one."
    )


def _look_at_the_report() -> str:
    gain = _gain()
    return (
        f"Your report is ready{f': {gain}' if gain else ''}. You now use the recommended settings; "
        "their index, chunks and code are below it."
    )


STEPS = (
    GuideStep("How most people split", _look_at_the_baseline, "pages/chunks.py", _split_naively),
    GuideStep("Ask it a question", _look_at_the_searches, "pages/search.py", _ask),
    GuideStep("See recall move", _look_at_recall, "pages/chunks.py", _improve),
    GuideStep("Let it choose", _look_at_the_choice, "pages/tune.py", _choose, writes=True),
    GuideStep(
        "Ship it",
        _look_at_the_report,
        "pages/export.py",
        _ship,
        lambda: bool(all_runs()) and recommended() is not None,
        "Do step 4 first: nothing has been evaluated yet, so there is no recommendation.",
        True,
    ),
)


def _tuning_questions() -> QuestionSet | None:
    """Return the tuning part of the question set; None if it is empty."""
    from chunking.evaluation import QuestionPart

    current = active_set()
    questions = current.questions.of(QuestionPart.TUNE) if current else None
    return questions if questions and questions.questions else None


def _criteria() -> LeaderboardView:
    """Return Tune's default criteria: recall of the results of a search."""
    from chunking.evaluation import Measure, metric_of
    from components.tune.sweep.sweep_results import JUDGED_BY, LeaderboardView

    return LeaderboardView(metric_of(JUDGED_BY[0]), Measure(share.config().search.k), float(margin_setting().default))


def recommended() -> EvaluationRun | None:
    """Return the first run of Tune's leaderboard; None if it is incomplete or the only one."""
    from components.tune.sweep.sweep_results import results_of

    questions = _tuning_questions()
    lines = results_of(questions, _criteria()).lines if questions is not None else ()
    return lines[0].run if len(lines) > 1 and lines[0].complete else None


def measure_the_best() -> None:
    """Queue the evaluation of the baseline and the best candidates once the guide's estimation has ended.

    The second half of "Let it choose". If it queues one, it reruns the page; it does nothing before the end, during
    another sweep, or if all are measured.
    """
    from components.tune.estimate_panel import estimates_of, last_estimation
    from components.tune.sweep.sweep_results import results_of
    from components.tune.sweep.sweeps import begin_sweep, running_sweep, sweep_of_few

    target, questions = workspace(), _tuning_questions()
    job = last_estimation(target, questions) if questions is not None else None
    if questions is None or job is None or job.number != progress().estimation or job.active:
        return
    set_progress(estimation=None)
    estimates, view = estimates_of(job), _criteria()
    if job.report is None or estimates is None or running_sweep(target) is not None:
        return
    measured = {id(row.estimate) for row in estimates.checks(results_of(questions, view))}
    usual = [one for one in estimates.every if one.config == Config.from_settings(BASELINE)]
    needed = [*usual, *(one.estimate for one in estimates.candidates(view))]
    missing = [one for one in needed if id(one) not in measured]
    if missing:
        begin_sweep(target, sweep_of_few(estimates.sweep, [one.settings for one in missing], target))


def is_building() -> bool:
    """True while the index of the guide's last step is queued or being built."""
    job = jobs().of(workspace().uri, INDEX)
    return job is not None and job.active and job.name == _SHIPPED


@dataclass(frozen=True, slots=True)
class GuideProgress:
    """The guide's steps that a session has taken, and the settings to restore afterwards."""

    present: int = 0
    """Last step taken, from 1; 0 before the first."""
    done: frozenset[int] = frozenset()
    before: tuple[Config, Mapping[str, str | None]] | None = None
    """Configuration and view before the guide; None while they are in use."""
    step_config: Config | None = None
    """Configuration set by the last step."""
    estimation: int | None = None
    """Number of the estimation job whose best candidates are still to be measured."""


def progress() -> GuideProgress:
    """Return the guide's progress in this session."""
    kept: GuideProgress = st.session_state.get(_PROGRESS) or GuideProgress()
    return kept


def set_progress(**changes: object) -> None:
    """Replace fields of the guide's progress in this session."""
    st.session_state[_PROGRESS] = replace(progress(), **changes)  # type: ignore[arg-type]


def take_step(number: int, config: Config, view: Mapping[str, str | None], query: str | None = None) -> None:
    """Apply a step's configuration and view; the user's own settings are kept for `restore_settings`.

    If the user has changed the settings since the last step, the changed ones are kept.

    Args:
        view: values by URL parameter.
        query: query to search; None: unchanged.
    """
    now = progress()
    before = now.before if now.before is not None and share.config() == now.step_config else _in_force()
    set_progress(present=number, done=now.done | {number}, before=before, step_config=config)
    arrive_again()  # a step on the same page goes to its own place
    share.keep_config(config)
    share.keep_view(**view)
    if query is not None:
        keep_query(query)


def _in_force() -> tuple[Config, dict[str, str | None]]:
    return share.config(), {key: share.view(key) for key in share.VIEW_KEYS}


def restore_settings() -> None:
    """Restore view and query from before the guide; settings only if they are still the step's.

    Afterwards no step is the present one.
    """
    now = progress()
    if now.before is not None:
        config, view = now.before
        if share.config() == now.step_config:
            share.keep_config(config)
        share.keep_view(**view)
        keep_query(view.get("q"))
    set_progress(before=None, step_config=None, present=0)


def has_samples() -> bool:
    """True if the documents are exactly the samples, and their question set is there."""
    return holds_only_samples(workspace()) and SAMPLE_SET in set_names()


def is_closed() -> bool:
    """True if the user has closed the guide in this workspace.

    Kept until the server ends; other users of the workspace still see the guide.
    """
    return _mine() in _closed()


def close() -> None:
    """Close the guide and restore the settings from before it."""
    restore_settings()
    _closed().add(_mine())


def open_again() -> None:
    """Reopen a closed guide."""
    _closed().discard(_mine())


def _mine() -> tuple[str, str]:
    person = host().user()
    return workspace().uri, person.id if person else ""


@st.cache_resource(show_spinner=False)
def _closed() -> BoundedSet:
    """Return the closed guides of this server, as (workspace address, user id)."""
    return BoundedSet()
