"""Exact tournaments of what liblinear's trust-region solver fits."""

MODULES = ("engine",)
