"""One larger forest plays the whole tournament."""

MODULES = ("engine", "survival")
