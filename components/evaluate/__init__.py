"""What the Evaluate page is made of: question sets and where they come from, a run, its numbers, and every question of
it.
"""
