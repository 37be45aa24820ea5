"""The jobs of the server in its pages: the registry that all sessions share, chips in the header, a line on the page of
each.

A job goes on when its page is left or its tab closed; whoever opens the page sees it. Building an index keeps
everything else
from writing to its workspace, once it runs; measuring does not. components/server/jobs/ is the queue itself.
"""

from components.server.jobs import ESTIMATE, EVALUATE, INDEX, LIVE, PHASES, SWEEP, JobProgress, Jobs, ServerJob
from components.session.jobs.server_jobs import jobs, may_stop

__all__ = [
    "ESTIMATE",
    "EVALUATE",
    "INDEX",
    "LIVE",
    "PHASES",
    "SWEEP",
    "JobProgress",
    "Jobs",
    "ServerJob",
    "jobs",
    "may_stop",
]
