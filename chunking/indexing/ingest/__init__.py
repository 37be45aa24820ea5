"""Files into a workspace: read, given ids, saved."""
