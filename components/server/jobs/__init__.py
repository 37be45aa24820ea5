"""Long work of the server: one job queue for all users and workspaces, one process per job.

Nothing here depends on Streamlit. `job_queue` orders the jobs, `job_limits` limits how many run and what each may use,
`job_record` stores what must survive a restart, `worker_process` is the process, and `job_registry` connects them.
"""

from components.server.jobs.job import JobHost, JobProgress, ServerJob
from components.server.jobs.job_kinds import ESTIMATE, EVALUATE, INDEX, LIVE, PHASES, REVIEW, SWEEP, Weight
from components.server.jobs.job_limits import JobLimits
from components.server.jobs.job_queue import JobQueue, QueuePosition, Ticket
from components.server.jobs.job_record import JobRecord
from components.server.jobs.job_registry import Jobs, may_cancel
from components.server.jobs.worker_process import JobProcesses

__all__ = [
    "ESTIMATE",
    "EVALUATE",
    "INDEX",
    "LIVE",
    "PHASES",
    "REVIEW",
    "SWEEP",
    "JobHost",
    "JobLimits",
    "JobProcesses",
    "JobProgress",
    "JobQueue",
    "JobRecord",
    "Jobs",
    "QueuePosition",
    "ServerJob",
    "Ticket",
    "Weight",
    "may_cancel",
]
