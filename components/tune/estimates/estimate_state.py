"""The last estimation of a workspace: started, found again by every session, and put beside what was measured."""

from __future__ import annotations

from dataclasses import dataclass, replace

from chunking.errors import QuestionError
from chunking.evaluation import (
    CandidateConfig,
    Checked,
    LiveEstimate,
    QuestionSet,
    Reason,
    Sweep,
    checked,
    documents_key,
    varied_settings,
    worth_measuring,
)
from chunking.store import Workspace
from components.session import share
from components.session.host import deployment
from components.session.jobs import ESTIMATE, ServerJob, jobs
from components.session.jobs.job_line import watched
from components.tune.setting_words import spoken_label
from components.tune.sweep.sweep_results import Results, Stand

__all__ = ["PAGE", "Estimates", "estimates_of", "last_estimation", "start_estimates"]

PAGE = "tune-estimates"
"""Names its widgets."""


@dataclass(frozen=True, slots=True)
class Estimates:
    """What has come of an estimation so far."""

    job: ServerJob
    sweep: Sweep
    every: tuple[LiveEstimate, ...]

    @property
    def known(self) -> tuple[LiveEstimate, ...]:
        """Those with numbers."""
        return tuple(one for one in self.every if one.known)

    @property
    def gaps(self) -> tuple[LiveEstimate, ...]:
        """Those that are not estimated."""
        return tuple(one for one in self.every if not one.known)

    def label(self, one: LiveEstimate) -> str:
        """What tells it from the others, for people."""
        return spoken_label(one.config, varied_settings([other.config for other in self.every]))

    def fits(self, looked: Stand) -> bool:
        """Whether they are of as many results as the page looks at."""
        return _measured_as(self.sweep, looked) == self.sweep

    def wanted(self, looked: Stand) -> tuple[CandidateConfig, ...]:
        """The few that matter, by the metric that the page looks at: the best, the cheapest within the margin, what is
        in force.
        """
        chosen = worth_measuring(self.every, looked.metric.name, looked.margin, share.config())
        return tuple(one for one in chosen if Reason.NEXT not in one.reasons)

    def beside(self, results: Results) -> tuple[Checked, ...]:
        """Those that have been measured, too."""
        return checked(self.every, [line.run for line in results.lines if line.complete], results.questions)


def start_estimates(target: Workspace, sweep: Sweep, questions: QuestionSet, looked: Stand) -> None:
    """Estimate a sweep in a process of its own, by as many results as the page looks at.

    Raises:
        ChunkscopeError: it cannot be run, or no process be started.
    """
    planned = replace(_measured_as(sweep, looked), name="estimates", minutes=0.0)
    planned.check()
    deployment().quotas.check_configurations(planned.combinations)
    task = {"sweep": planned.to_json(), "about": _about(target, questions)}
    watched(jobs().start_job(target.uri, ESTIMATE, task), PAGE)


def last_estimation(target: Workspace, questions: QuestionSet) -> ServerJob | None:
    """The estimation of these questions over the documents as they are; None where there is none."""
    job = jobs().of(target.uri, ESTIMATE)
    return job if job is not None and job.task.get("about") == _about(target, questions) else None


def estimates_of(job: ServerJob) -> Estimates | None:
    """What it has brought so far; None where nothing has come."""
    try:
        sweep = Sweep.from_json(job.task["sweep"])
    except QuestionError:
        return None  # of settings that this version does not have
    every = tuple(LiveEstimate.from_record(one, sweep) for one in tuple(job.estimates))
    return Estimates(job, sweep, every) if every else None


def _measured_as(sweep: Sweep, looked: Stand) -> Sweep:
    measure = looked.measure
    return replace(sweep, n=measure.n or sweep.base.search.k, budget=measure.budget or 0, expanded=measure.expanded)


def _about(target: Workspace, questions: QuestionSet) -> str:
    return f"{questions.fingerprint} {documents_key(target.documents())}"
