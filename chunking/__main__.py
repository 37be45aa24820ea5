"""`python -m chunking` is the `chunkscope` command."""

import sys

from chunking.cli import main

sys.exit(main())
