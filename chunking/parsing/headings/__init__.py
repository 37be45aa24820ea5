"""What makes a line a heading, for documents that do not say it: one model of evidence for PDF, HTML, plain text and
mail.

| module | the evidence |
|---|---|
| `numbering` | the number in front, in every form |
| `numbered_levels` | the level that numbers give: `1.3.1` stands under `1.3` |
| `number_order` | whether the numbers count on, leave gaps, start anew |
| `contents_list` | the document's own table of contents, matched to the lines it names |
| `repetition` | lines that come again in the same place of many pages: captions and furniture, never headings |
| `evidence` | all that speaks for a heading, put together: how sure it is, and what its block carries |
"""
