"""The strategies, a row each, and what they ask of others: a model's vectors, splitters of other packages or of the
user's own.
"""
