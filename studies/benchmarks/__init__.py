"""Speed, memory and scheduling; one script each, such as ``python -m studies.benchmarks.load``."""
