"""Plan an index run: count its chunks, vectors, requests and seconds before it starts.

index_plan.py         `make_plan`: counts, cost and time of a run
index_differences.py  which documents the index lacks or has otherwise; why it is out of date
plan_counting.py      chunks and texts of a document, and what the caches lack
plan_sample.py        a stratified sample of documents, and the interval of its totals
plan_totals.py        totals of all documents, exact or estimated
"""
