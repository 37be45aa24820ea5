"""The operators' page with people, jobs, health and settings, and the actions of operators."""
