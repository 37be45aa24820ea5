"""Evidence for unmarked headings: one model for PDF, HTML, plain text and mail.

| module | the evidence | |---|---| | `numbering` | the number in front, in every form | | `numbered_levels` | the level
that numbers give: `1.3.1` is below `1.3` | | `number_order` | whether numbers count on, leave gaps, restart | |
`contents_list` | the document's own table of contents, matched to the lines it names | | `repetition` | lines repeated
in one place of many pages: captions and furniture, never headings | | `evidence` | all evidence for a heading combined:
its confidence, and the `meta` of its block |
"""
