"""What every page is drawn with: the protocol of browser components, buttons, charts, colours, wording, settings forms."""
