"""One larger forest plays the whole tournament, or a forest of its own each pair."""

MODULES = ("engine", "survival", "regrown")
