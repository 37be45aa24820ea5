"""Evidence for unmarked headings, in one model for PDF, HTML, plain text and mail.

numbering         the number in front, in every form
numbered_levels   the level that numbers give (`1.3.1` is below `1.3`), and whether numbers count on, leave gaps or
                  restart
heading_labels    headings that are only a label, and keys to compare labels
contents_list     the document's own table of contents, matched to the lines it names
repetition        lines repeated in one place of many pages: captions and furniture, never headings
evidence          all evidence for a heading combined: its confidence, and the `meta` of its block
"""
