"""One configuration measured: an index, a search a question, and the run that is kept."""
