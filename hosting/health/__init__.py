"""Checks of a deployment, for `chunkscope doctor` and the operators' page."""
