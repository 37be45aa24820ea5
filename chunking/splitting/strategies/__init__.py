"""The strategies, a row each, with custom splitters and those of other packages."""
