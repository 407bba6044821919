"""Exact tournaments of Cox regression, from the fit to all units."""

MODULES = ("engine",)
