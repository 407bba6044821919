"""From an analysis to what is read: page, Markdown, terminal, figures, files."""
