"""The Index page: what would be done, indexes and their state, what they are built of, a map of the chunks."""
