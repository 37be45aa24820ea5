"""Long work of the app: each job in a process of its own, known to every session, one of each kind at a time a workspace.

A job goes on when its page is left or its tab closed; whoever opens the page sees it, and can stop it. Building an index
keeps everything else from writing; measuring does not.
"""

from components.session.jobs.job import Job, JobProgress
from components.session.jobs.job_kinds import ESTIMATE, EVALUATE, INDEX, LIVE, PHASES, SWEEP
from components.session.jobs.job_registry import Jobs, jobs

__all__ = ["ESTIMATE", "EVALUATE", "INDEX", "LIVE", "PHASES", "SWEEP", "Job", "JobProgress", "Jobs", "jobs"]
