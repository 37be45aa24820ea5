"""What every layer asks of plain text: its sentences, its characters, the words it is searched by, the places of a quote."""
