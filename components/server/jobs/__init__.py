"""Long work of the server: one queue of jobs for all people and workspaces, each job in a process of its own.

Nothing in here knows Streamlit. `job_queue` decides whose turn it is, `job_limits` how much runs at once and how much a
job may take, `job_record` holds what a restart must not forget, `worker_process` is the process, and `job_registry`
connects them.
"""

from components.server.jobs.job import JobHost, JobProgress, ServerJob
from components.server.jobs.job_kinds import ESTIMATE, EVALUATE, INDEX, LIVE, PHASES, SWEEP, Weight
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
