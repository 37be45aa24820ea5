"""Building blocks of every page: browser components, buttons, charts, tables, wording, settings form."""
