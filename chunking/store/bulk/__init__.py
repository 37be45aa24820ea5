"""Tables written in bulk by many processes: files of rows by each, then one commit a table by one.

shared_files.py keeps what passes between the processes, in a folder or in object storage.
The only package that imports pylance, which reads and writes the tables of LanceDB. It comes with the extra `cluster`.
"""

from __future__ import annotations
