"""A sweep on Tune: what it tries, how long that takes, and how far it is."""
