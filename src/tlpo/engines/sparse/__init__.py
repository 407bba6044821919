"""Tournaments of models with an L1 penalty, by following their solvers."""

MODULES = ("engine", "tuned", "logistic")
