"""Indexing on a cluster: the pure stages (`indexing.stages`) by many processes, on Ray.

cluster_index.py   runs of `index_files`: lists the files, starts or continues one, does what is missing
build_driver.py    the one process that holds the workspace's lock: stages in order, commits, indexes, publishing
update_driver.py   the same for a workspace with documents: workers do what has changed, the embedded engine writes it
build_tasks.py     what a worker does with a part, each time with the same result; no lock
segment_tasks.py   the same for the search structures of a large index
key_partitions.py  each text has one owner, by the hash that is its cache key
run_folder.py      the plan, and a record of each part that is done: a run that was killed goes on from them
ray_engine.py      tasks and actors on Ray; ray_session.py: Ray on this machine, or one that runs already
part_spans.py      how files and documents are divided
cluster_limits.py  settings that a cluster does not build yet
"""

from __future__ import annotations
