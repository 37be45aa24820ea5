"""Mail (EML, MSG): the subject as heading, main header lines, body, and names of attachments.

EML is read with the standard library, MSG with olefile; bodies go through the readers of HTML and plain text. On the
four real files, unstructured 0.27.32 (`process_attachments=False`) returns the same body words without subject and
header lines, and does not mark quoted text and nested mails.
"""
