"""The frame of every page run: admission, rights, errors, log, order of runs, and per-run caches."""
