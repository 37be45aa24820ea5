"""The session's settings: linked, loaded, saved by name, compared and reset."""
