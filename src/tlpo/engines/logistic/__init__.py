"""Exact tournaments of logistic regression, from the fit to all units."""

MODULES = ("engine", "levels", "path", "tuned", "behind")  # in order of preference
