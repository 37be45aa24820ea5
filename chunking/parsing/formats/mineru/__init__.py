"""Output of the layout parser MinerU: fragments with pages and boxes, joined to paragraphs again."""
