"""Labelling of real queries by a person: query lists, pooled results, queues and judgements."""
