"""The page for operators: people and what they use, jobs, the disk, the server's health, the settings in force, recent
activity.

Everything about people goes through `Operating`, which asks again whether who asks is an operator.
"""

from components.operator.activity_list import activity_list
from components.operator.job_list import job_list
from components.operator.overview import overview
from components.operator.people_table import people_table
from components.operator.server_state import server_state
from components.operator.settings_table import settings_table

__all__ = ["activity_list", "job_list", "overview", "people_table", "server_state", "settings_table"]
