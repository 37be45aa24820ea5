"""Components of the Tune page: settings to vary, sweeps, estimates and their results."""

from components.tune.estimate_panel import estimates_panel, last_estimation, start_estimates
from components.tune.pair_comparison import pair
from components.tune.picked_configuration import picked, picked_panel
from components.tune.result_views import failures, verdict_box, views
from components.tune.sweep.sweep_list import kept_sweeps, sweep_of, why_not
from components.tune.sweep.sweep_progress import begin, estimate, outcome, running, unfinished, watch
from components.tune.sweep.sweep_results import results_of, view_controls
from components.tune.sweep.value_chooser import choose

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
    "picked_panel",
    "results_of",
    "running",
    "start_estimates",
    "sweep_of",
    "unfinished",
    "verdict_box",
    "view_controls",
    "views",
    "watch",
    "why_not",
]
