"""Exact tournaments of support vector machines, by following their solver."""

MODULES = ("engine",)
