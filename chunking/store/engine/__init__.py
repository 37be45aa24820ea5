"""Where LanceDB is called: tables, their columns, queries by key, filters, locks, and what it raises, as sentences."""
