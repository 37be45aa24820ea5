"""Components of the Tune page: settings to vary, sweeps, estimates and their results."""
