"""From a data file to a report: read, understand, summarize into a plain dict, render."""
