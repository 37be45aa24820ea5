"""Components of the Export page: cards for chunks, code, questions, configuration and report."""
