"""The front page: the samples' story, or the user's workspace and what to do next in it."""
