"""The question set shared by all pages, its labels with undo, and its runs."""
