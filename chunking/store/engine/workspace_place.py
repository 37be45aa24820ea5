"""Where a workspace is: in a folder of this machine, in the memory of this process, or on object storage."""

from __future__ import annotations

import re
from pathlib import Path
from urllib.parse import urlsplit
from urllib.request import url2pathname

from chunking.errors import StoreError

__all__ = ["local_folder", "may_be_shared"]

_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*)://")
_FILE, _MEMORY = "file", "memory"


def local_folder(uri: str) -> Path | None:
    """The folder that a URI names; None where what it names is none of this machine's.

    Raises:
        StoreError: it names a folder of another machine.

    >>> local_folder("docs"), local_folder("file:///srv/my%20docs"), local_folder("s3://bucket/docs")
    (PosixPath('docs'), PosixPath('/srv/my docs'), None)
    """
    scheme = _scheme(uri)
    if scheme != _FILE:
        return None if scheme else Path(uri)
    parts = urlsplit(uri)
    if parts.netloc not in ("", "localhost"):
        raise StoreError(
            f"The workspace {uri} is on the machine {parts.netloc}; give a folder on this one, as file:///folder.",
            where=uri,
        )
    return Path(url2pathname(parts.path))


def may_be_shared(uri: str) -> bool:
    """Whether other processes can write to it where no lock keeps them out.

    >>> may_be_shared("docs"), may_be_shared("memory://docs"), may_be_shared("s3://bucket/docs")
    (False, False, True)
    """
    return _scheme(uri) not in ("", _FILE, _MEMORY)


def _scheme(uri: str) -> str:
    found = _SCHEME.match(uri)
    return found[1].lower() if found else ""
