"""Gradient boosting, grown anew without every pair."""

MODULES = ("engine",)
