"""Read each file in a process of its own, which a hostile file cannot leave.

One server process per Python process, started at the first file, imports the readers and forks a child for each file.
The child has limits on memory, computing, time and disk, and no network; its answer comes back as plain data. It ends
with its file, however that ends; the server ends with the process that started it.

    parse_client    what the library calls, and the sentences for every fate of a child
    process         the server as its parent sees it, and one exchange with it per file
    parse_server    takes files, imports readers, forks, watches the time, reports how each child ended
    child           the limits, then the reader, or unstructured as a second one
    wire            documents as bytes
    limits          what a child may take, and what it may not reach

It needs `fork`, which Linux and macOS have.
"""

from __future__ import annotations

from chunking.parsing.sandbox.limits import MAX_CHILDREN, ChildLimits
from chunking.parsing.sandbox.parse_client import (
    PageImage,
    parse_all_guarded,
    parse_file_guarded,
    parse_guarded,
    read_parquet,
    read_with_second_parser,
    render_page,
)

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
