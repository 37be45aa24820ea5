"""Many people on one server: real sessions over its websockets, without browsers. `python -m benchmarks.load` says what
there is.
"""
