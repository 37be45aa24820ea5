"""Quality of retrieval on every collection at hand, per collection and as mean: `make bench quality`.

Rows are configurations of the product and rebuilt methods of papers (`configurations`), collections are those at hand
or any folder in a known form (`collection_forms`). What was measured is kept in a folder: a run that is stopped goes on
where it was.

python -m benchmarks quality                                        everything; the table and picture of the docs
python -m benchmarks quality --model multilingual-e5-small          and the default with another embedding model
python -m benchmarks quality --collection "XQuAD de" --half tune    one collection, printed only
python -m benchmarks quality --collection ~/scifact                 a folder in the form of BEIR
"""

from __future__ import annotations

from benchmarks.quality.quality_run import run

__all__ = ["run"]
