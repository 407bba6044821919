"""Exact tournaments of ridge regression of log times, weighted for censoring."""

MODULES = ("engine",)
