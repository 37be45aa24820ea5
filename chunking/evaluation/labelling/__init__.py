"""Real queries without answers, labelled by a person: query lists, pooled results, judgements, and what was never
judged.
"""
