"""From a data file to a report: read, understand, summarize into a dict, render."""
