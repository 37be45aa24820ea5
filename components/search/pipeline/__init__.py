"""How a search went, stage by stage: what each handed on, and how long it took."""

from components.search.pipeline.component import pipeline
from components.search.pipeline.phases import phases

__all__ = ["phases", "pipeline"]
