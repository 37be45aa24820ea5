"""For operators of a deployment: the page with people, jobs, health and settings, and what operators may do."""
