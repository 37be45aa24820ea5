"""What a file is, by its content first: its kind, what is in a container, its encoding, its name."""
