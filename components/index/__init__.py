"""The Index page: the plan of a run, the indexes and their levels, a map of the chunks."""
