"""Break runs, journals, workers, terminals and disks, and see what becomes of the result."""
