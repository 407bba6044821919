"""Exact tournaments of scikit-survival's Cox regression with an L1 penalty."""

MODULES = ("engine",)
