"""The parts of every page: browser components, buttons, charts, tables, wording, settings forms."""
