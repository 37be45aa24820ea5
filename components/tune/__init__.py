"""What the Tune page is made of: what to try, the run, and what came of it."""

from components.tune.estimates.estimate_panel import estimates_panel
from components.tune.estimates.estimate_state import last_estimation, start_estimates
from components.tune.pair_comparison import pair
from components.tune.picked_configuration import taken
from components.tune.picked_runs import picked
from components.tune.result_views import views
from components.tune.sweep.sweep_list import kept_sweeps, sweep_of, why_not
from components.tune.sweep.sweep_progress import begin, outcome, running, unfinished, watch
from components.tune.sweep.sweep_results import results_of, stand
from components.tune.sweep.time_estimate import estimate
from components.tune.sweep.value_chooser import choose
from components.tune.verdicts import failures, verdict_box

__all__ = [
    "begin",
    "choose",
    "estimate",
    "estimates_panel",
    "failures",
    "kept_sweeps",
    "last_estimation",
    "outcome",
    "pair",
    "picked",
    "results_of",
    "running",
    "stand",
    "start_estimates",
    "sweep_of",
    "taken",
    "unfinished",
    "verdict_box",
    "views",
    "watch",
    "why_not",
]
