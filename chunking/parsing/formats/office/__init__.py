"""Word, PowerPoint, Excel, OpenDocument and RTF: a package each, and what they share."""
