"""Components of the Search page: field, controls, hits, context, answer, and two searches compared."""
