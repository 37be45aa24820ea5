"""A job for a cluster: settings, requirements, command, recipes, and a check on a sample.

job_files.py      the zip and what is in it; why a cluster cannot build an index
job_sample.py     the documents of the sample, each of which is split again and compared before it is taken
sample_rows.py    rows of a sample's file, by the functions that a worker calls; the first difference between rows
sample_check.py   what check.py of a job calls where the job is unpacked
*.txt             files of the zip, with @NAMES@ to replace
"""

from __future__ import annotations
