"""All settings of a session: linked, saved by name, compared with others, put in force."""
