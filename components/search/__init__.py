"""The Search page: field, controls, hits, context, answer, and two searches side by side."""
