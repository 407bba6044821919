"""Exact tournaments of logistic regression, from the fit to all units."""

MODULES = ("engine", "path", "tuned", "behind")
