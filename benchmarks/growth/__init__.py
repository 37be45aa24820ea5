"""Growth: how time, memory and disk grow with the number of chunks on one machine.

python -m benchmarks growth                                     10,000 and 100,000 chunks
python -m benchmarks growth --chunks 10000,100000,1000000       these sizes
python -m benchmarks growth --before main                       and 10,000 chunks with an earlier version, in turn
python -m benchmarks growth --keep FOLDER                       keep each size's figures; a new run goes on from them

On a quiet machine of two processors 10,000 chunks take two minutes, 100,000 a quarter of an hour and 10 GB of the
temporary folder (`TMPDIR`) at most, a million an hour and a half and 20 GB; a version that merges its whole table
every 200 documents takes about seven hours for the latter. Standard error says what is being measured.

Documents are recombined sentences of the samples (`corpus`), vectors are clustered and made without a model
(`clustered_vectors`); everything else is the product (`measured_workspace`), in processes of its own for each size.
"""

from __future__ import annotations

from benchmarks.growth.growth_run import run

__all__ = ["run"]
