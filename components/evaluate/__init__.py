"""Components of the Evaluate page: question sets, evaluation jobs, runs and their metrics."""
