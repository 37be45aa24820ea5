"""Components of the Tune page: settings to vary, sweeps, estimates and their results."""

from components.tune.estimate_panel import estimates_panel, last_estimation, start_estimates
from components.tune.pair_comparison import compare_pair
from components.tune.picked_configuration import picked, picked_panel
from components.tune.result_views import failures, result_tabs, verdict_box
from components.tune.sweep.sweep_list import kept_sweeps, sweep_fault, sweep_of
from components.tune.sweep.sweep_progress import (
    begin_sweep,
    estimate_sweep,
    running_sweep,
    sweep_outcome,
    unfinished_sweeps,
    watch_sweep,
)
from components.tune.sweep.sweep_results import results_of, view_controls
from components.tune.sweep.value_chooser import choose_values

__all__ = [
    "begin_sweep",
    "choose_values",
    "compare_pair",
    "estimate_sweep",
    "estimates_panel",
    "failures",
    "kept_sweeps",
    "last_estimation",
    "picked",
    "picked_panel",
    "result_tabs",
    "results_of",
    "running_sweep",
    "start_estimates",
    "sweep_fault",
    "sweep_of",
    "sweep_outcome",
    "unfinished_sweeps",
    "verdict_box",
    "view_controls",
    "watch_sweep",
]
