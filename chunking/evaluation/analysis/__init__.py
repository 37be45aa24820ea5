"""What runs mean: statistics, comparison, recommendation, failures and suggestions."""
