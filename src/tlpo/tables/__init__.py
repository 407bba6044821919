"""From a file to a sample: reading, columns, selection, labels, what may leak the outcome."""
