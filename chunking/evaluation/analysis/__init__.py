"""Analysis of runs: statistics, comparison, recommendation, failures and suggestions."""
