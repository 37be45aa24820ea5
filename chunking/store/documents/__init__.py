"""Documents, their source files and their places as rows of tables."""
