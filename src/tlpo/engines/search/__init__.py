"""Searches for parameters, made anew without every pair."""

MODULES = ("engine", "behind_steps")
