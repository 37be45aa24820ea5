"""What the Tune page is made of: what to try, the run, and what came of it."""

from components.tuning.chooser import choose
from components.tuning.estimate import estimate
from components.tuning.pair import pair
from components.tuning.picks import picked
from components.tuning.results import results_of, stand
from components.tuning.running import begin, outcome, running, unfinished, watch
from components.tuning.sweeps import kept_sweeps, sweep_of
from components.tuning.taken import taken
from components.tuning.verdicts import failures, verdict_box
from components.tuning.views import views

__all__ = [
    "begin",
    "choose",
    "estimate",
    "failures",
    "kept_sweeps",
    "outcome",
    "pair",
    "picked",
    "results_of",
    "running",
    "stand",
    "sweep_of",
    "taken",
    "unfinished",
    "verdict_box",
    "views",
    "watch",
]
