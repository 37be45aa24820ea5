"""Five steps over the samples, from how most people split to what one would ship: a strip above every page."""

from components.guide.guide_strip import guide_entry, guide_strip

__all__ = ["guide_entry", "guide_strip"]
