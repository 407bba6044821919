"""Partial least squares, fitted without every pair in a compiled loop."""

MODULES = ("engine",)
