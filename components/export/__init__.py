"""The Export page: cards for chunks, code, questions and the configuration, and the report."""
