"""Questions with answer spans: where they come from, where their answers stand, how they are kept."""
