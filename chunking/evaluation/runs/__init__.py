"""Evaluation of a configuration: trial index, search of the questions, stored run; loaded chunks."""
