"""Reading in a process of its own, so that a file can take nothing with it.

One server process a Python process, started at the first file, imports the readers and forks a child for each file. The
child has limits on memory, computing, time and disk, and no network; its answer comes back as plain data. It ends with
its
file, however that ends; the server ends with the process that started it.

    client      what the library calls, and the sentences for everything that can happen to a child
    process     the server as its parent sees it: started when needed, again when it is gone
    server      takes files, forks, watches the time, says how each child ended
    child       the limits, then the reader, or unstructured as a second one
    wire        documents as bytes
    limits, network, readers    what a child may take · what it may not reach · what is imported before it is forked

It needs `fork`, which Linux and macOS have.
"""

from __future__ import annotations

from chunking.parsing.sandbox.client import (
    PageImage,
    parse_all_guarded,
    parse_file_guarded,
    parse_guarded,
    read_parquet,
    read_with_second_parser,
    render_page,
)
from chunking.parsing.sandbox.limits import MAX_CHILDREN, ChildLimits

__all__ = [
    "MAX_CHILDREN",
    "ChildLimits",
    "PageImage",
    "parse_all_guarded",
    "parse_file_guarded",
    "parse_guarded",
    "read_parquet",
    "read_with_second_parser",
    "render_page",
]
