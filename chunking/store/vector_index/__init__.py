"""The vector index of an index's table: when it is made, how many partitions a search looks into, and what it finds."""
