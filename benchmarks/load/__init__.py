"""Load tests: many people on one server, as real sessions over its websockets without browsers."""
