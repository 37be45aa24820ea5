"""Components of the Index page: plan of a run, indexes with their levels, map of the chunks."""
