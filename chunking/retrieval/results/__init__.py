"""What a search gives back: hits that explain themselves, grouped, cited, marked."""
